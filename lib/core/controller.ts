import type { JsonObject, KubeObject } from './kube-object.ts';
import type { Outcome } from './outcome.ts';
import type { ReconcileContext } from './reconcile-context.ts';
import type { KindId, ResourceType } from './resource-type.ts';

/** How the engine finds changes of a kind that a controller reads. */
export type ReadMode =
  /** The relay watches all objects of the kind (metadata only). */
  | 'watch'
  /** The relay watches objects that carry this installation's label; others are polled by exact name. */
  | 'watch-labelled'
  /** No watch permission: one GET of each object in each interval. */
  | 'poll';

/** A kind that a controller reads without owning it, and how the engine finds changes of it. */
export interface ReadKind {
  readonly type: ResourceType;
  readonly mode: ReadMode;
  /** For polled objects; at least 30 s. */
  readonly pollIntervalMs?: number;
  /** Whether some pass lists the kind over all namespaces. If so, the relay looks for such readers too. */
  readonly listsAllNamespaces?: boolean;
  /** False when no pass lists the kind. Then the role of the group does not permit it either. Default: true. */
  readonly lists?: boolean;
  /**
   * Whether a pass may read any object of this kind in the namespace of its own object, whatever that object contains,
   * without a check of a permission. If so, the engine reads the objects that the last pass read at the same time as
   * the pass's own object. Only for the mode `watch`. Never set it for a kind that needs a grant inside of a namespace
   * too.
   */
  readonly unconditional?: boolean;
}

/** What `reconcile` of a `Controller` returns: how the pass ended, and the status to publish. */
export interface ReconcileResult {
  readonly outcome: Outcome;
  /**
   * The whole status to publish, or undefined to keep the present one. It is written by a merge patch, only when its
   * meaning changes. Fields that are left out here are removed from the object.
   */
  readonly status?: JsonObject;
  /**
   * True: the object is not ready, and nobody needs to act; a change of what the controller waits for starts the next
   * pass. It is shown as Reconciling instead of Stalled. False: a timer does not help either, so it is shown
   * as Stalled while one is due. Absent: Reconciling while a timer is due.
   */
  readonly progressing?: boolean;
}

/** The part that an author writes. The author decides; the engine handles keys, leases, retries and resync. */
export interface Controller {
  /** Kebab-case; the field manager is `evenkeel-<name>`. */
  readonly name: string;
  /** The controller group that it is installed with. */
  readonly group: string;
  readonly type: ResourceType;
  /**
   * The kinds that it creates. They are watched by label; their changes start passes of the controller owner and of
   * every reader.
   */
  readonly owns: readonly ResourceType[];
  /** Every other kind that it reads through the context. */
  readonly reads: readonly ReadKind[];
  /**
   * Whether its passes own or read objects outside their target's namespace. In an installation limited to namespaces
   * those kinds are still watched in all namespaces, which needs a ClusterRole.
   */
  readonly reachesAllNamespaces?: boolean;
  /** Whether only objects with the managed-by label are targets. The relay then watches no others. */
  readonly onlyManaged?: boolean;
  /**
   * Raise it when the new code must reconcile unchanged objects again. `reconcilerVersion` makes a version that
   * also changes with settings.
   */
  readonly version: string;
  /**
   * When set, the engine adds this finalizer before the first reconcile, and calls `finalize` on a deleting object. It
   * removes the finalizer only after `finalize` returned done in the same pass.
   */
  readonly finalizer?: string;
  /**
   * Whether it is proven that `owner` owns an object; only such objects are deleted. Default: the rule
   * of `isOwnedBy`.
   */
  isOwned?(object: KubeObject, owner: KubeObject): boolean;
  reconcile(object: KubeObject, context: ReconcileContext): Promise<ReconcileResult>;
  finalize?(object: KubeObject, context: ReconcileContext): Promise<FinalizeResult>;
  /**
   * The types of all conditions that it publishes, including Ready or Available. A type that is declared and not in a
   * status is removed from the object. Conditions of other types are not changed. Default: the types that its
   * passes published are recorded. `[]`: the kind has no conditions, and the engine adds none.
   */
  readonly conditions?: readonly string[];
  /**
   * Names of the durable values that `evenkeel explain` may show. It shows only the names of the others, because they may be
   * secret. Default: it shows no value.
   */
  readonly shownValues?: readonly string[];
  /**
   * The status of a deleting object after its cleanup, while finalizers of others keep it: without the names of removed
   * objects. A pure function. The engine sets the conditions: Ready, or Available, becomes False, and no other
   * condition of the controller stays True. Default: the other fields do not change.
   */
  released?(object: KubeObject): JsonObject;
  /**
   * Called when the object is gone, to remove series and other data in this process. No I/O. If it throws, the
   * error is reported and has no other effect.
   */
  forgotten?(object: { cluster: string; kind: KindId; namespace: string; name: string; uid: string }): void;
}

/** `done`: everything that the policy removes was confirmed absent in this pass (I6). */
export type FinalizeResult =
  | { readonly done: true }
  | { readonly done: false; readonly outcome: Outcome; readonly status?: JsonObject };
