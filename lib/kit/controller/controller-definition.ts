import type { ReadKind } from '../../core/controller.ts';
import type { ResourceType } from '../../core/resource-type.ts';
import type { Kind } from '../kind/define-kind.ts';
import type { KindObject } from '../kind/kind-object.ts';
import type { ContextOf } from './declared-context.ts';
import type { KindResult } from './kind-result.ts';

/**
 * What an author writes of a controller. `Owns` and `Reads` are the literal lists, which `defineController` infers: its context
 * then takes these kinds only. By default it takes every kind.
 */
export interface ControllerDefinition<
  Spec,
  Status,
  Owns extends readonly ResourceType[] = readonly ResourceType[],
  Reads extends readonly (ResourceType | ReadKind)[] = readonly (ResourceType | ReadKind)[],
> {
  readonly kind: Kind<Spec, Status>;
  /** Kebab-case; default: the kind in lower case. The field manager is `evenkeel-<name>`. */
  readonly name?: string;
  /** The controller group that it is installed in, with its queues, roles and Lease. Default: `name`. */
  readonly group?: string;
  /** The kinds that it creates by `context.ensure`. */
  readonly owns?: Owns;
  /** Every other kind that it reads. A plain kind is watched. */
  readonly reads?: Reads;
  /** Raise it when the new code must reconcile unchanged objects again. Default `1`. */
  readonly version?: string;
  /** True, or the finalizer's name. Default: true when there is `finalize`. */
  readonly finalizer?: true | string;
  /** The types of its own conditions, in addition to Ready, Reconciling and Stalled. */
  readonly conditions?: readonly string[];
  reconcile(object: KindObject<Spec, Status>, context: ContextOf<Owns, Reads>): Promise<KindResult<Status>>;
  /**
   * Cleans up what is outside of the cluster, or what must be removed in a certain order. It is finished when it
   * returned, every `context.absent` returned true and every `context.external` was confirmed; otherwise it is called
   * again. After that, evenkeel removes the owned objects that are left.
   */
  finalize?(object: KindObject<Spec, Status>, context: ContextOf<Owns, Reads>): Promise<void>;
}
