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
  /** For polled objects; 30 s at least. */
  readonly pollIntervalMs?: number;
  /** Some pass lists the kind over all namespaces: the relay looks for such readers too. */
  readonly listsAllNamespaces?: boolean;
  /**
   * A pass may read any object of this kind in the namespace of its own object, whatever that object says: it looks for no
   * permission first. Then the engine reads the objects that the last pass read at the same time as the pass's own object.
   * For mode `watch` only. Never set it for a kind that needs a grant inside of a namespace too.
   */
  readonly unconditional?: boolean;
}

/** What `reconcile` of a `Controller` returns: how the pass ended, and the status to publish. */
export interface ReconcileResult {
  readonly outcome: Outcome;
  /**
   * The whole status to publish, or undefined to leave it as it is. Written by a merge patch, only when it differs in
   * meaning: fields that are left out here are removed from the object.
   */
  readonly status?: JsonObject;
  /**
   * The object is not ready, and nobody needs to act: what the controller waits for is on its way, and its change starts the
   * next pass. Shown as Reconciling instead of Stalled. False: no timer helps either, so it is Stalled while one is
   * due. Left out: Reconciling while a timer is due.
   */
  readonly progressing?: boolean;
}

/** What an author writes. The author decides; the engine does keys, leases, retries and resync. */
export interface Controller {
  /** Kebab-case; the field manager is `evenkeel-<name>`. */
  readonly name: string;
  /** The controller group it is installed with. */
  readonly group: string;
  readonly type: ResourceType;
  /** The kinds it creates, watched by label; their changes start passes of the controller owner and of every reader. */
  readonly owns: readonly ResourceType[];
  /** Every other kind it reads through the context. */
  readonly reads: readonly ReadKind[];
  /**
   * Its passes own or read objects outside their target's namespace. In an installation limited to namespaces those kinds
   * are still watched in all namespaces, which needs a ClusterRole.
   */
  readonly reachesAllNamespaces?: boolean;
  /** Only objects of its kind that carry the managed-by label are targets; the relay watches no others. */
  readonly onlyManaged?: boolean;
  /**
   * Raise it when the new code must reconcile unchanged objects again. `reconcilerVersion` makes a version that
   * also changes with settings.
   */
  readonly version: string;
  /**
   * When set, the engine adds this finalizer before the first reconcile and calls `finalize` on a deleting object; it
   * removes the finalizer only after `finalize` returned done, in the same pass.
   */
  readonly finalizer?: string;
  /**
   * Whether an object is proven to be owned by `owner`; only such objects are deleted. Default: the
   * rule of `isOwnedBy`.
   */
  isOwned?(object: KubeObject, owner: KubeObject): boolean;
  reconcile(object: KubeObject, context: ReconcileContext): Promise<ReconcileResult>;
  finalize?(object: KubeObject, context: ReconcileContext): Promise<FinalizeResult>;
  /**
   * The types of all conditions that it publishes, Ready or Available among them. A type that is declared and not in a status
   * is removed from the object; conditions of other types are left as they are. Default: the types that its passes
   * published are recorded. `[]`: the kind has no conditions, and the engine adds none.
   */
  readonly conditions?: readonly string[];
  /**
   * Names of the durable values that `evenkeel explain` may show. It shows only the names of the others, because they may be
   * secret. Default: it shows no value.
   */
  readonly shownValues?: readonly string[];
  /**
   * The status of a deleting object after its cleanup, while finalizers of others hold it: without the names of what is
   * gone. A pure function. The engine sets the conditions: Ready, or Available, becomes False, and no other
   * condition of the controller stays True. Default: the other fields stay as they are.
   */
  released?(object: KubeObject): JsonObject;
  /**
   * Called when the object is gone, to drop series and other process-local traces. No I/O. An error that it throws is reported
   * and has no other effect.
   */
  forgotten?(object: { cluster: string; kind: KindId; namespace: string; name: string; uid: string }): void;
}

/** `done`: everything that the policy removes was confirmed absent in this pass (I6). */
export type FinalizeResult =
  | { readonly done: true }
  | { readonly done: false; readonly outcome: Outcome; readonly status?: JsonObject };
