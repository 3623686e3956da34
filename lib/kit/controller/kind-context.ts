import type { ObjectName } from '../../core/kube-object.ts';
import type { DurableValues, ReconcileContext } from '../../core/reconcile-context.ts';
import type { ResourceType } from '../../core/resource-type.ts';
import type { DesiredOf, ObjectOf } from '../kind/typed-kind.ts';

/** The name of an object in the namespace of the reconciled object, or its full address. */
export type NameOrAddress = string | ObjectName;

/**
 * The methods by which a controller of `defineController` uses the cluster. A plain name is a name in the namespace of
 * the reconciled object. Every read is a dependency: a later change of the object that was read starts a pass.
 * Errors: `ApiError` for an answer of the API server; `TerminalError` OwnershipConflict when an object of another owner
 * has the name; `LeaseLostError` when the pass must stop. Do not catch them: the pass is retried, and the object shows
 * the reason.
 */
export interface KindContext {
  readonly cluster: string;
  /** Epoch ms at which this attempt started. Use only this time for decisions. */
  readonly nowMs: number;
  /** Aborts when the pass has used its time, and at its end. */
  readonly signal: AbortSignal;
  /** A uniform number in [0, 1). */
  random(): number;

  /**
   * Reads live, once for each object and attempt. Undefined when the object is absent. Declare the kind in `owns` or
   * `reads`.
   */
  get<Type extends ResourceType>(type: Type, name: NameOrAddress): Promise<ObjectOf<Type> | undefined>;
  /**
   * Lists live and completely.
   * @param options.namespace by default the namespace of the reconciled object; '' lists all namespaces (declare that
   * in `reads`).
   * @param options.labelSelector for a kind that is only in `owns`, evenkeel's own label is added.
   */
  list<Type extends ResourceType>(
    type: Type,
    options?: { readonly namespace?: string; readonly labelSelector?: string },
  ): Promise<ObjectOf<Type>[]>;

  /**
   * Makes an owned object match: creates it with the reconciled object as its owner, or repairs it by server-side
   * apply. Sends nothing when nothing would change. The kind must be in `owns`.
   * @returns the object after that.
   * @throws TerminalError OwnershipConflict when the object exists and the reconciled object does not own it; it is not
   * changed.
   */
  ensure<Type extends ResourceType>(type: Type, name: NameOrAddress, desired: DesiredOf<Type>): Promise<ObjectOf<Type>>;
  /**
   * Deletes an owned object, and confirms by a read that it is gone. An object that is not owned is not changed and
   * counts as absent. While the object still exists, `finalize` is not finished: the deletion of the object starts
   * another pass. If the call throws, `finalize` is not finished either, even if it catches the error.
   * @returns whether the object is absent now.
   */
  absent(type: ResourceType, name: NameOrAddress): Promise<boolean>;

  /**
   * Calls an external system under the lease of this pass.
   * @param name names the system in messages, e.g. `DNS`.
   * @param call must be idempotent; pass the signal to everything that it awaits.
   * @param options.timeoutMs the longest time for `call`, and for `confirm`.
   * @param options.confirm reads whether the effect exists.
   * @throws ExternalError when the call or the confirmation failed, took too long, or did not confirm. Its text is not
   * shown. If `reconcile` does not catch the error, the pass is retried. `finalize` is called again even if it catches
   * the error.
   */
  external<Result>(
    name: string,
    call: (signal: AbortSignal) => Promise<Result>,
    options: { readonly timeoutMs: number; readonly confirm?: (signal: AbortSignal) => Promise<boolean> },
  ): Promise<Result>;

  /** Small durable values of this object: at most 4 KB in total, no secrets. */
  readonly values: DurableValues;
  /** Stores the values now. Call it before the effect that they describe. */
  saveValues(values: DurableValues): Promise<void>;
  recordEvent: ReconcileContext['recordEvent'];

  /** The complete context of the engine, for features that the methods above do not offer. */
  readonly engine: ReconcileContext;
}
