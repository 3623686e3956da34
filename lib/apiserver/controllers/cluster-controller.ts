import type { BackgroundController } from '../background/background.ts';
import { clone, ensureObject, type JsonObject, objectsAt } from '../json.ts';
import { apiTime, type ServerState } from '../state/server-state.ts';
import type { StoredObject } from '../state/stored-object.ts';
import { internalWrite } from '../state/target.ts';
import { updateObject } from '../verbs/update-object.ts';

/** A stand-in for one of the controllers of a real cluster. It is off at the start. */
export interface ClusterController extends BackgroundController {
  readonly on: boolean;
  /** Switches it on and checks all existing objects. */
  switchOn(): void;
  switchOff(): void;
}

/** Writes the status of an object, as its controller would. */
export function writeStatus(
  state: ServerState,
  collection: string,
  { namespace, name }: StoredObject,
  change: (status: JsonObject) => void,
): void {
  const type = state.kinds.byCollection(collection);
  if (type === undefined) return;
  const produce = (present: JsonObject): JsonObject => {
    const copy = clone(present);
    change(ensureObject(copy, 'status'));
    return copy;
  };
  const target = { type, version: type.storageVersion, namespace, name };
  updateObject(state, target, produce, { ...internalWrite, subresource: 'status' });
}

/** Sets a condition. Its lastTransitionTime changes only with its status. `extra` has the times that the kind adds. */
export function setCondition(
  state: ServerState,
  status: JsonObject,
  condition: { readonly type: string; readonly status: string; readonly reason?: string; readonly message?: string },
  extra: readonly string[] = [],
): void {
  const conditions = objectsAt(status, 'conditions');
  const present = conditions.find((each) => each.type === condition.type);
  const now = apiTime(state.clock());
  const unchanged = present?.status === condition.status;
  const written: JsonObject = { ...condition };
  for (const field of ['lastTransitionTime', ...extra]) written[field] = unchanged ? (present?.[field] ?? now) : now;
  status.conditions =
    present === undefined ? [...conditions, written] : conditions.map((each) => (each === present ? written : each));
}
