import type { DesiredObject, JsonObject, KubeObject, ObjectName } from './kube-object.ts';
import type { ResourceType } from './resource-type.ts';

/** Small durable values that a controller stores in its target's item: at most 4 KB in total. No secrets. */
export type DurableValues = Readonly<Record<string, string | number | boolean>>;

export type Propagation = 'Background' | 'Foreground' | 'Orphan';

/**
 * The only way for a controller to reach the cluster. A read stores a dependency first, so every later change starts a
 * pass. A write checks the lease, is skipped when nothing would change, and has the UID and resourceVersion that were
 * read as preconditions.
 * Errors: `ApiError` for an answer of the API server (Forbidden, Conflict, time-out ...); `LeaseLostError` when the
 * pass must stop. Do not catch them unless the domain requires it.
 */
export interface ReconcileContext {
  readonly cluster: string;
  /** Epoch ms at which this attempt started. Use only this time for decisions. */
  readonly nowMs: number;
  /** Aborts when the pass has used its time, and at its end. Pass it to every call that accepts a signal. */
  readonly signal: AbortSignal;
  /** A uniform number in [0, 1), from the injected source. */
  random(): number;

  /**
   * Reads live, once for each object and attempt. Undefined when the object is absent (never when its kind is absent).
   * @param options.pollIntervalMs for kinds read by polling, instead of the kind's declared interval.
   */
  get(type: ResourceType, name: ObjectName, options?: { pollIntervalMs?: number }): Promise<KubeObject | undefined>;
  /** Reads live again, for a permission that must be checked immediately before its use. */
  getAgain(type: ResourceType, name: ObjectName): Promise<KubeObject | undefined>;
  /**
   * Lists live and completely. An empty namespace lists all namespaces (declare that in `reads`). If the kind is
   * watched by label, only objects with the label may be listed: name the label in the selector, or declare the kind in
   * `reads` as watched.
   */
  list(type: ResourceType, options: { namespace: string; labelSelector?: string }): Promise<KubeObject[]>;

  /** A POST, never an upsert. @throws ApiError AlreadyExists: read the existing object and decide. */
  create(type: ResourceType, object: DesiredObject): Promise<KubeObject>;
  /**
   * Server-side apply with this controller's field manager to an object that was read, with its UID and resourceVersion
   * as preconditions. Returns the object after that. Sends nothing when nothing would change.
   */
  apply(type: ResourceType, observed: KubeObject, object: DesiredObject): Promise<KubeObject>;
  /**
   * A merge patch with the UID and resourceVersion that were read as preconditions. Sends nothing when nothing would
   * change. A patch or an apply of the target itself counts as a write of the pass, like its status: continue with the
   * returned object. If it changes the spec, another pass follows.
   */
  mergePatch(type: ResourceType, observed: KubeObject, patch: JsonObject): Promise<KubeObject>;
  /**
   * Deletes exactly the object that was read (UID and resourceVersion are preconditions). Succeeds if it is absent.
   * Sends nothing if it is already being deleted.
   */
  delete(type: ResourceType, observed: KubeObject, options?: { propagation?: Propagation }): Promise<void>;

  /**
   * For external systems: throws LeaseLostError unless the lease is still ours with margin. Call it immediately before
   * each external mutation.
   */
  assertLease(): void;

  /**
   * For external systems: runs a call with its own time limit. Pass the signal to everything that the call awaits.
   * @param limitMs in milliseconds.
   * @throws EvenkeelError TIMED_OUT when the call took longer; the reason of `signal` when the pass ends first.
   */
  within<Result>(limitMs: number, call: (signal: AbortSignal) => Promise<Result>): Promise<Result>;

  /**
   * Publishes a status now, before the effect that it announces. It is guarded like the one at the end of the pass. Do
   * not change the conditions: the status at the end reports their transitions.
   * @returns the target after the write.
   */
  publishStatus(status: JsonObject): Promise<KubeObject>;

  readonly values: DurableValues;
  /** Stores the values now, under this pass's lease. Call it before the effect that they describe. */
  saveValues(values: DurableValues): Promise<void>;

  /**
   * Writes a Kubernetes Event about the target, in addition to those of its condition transitions. It is written now,
   * before the effect that it announces, and never held back; a failure throws. `note` is cut to 1,024 bytes, `reason`
   * and `action` to 128.
   */
  recordEvent(event: { type: 'Normal' | 'Warning'; reason: string; note: string; action: string }): Promise<void>;
}
