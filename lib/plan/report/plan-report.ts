import type { ListedWrite } from '../../core/planned-writes.ts';
import type { LastOutcomeType } from '../../ports/target-store.ts';

/** Names an object in a plan. */
export interface PlannedName {
  /** The id of the kind, e.g. `deployments.apps`. */
  readonly kind: string;
  /** '' for a cluster-scoped object. */
  readonly namespace: string;
  readonly name: string;
}

/** One field that would change. It never contains a value of a Secret, or one that came from a Secret. */
export type PlannedField =
  | { readonly path: string; readonly before?: unknown; readonly after?: unknown }
  | { readonly path: string; readonly hidden: 'changed' };

/** `status`: only the status changes. `applied`: another change of an existing object. */
export type ChangeType = 'deleted' | 'created' | 'applied' | 'status';

/** One object that would change. */
export interface PlannedChange extends PlannedName {
  readonly change: ChangeType;
  readonly uid: string;
  /**
   * The objects whose passes would write it. Empty when the API server writes it by itself, as it does for owned
   * objects.
   */
  readonly by: readonly PlannedName[];
  /** Sorted by path; none for a deletion. */
  readonly fields: readonly PlannedField[];
}

/** A controller's call to a service outside the cluster. The plan reports it and does not make it. */
export interface ExternalCall {
  readonly by: PlannedName;
  /** The adapter and the method, never with its arguments. */
  readonly call: string;
}

/** A connection that a controller opened without a client of its group. It is refused. */
export interface RefusedConnection {
  /** Undefined outside of a pass, e.g. while a module is loaded. */
  readonly by: PlannedName | undefined;
  /** `host:port`, or `host:port (UDP)`. */
  readonly to: string;
  readonly stack: readonly string[];
}

/** The effect of a planned CustomResourceDefinition on a stored object. */
export interface PlannedEffect {
  readonly namespace: string;
  readonly name: string;
  /**
   * Fields that the new schema refuses, each with Kubernetes' name of the fault. The next write of the object is
   * refused.
   */
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
   * All writes of passes that lead to these changes, by object and with every field. Writes that a later one undoes are
   * included. A rollout can be limited to these writes.
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
