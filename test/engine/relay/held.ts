import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Counts how many of the returned objects are still reachable. This is exact, unlike the size of a process. */
export class Held {
  /** The highest count so far. */
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
