import { sha256Hex } from '../../core/hash.ts';
import { canonicalText } from '../../core/json-merge.ts';
import type { ObjectKey } from '../../core/observation.ts';

/** A mark takes 45 bytes, so all marks together take 23 KB of the 400 KB of an item. */
const MAX_MARKS = 500;
const NAME_LENGTH = 12;
const DIGEST_LENGTH = 32;

/** A write, and the state that it left or that it is compared with. */
export interface Written {
  readonly verb: 'apply' | 'patch' | 'status';
  readonly object: ObjectKey;
  readonly uid: string;
  /** The content of the request. */
  readonly content: unknown;
  /** The part of the object that the request determines. */
  readonly state: unknown;
}

/**
 * Remembers writes after which the object differs from the request. The API server leaves out empty values, fills in
 * defaults, writes quantities in its own form, and makes the manager of a create the owner of its defaults.
 * For each write it keeps a digest of the request and of the state after it. While both are the same, the write would
 * change nothing.
 * An old digest is harmless: any change of the desired content or of the object gives another digest. In that case, and
 * beyond 500 objects, the write is sent once for each pass without a mark.
 */
export class WriteMemory {
  readonly #last: readonly string[];
  readonly #kept = new Set<string>();
  readonly #dropped = new Set<string>();

  /** @param last the marks of the last committed pass, by this release or an older one. */
  constructor(last: readonly string[] = []) {
    this.#last = last;
  }

  /** Whether the object is exactly as this write left it. */
  isAsWritten(written: Written): boolean {
    const mark = markOf(written);
    if (!this.#last.includes(mark) && !this.#kept.has(mark)) return false;
    this.#kept.add(mark);
    return true;
  }

  remember(written: Written): void {
    this.#kept.add(markOf(written));
  }

  /** The object is gone, or is being deleted. */
  drop(object: ObjectKey): void {
    if (this.#last.length > 0 || this.#kept.size > 0) this.#dropped.add(nameOf(object));
  }

  /** The marks for the commit: first those of this attempt, then those of writes that it did not reach. */
  marks(): string[] {
    const written = new Set([...this.#kept].map((mark) => mark.slice(0, NAME_LENGTH)));
    const unused = this.#last.filter((mark) => !written.has(mark.slice(0, NAME_LENGTH)));
    const marks = [...this.#kept, ...unused].filter((mark) => !this.#dropped.has(mark.slice(0, NAME_LENGTH)));
    return marks.slice(0, MAX_MARKS);
  }
}

function markOf({ verb, object, uid, content, state }: Written): string {
  return `${nameOf(object)}.${sha256Hex(canonicalText({ verb, uid, content, state })).slice(0, DIGEST_LENGTH)}`;
}

function nameOf(object: ObjectKey): string {
  return sha256Hex(object).slice(0, NAME_LENGTH);
}
