import type { JsonObject } from '../../apiserver/json.ts';
import type { Change } from '../../apiserver/state/store.ts';
import type { StoredObject } from '../../apiserver/state/stored-object.ts';
import { fieldDifferences, pathText } from '../../core/field-differences.ts';
import type { ListedWrite } from '../../core/planned-writes.ts';
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
  /** All writes of passes, including those that a later pass undid. */
  creates: boolean;
  deletes: boolean;
  readonly paths: Set<string>;
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
    const known = this.#objects.get(object.uid) ?? newRecord({ collection, before, after });
    known.after = after;
    this.#objects.set(object.uid, known);
    const { target } = this.#pass;
    if (target === undefined) return;
    if (!known.by.has(target.uid)) known.by.set(target.uid, target);
    known.creates ||= before === undefined;
    known.deletes ||= after === undefined || isDeleting(after) !== isDeleting(before);
    if (after === undefined) return;
    for (const { path } of fieldDifferences(contentOf(before?.object), contentOf(after.object))) {
      known.paths.add(pathText(path));
    }
  }

  /** Each object that passes wrote, with every field that they wrote. */
  writes(): ListedWrite[] {
    return [...this.#objects.values()].flatMap(({ collection: kind, before, after, by, creates, deletes, paths }) => {
      const object = after ?? before;
      if (object === undefined || by.size === 0) return [];
      const { namespace, name } = object;
      return [{ kind, namespace, name, creates, deletes, paths: [...paths].sort() }];
    });
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

function newRecord(first: Pick<Recorded, 'collection' | 'before' | 'after'>): Recorded {
  return { ...first, by: new Map(), creates: false, deletes: false, paths: new Set() };
}

function isDeleting(stored: StoredObject | undefined): boolean {
  return (stored?.object.metadata as JsonObject | undefined)?.deletionTimestamp !== undefined;
}

/** The object without the fields that name its kind; empty for an absent object. */
export function contentOf(object: JsonObject | undefined): unknown {
  if (object === undefined) return {};
  const { apiVersion: _, kind: __, ...content } = object;
  return content;
}
