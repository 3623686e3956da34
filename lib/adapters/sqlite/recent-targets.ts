import type { TableKey } from '../state-keys.ts';
import type { KnownTarget } from './target-document.ts';

/** The limit for all kept bodies together, in characters. */
const MAX_CHARACTERS = 4 * 1_048_576;

interface Recent {
  readonly body: string;
  readonly known: KnownTarget;
}

/**
 * The parsed form of the items that were read or written last. It is used only while the body in the file is the same,
 * so a write of another process is never missed. A pass reads its item for its acquire and for its commit.
 *
 * A state with durable values is not kept, because a controller may have a reference to them.
 */
export class RecentTargets {
  readonly #recent = new Map<string, Recent>();
  #characters = 0;

  find(key: TableKey, body: string): KnownTarget | undefined {
    const recent = this.#recent.get(nameOf(key));
    if (recent?.body !== body) return undefined;
    const { known } = recent;
    return known.type === 'known' ? { ...known, state: { ...known.state, values: {} } } : known;
  }

  keep(key: TableKey, body: string, known: KnownTarget): void {
    const name = nameOf(key);
    this.#drop(name);
    if (known.type === 'known' && Object.keys(known.state.values).length > 0) return;
    this.#recent.set(name, { body, known });
    this.#characters += body.length;
    for (const oldest of this.#recent.keys()) {
      if (this.#characters <= MAX_CHARACTERS) break;
      this.#drop(oldest);
    }
  }

  #drop(name: string): void {
    const recent = this.#recent.get(name);
    if (recent === undefined) return;
    this.#characters -= recent.body.length;
    this.#recent.delete(name);
  }
}

function nameOf({ pk, sk }: TableKey): string {
  return `${pk} ${sk}`;
}
