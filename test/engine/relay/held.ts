import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Counts how many of the objects that were handed out are still reachable, which is exact where a process's size is not. */
export class Held {
  /** The most that were reachable at any look. */
  most = 0;
  private readonly collect: () => void;
  private references: WeakRef<object>[] = [];

  constructor() {
    setFlagsFromString('--expose-gc');
    this.collect = runInNewContext('gc') as () => void;
  }

  keep<Kept extends object>(object: Kept): Kept {
    this.references.push(new WeakRef(object));
    return object;
  }

  async look(): Promise<void> {
    await nextTurn();
    this.collect();
    this.references = this.references.filter((reference) => reference.deref() !== undefined);
    this.most = Math.max(this.most, this.references.length);
    await nextTurn();
  }
}
