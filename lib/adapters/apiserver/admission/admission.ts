import { forbidden } from '../api-error.ts';
import { type JsonObject, objectAt, stringAt } from '../json.ts';
import type { ServerState } from '../server-state.ts';
import type { Target } from '../verbs/target.ts';

/** A creation or an update of a main resource, as an admission webhook sees it. */
export interface AdmissionRequest {
  readonly operation: 'CREATE' | 'UPDATE';
  readonly group: string;
  /** The plural: `pods`. */
  readonly resource: string;
  readonly namespace: string;
  /** As it was sent; it must not be changed. */
  readonly object: JsonObject;
  /** Refuses the request with 403 and this reason. */
  refuse(why: string): never;
}

/** Returns the object as it is let in: the given one, or a changed copy. */
export type Admission = (request: AdmissionRequest) => JsonObject;

/** The object as all admissions let it in. What they change counts as written by the client, as on the real server. */
export function admitted(
  { admissions }: ServerState,
  operation: AdmissionRequest['operation'],
  { type, namespace }: Target,
  object: JsonObject,
): JsonObject {
  const refuse = (why: string): never => {
    throw forbidden(type, stringAt(objectAt(object, 'metadata'), 'name'), why);
  };
  const { group, resource } = type;
  return [...admissions].reduce(
    (current, admission) => admission({ operation, group, resource, namespace, object: current, refuse }),
    object,
  );
}
