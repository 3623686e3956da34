import type { ListedWrite } from '../../core/planned-writes.ts';
import type { LastOutcomeType } from '../../ports/target-store.ts';

/** Names an object in a plan. */
export interface PlannedName {
  /** The id of the kind, e.g. `deployments.apps`. */
  readonly kind: string;
  /** '' for an object in no namespace. */
  readonly namespace: string;
  readonly name: string;
}

/** One field that would change. Values of Secrets, and values that came from one, are never part of it. */
export type PlannedField =
  | { readonly path: string; readonly before?: unknown; readonly after?: unknown }
  | { readonly path: string; readonly hidden: 'changed' };

/** `status`: nothing but the status changes. `applied`: anything else of an object that exists. */
export type ChangeType = 'deleted' | 'created' | 'applied' | 'status';

/** One object that would change. */
export interface PlannedChange extends PlannedName {
  readonly change: ChangeType;
  readonly uid: string;
  /** The objects whose passes would write it; none when the API server does it by itself, as for owned objects. */
  readonly by: readonly PlannedName[];
  /** Sorted by path; none for a deletion. */
  readonly fields: readonly PlannedField[];
}

/** A call of a controller to something outside the cluster. It is reported instead of made. */
export interface ExternalCall {
  readonly by: PlannedName;
  /** The adapter and the method, never with its arguments. */
  readonly call: string;
}

/** A connection that a controller opened by itself. It is refused. */
export interface RefusedConnection {
  /** Undefined outside of all passes, such as while a module is loaded. */
  readonly by: PlannedName | undefined;
  /** `host:port`, or `host:port (UDP)`. */
  readonly to: string;
  readonly stack: readonly string[];
}

/** What a CustomResourceDefinition of the planned version does to an object that is stored already. */
export interface PlannedEffect {
  readonly namespace: string;
  readonly name: string;
  /** Fields that the new schema refuses, each with Kubernetes' word for the fault. The next write of them is refused. */
  readonly invalid: readonly { readonly path: string; readonly reason: string }[];
  /** Fields that the API server drops. */
  readonly lost: readonly string[];
  /** Fields that get a default. */
  readonly gained: readonly string[];
}

export interface PlannedDefinition {
  /** E.g. `shops.example.com`. */
  readonly name: string;
  /** The stored objects that it affects. */
  readonly objects: readonly PlannedEffect[];
}

/** An object, or a kind, that could not be planned. */
export interface PlanError extends PlannedName {
  readonly error: string;
}

/** How the last pass of a reconciled object would end. */
export interface PlannedOutcome extends PlannedName {
  readonly outcome: LastOutcomeType | '';
  readonly reason: string;
}

export interface PlanReport {
  /** Reconciled objects whose passes would change nothing. */
  readonly unchanged: number;
  /** Objects of the cluster that would change. */
  readonly changed: number;
  readonly errors: readonly PlanError[];
  readonly restartedPods: number;
  readonly deletedObjects: number;
  readonly touchedSecrets: number;
  /** Deletions first, then by kind, namespace and name. */
  readonly objects: readonly PlannedChange[];
  /**
   * What passes write on the way to these changes, by object: with every field, also of writes that a later one takes back. A
   * rollout can be held to it.
   */
  readonly writes: readonly ListedWrite[];
  /** The CustomResourceDefinitions that change and affect stored objects. */
  readonly definitions: readonly PlannedDefinition[];
  /** The planned CustomResourceDefinitions that may not be read in the cluster, and so could not be compared. */
  readonly uncomparedDefinitions: readonly string[];
  readonly externalCalls: readonly ExternalCall[];
  readonly refusedConnections: readonly RefusedConnection[];
  /** The reconciled objects that do not end settled or with a timer. */
  readonly outcomes: readonly PlannedOutcome[];
}
