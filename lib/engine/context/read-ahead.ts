import type { Controller } from '../../core/controller.ts';
import type { KubeObject, ObjectName } from '../../core/kube-object.ts';
import { type ObjectKey, objectKey, parseObjectKey } from '../../core/observation.ts';
import { kindId, type ResourceType } from '../../core/resource-type.ts';
import type { TargetState } from '../../ports/state-store.ts';

/** More than a pass normally reads by name. Each read that the pass does not use is a needless request. */
const MAX_READS = 4;

export type Get = (type: ResourceType, name: ObjectName) => Promise<KubeObject | undefined>;

/**
 * Reads that are sent at the same time as the read of the pass's own object (docs/decisions/0059). They are for objects
 * that the last committed pass read, so their edges exist, and they are sent under the lease. Each one is used for one
 * read of the pass. A read that the pass does not use leaves no version behind.
 */
export class ReadAhead {
  readonly #reads = new Map<ObjectKey, Promise<KubeObject | undefined>>();

  /**
   * Sends the reads of `last` again, for kinds that the controller declares unconditional and objects in the target's
   * namespace.
   */
  begin({ reads }: Controller, last: Pick<TargetState, 'edges' | 'target'>, get: Get): void {
    for (const { type, unconditional } of reads) {
      if (unconditional !== true) continue;
      for (const edge of last.edges) {
        const { kind, ...name } = parseObjectKey(edge);
        const isList = name.name === '*';
        if (isList || kind !== kindId(type) || name.namespace !== last.target.namespace) continue;
        if (this.#reads.size >= MAX_READS) return;
        const read = get(type, name);
        // The pass may end without using the read.
        read.catch(() => {});
        this.#reads.set(objectKey(kind, name), read);
      }
    }
  }

  /** The early read of an object. It is returned once; the next read is live. It rejects like a live read. */
  take(key: ObjectKey): Promise<KubeObject | undefined> | undefined {
    const read = this.#reads.get(key);
    this.#reads.delete(key);
    return read;
  }

  /** Drops all early reads. */
  drop(): void {
    this.#reads.clear();
  }
}
