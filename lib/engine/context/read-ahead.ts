import type { Controller } from '../../core/controller.ts';
import type { KubeObject, ObjectName } from '../../core/kube-object.ts';
import { type ObjectKey, objectKey, parseObjectKey } from '../../core/observation.ts';
import { kindId, type ResourceType } from '../../core/resource-type.ts';
import type { TargetState } from '../../ports/state-store.ts';

/** More than a pass reads by name, as a rule. Each one that the pass does not use is a request for nothing. */
const MAX_READS = 4;

export type Get = (type: ResourceType, name: ObjectName) => Promise<KubeObject | undefined>;

/**
 * Reads that begin at the same time as the read of the pass's own object (docs/decisions/0059). They are of objects that the
 * last committed pass read, so their edges exist, and they begin under the lease. Each answers one read of the pass. One that
 * the pass does not use leaves no version behind.
 */
export class ReadAhead {
  readonly #reads = new Map<ObjectKey, Promise<KubeObject | undefined>>();

  /** Begins to read what `last` read of the kinds that the controller declares unconditional, in its object's namespace. */
  begin({ reads }: Controller, last: Pick<TargetState, 'edges' | 'target'>, get: Get): void {
    for (const { type, unconditional } of reads) {
      if (unconditional !== true) continue;
      for (const edge of last.edges) {
        const { kind, ...name } = parseObjectKey(edge);
        const isList = name.name === '*';
        if (isList || kind !== kindId(type) || name.namespace !== last.target.namespace) continue;
        if (this.#reads.size >= MAX_READS) return;
        const read = get(type, name);
        // The pass may end without a look at it.
        read.catch(() => {});
        this.#reads.set(objectKey(kind, name), read);
      }
    }
  }

  /** The read of an object, once: the next one is live. It rejects as a live one does. */
  take(key: ObjectKey): Promise<KubeObject | undefined> | undefined {
    const read = this.#reads.get(key);
    this.#reads.delete(key);
    return read;
  }

  /** None of them counts. */
  drop(): void {
    this.#reads.clear();
  }
}
