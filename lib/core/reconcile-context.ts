import type { DesiredObject, JsonObject, KubeObject, ObjectName } from './kube-object.ts';
import type { ResourceType } from './resource-type.ts';

/** Small durable values that a controller keeps on its target's item: at most 4 KB together. No secrets. */
export type DurableValues = Readonly<Record<string, string | number | boolean>>;

/**
 * What happens to the objects that a deleted object owns, as in the API of Kubernetes: deleted after it, deleted before it,
 * or kept. Default: as the kind has it.
 */
export type Propagation = 'Background' | 'Foreground' | 'Orphan';

/**
 * The only way for a controller to reach the cluster. A read stores a dependency first, so every later change starts a pass.
 * A mutation checks the lease, is skipped when nothing would change, and carries the UID and resourceVersion that were read.
 *
 * Errors: `ApiError` for what the API server answered (Forbidden, Conflict, time-out ...); `LeaseLostError` when the pass
 * must stop. Let both through unless the domain says otherwise.
 */
export interface ReconcileContext {
  readonly cluster: string;
  /** Epoch ms at which this attempt began. Decisions use this time and no other. */
  readonly nowMs: number;
  /** Aborts when the pass has used its time, and at its end. Hand it to every call that takes one. */
  readonly signal: AbortSignal;
  /** A uniform number in [0, 1), from the injected source. */
  random(): number;

  /**
   * Reads live, once per object and attempt; undefined when the object is absent (never when its kind is).
   * @param options.pollIntervalMs for kinds read by polling, instead of the kind's declared interval.
   */
  get(type: ResourceType, name: ObjectName, options?: { pollIntervalMs?: number }): Promise<KubeObject | undefined>;
  /** Reads live again, for a permission that must be checked immediately before it is used. */
  getAgain(type: ResourceType, name: ObjectName): Promise<KubeObject | undefined>;
  /**
   * Lists live and completely. An empty namespace lists all namespaces (declare it in `reads`). Of a kind that is watched by
   * label only what carries the label may be listed: name it in the selector, or declare the kind in `reads` as watched.
   */
  list(type: ResourceType, options: { namespace: string; labelSelector?: string }): Promise<KubeObject[]>;

  /** POST, never an upsert. @throws ApiError AlreadyExists: read the existing object and decide. */
  create(type: ResourceType, object: DesiredObject): Promise<KubeObject>;
  /**
   * Server-side apply with this controller's field manager onto an object that was read, guarded by its UID and
   * resourceVersion. Returns the object as it is now; nothing is sent when nothing would change.
   */
  apply(type: ResourceType, observed: KubeObject, object: DesiredObject): Promise<KubeObject>;
  /**
   * Targeted merge patch, guarded by the UID and resourceVersion that were read. Nothing is sent when nothing would change.
   * A patch or an apply of the target itself counts as a write of the pass, like its status: continue with the returned object.
   * If it changes the spec, another pass follows.
   */
  mergePatch(type: ResourceType, observed: KubeObject, patch: JsonObject): Promise<KubeObject>;
  /** Deletes exactly the object that was read (UID and resourceVersion preconditions). Success if it is absent; nothing is sent if it is being deleted. */
  delete(type: ResourceType, observed: KubeObject, options?: { propagation?: Propagation }): Promise<void>;

  /**
   * For external systems: throws LeaseLostError unless the lease is still ours with margin. Call it immediately before
   * each external mutation.
   */
  assertLease(): void;

  /**
   * For external systems: runs a call with a time limit of its own. Hand the signal to everything that the call awaits.
   * @param limitMs in milliseconds.
   * @throws EvenkeelError TIMED_OUT when the call took longer; the reason of `signal` when the pass ends first.
   */
  within<Result>(limitMs: number, call: (signal: AbortSignal) => Promise<Result>): Promise<Result>;

  /**
   * Publishes a status now, before the effect that it announces, guarded like the one at the end of the pass. Leave the
   * conditions as they are: the status at the end reports their transitions.
   * @returns the target after the write.
   */
  publishStatus(status: JsonObject): Promise<KubeObject>;

  readonly values: DurableValues;
  /** Writes the values under this pass's lease, now: before the effect that they describe. */
  saveValues(values: DurableValues): Promise<void>;

  /**
   * Writes a Kubernetes Event about the target, in addition to those of its condition transitions. It is written now, before
   * the effect that it announces, and never held back; a failure throws. `note` is cut to 1,024 bytes, `reason` and `action` to 128.
   */
  recordEvent(event: { type: 'Normal' | 'Warning'; reason: string; note: string; action: string }): Promise<void>;
}
