import { sha256Hex } from '../../core/hash.ts';
import { canonicalText } from '../../core/json-merge.ts';
import type { ObjectKey } from '../../core/observation.ts';

/** A mark takes 45 bytes of the item, so all of them 23 KB of its 400. */
const MAX_MARKS = 500;
const NAME_LENGTH = 12;
const DIGEST_LENGTH = 32;

/** A write, and the state that it left or that is compared with it. */
export interface Written {
  readonly verb: 'apply' | 'patch' | 'status';
  readonly object: ObjectKey;
  readonly uid: string;
  /** What was, or would be, sent. */
  readonly content: unknown;
  /** What the object shows of it. */
  readonly state: unknown;
}

/**
 * Remembers writes that the API server answered with something else than was sent: it leaves out what is empty, fills in
 * defaults, writes quantities its own way, and gives a creation's defaults to its manager. Of each it keeps a
 * digest of what was sent and of what was there after it. While both are the same, the write would change nothing.
 *
 * An old digest is harmless: any change of the desired content or of the object makes another digest. Then, and beyond 500
 * objects, the write is sent, once for each pass that lacks its mark.
 */
export class WriteMemory {
  readonly #last: readonly string[];
  readonly #kept = new Set<string>();
  readonly #dropped = new Set<string>();

  /** @param last what the last committed pass left, by this release or an older one. */
  constructor(last: readonly string[] = []) {
    this.#last = last;
  }

  /** Whether the object is exactly as this same write left it. */
  isAsWritten(written: Written): boolean {
    const mark = markOf(written);
    if (!this.#last.includes(mark) && !this.#kept.has(mark)) return false;
    this.#kept.add(mark);
    return true;
  }

  remember(written: Written): void {
    this.#kept.add(markOf(written));
  }

  /** The object is gone, or going. */
  drop(object: ObjectKey): void {
    if (this.#last.length > 0 || this.#kept.size > 0) this.#dropped.add(nameOf(object));
  }

  /** What to commit: the marks of this attempt first, then those of writes that it did not come to. */
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
