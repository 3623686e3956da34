import type { ReadKind } from '../../core/controller.ts';
import type { ResourceType } from '../../core/resource-type.ts';
import type { Kind } from '../kind/define-kind.ts';
import type { KindObject } from '../kind/kind-object.ts';
import type { KindContext } from './kind-context.ts';
import type { KindResult } from './kind-result.ts';

/** The definition of a controller, as its author writes it. */
export interface ControllerDefinition<Spec, Status> {
  readonly kind: Kind<Spec, Status>;
  /** Kebab-case; default: the kind in lower case. The field manager is `evenkeel-<name>`. */
  readonly name?: string;
  /** The controller group that it is installed in, with its queues, roles and Lease. Default: `name`. */
  readonly group?: string;
  /** The kinds that the controller creates by `context.ensure`. */
  readonly owns?: readonly ResourceType[];
  /** Every other kind that the controller reads. A plain kind is watched. */
  readonly reads?: readonly (ResourceType | ReadKind)[];
  /** Raise it when the new code must reconcile unchanged objects again. Default `1`. */
  readonly version?: string;
  /** True, or the finalizer's name. Default: true when there is `finalize`. */
  readonly finalizer?: true | string;
  /** The types of its own conditions, in addition to Ready, Reconciling and Stalled. */
  readonly conditions?: readonly string[];
  reconcile(object: KindObject<Spec, Status>, context: KindContext): Promise<KindResult<Status>>;
  /**
   * Cleans up what is outside of the cluster, or what must be removed in a certain order. It is finished when it
   * returned, every `context.absent` returned true and every `context.external` was confirmed; otherwise it is called
   * again. After that, evenkeel removes the owned objects that are left.
   */
  finalize?(object: KindObject<Spec, Status>, context: KindContext): Promise<void>;
}
