import type { JsonObject } from '../../apiserver/json.ts';
import type { Change } from '../../apiserver/state/store.ts';
import type { StoredObject } from '../../apiserver/state/stored-object.ts';
import type { Target } from '../../core/target.ts';
import type { CurrentPass } from './current-pass.ts';

/** One object of the cluster before and after the plan. */
export interface ObjectChange {
  /** The id of its kind, e.g. `deployments.apps`. */
  readonly collection: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Absent for an object that the plan creates. */
  readonly before: JsonObject | undefined;
  /** Absent for an object that the plan deletes. */
  readonly after: JsonObject | undefined;
  /** The objects whose passes wrote it, in the order of their first write. Empty when only the API server wrote it. */
  readonly by: readonly Target[];
}

/** Kubernetes Events are reports, not state that a controller maintains. */
const REPORTS = 'events';

interface Recorded {
  readonly collection: string;
  readonly before: StoredObject | undefined;
  after: StoredObject | undefined;
  readonly by: Map<string, Target>;
}

/** Records the first and the last state of every object that is written in the fork, by UID. */
export class ChangeRecorder {
  /** The number of Kubernetes Events that would be sent. */
  events = 0;
  readonly #pass: CurrentPass;
  readonly #objects = new Map<string, Recorded>();

  constructor(pass: CurrentPass) {
    this.#pass = pass;
  }

  record({ collection, before, after }: Change): void {
    const object = after ?? before;
    if (object === undefined) return;
    if (collection === REPORTS) {
      this.events += 1;
      return;
    }
    const known = this.#objects.get(object.uid) ?? { collection, before, after, by: new Map<string, Target>() };
    known.after = after;
    const { target } = this.#pass;
    if (target !== undefined && !known.by.has(target.uid)) known.by.set(target.uid, target);
    this.#objects.set(object.uid, known);
  }

  /** The changed objects, without those that were created and deleted again. */
  changes(): ObjectChange[] {
    return [...this.#objects].flatMap(([uid, { collection, before, after, by }]) => {
      const object = after ?? before;
      if (object === undefined || (before === undefined && after === undefined)) return [];
      const { namespace, name } = object;
      const states = { before: before?.object, after: after?.object };
      return [{ collection, namespace, name, uid, ...states, by: [...by.values()] }];
    });
  }
}
