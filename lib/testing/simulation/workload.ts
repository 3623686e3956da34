import type { ControllerName } from '../../apiserver/controllers/cluster-controllers.ts';
import type { AdmissionRequest, AdmissionReview } from '../../apiserver/state/admission.ts';
import type { Controller } from '../../core/controller.ts';
import type { KubeObject, ObjectName } from '../../core/kube-object.ts';
import type { ResourceType } from '../../core/resource-type.ts';
import type { ControllerHost } from './controller-host.ts';
import type { EvidenceRule } from './invariants/evidence.ts';
import type { FinalizedRule } from './invariants/finalizers.ts';
import type { InvariantId } from './invariants/violation.ts';
import type { User } from './user.ts';

/** The true state of the cluster, independent of what any process has seen. Read only. */
export interface ClusterView {
  /** True time, epoch ms. */
  readonly nowMs: number;
  /** The cluster was restored from a backup, so objects may have vanished without a trace. */
  readonly restored: boolean;
  get(type: ResourceType, name: ObjectName): KubeObject | undefined;
  list(type: ResourceType, namespace?: string): KubeObject[];
}

/** What is wrong at rest: a text, which is reported as `CHECK`, or a text with the number of another invariant. */
export type Fault = string | { readonly invariant: InvariantId; readonly what: string };

/** An action of users. */
export type Action = (user: User) => Promise<unknown>;

/** Controllers under test, what users do with them, and what must be true of them. */
export interface Workload {
  /**
   * The controllers, or a function that makes those of one process, for controllers that call more than the cluster.
   */
  readonly controllers: readonly Controller[] | ((host: ControllerHost) => readonly Controller[]);
  /** Their CRDs. */
  readonly definitions: readonly object[];
  /** Stand-ins for the cluster's own controllers, which act on the objects as in a real cluster. */
  readonly standIns?: readonly ControllerName[];
  /** An admission that changes or refuses objects. It may read the present state of the cluster. */
  readonly admission?: (request: AdmissionRequest, cluster: Pick<ClusterView, 'get'>) => AdmissionReview;
  /** Runs before any fault happens. */
  readonly prepare?: Action;
  /** The actions of users, by their name in a timeline. */
  readonly actions: Readonly<Record<string, Action>>;
  /**
   * Whether users also take the names of objects that are about to be created. If so, `check` must allow objects
   * without an owner.
   */
  readonly namesAreTaken?: boolean;
  /**
   * The namespaces of all objects of the workload. It also declares that only users write its targets. With it, some
   * seeds run an installation that is limited to these namespaces, or by labels that users must set.
   */
  readonly namespaces?: readonly string[];
  /**
   * Whether many targets read one object that is edited often. When two readers make a change wide, the number of
   * messages for a target then must not grow with the edits.
   */
  readonly crowd?: boolean;
  /** Changes something that nobody watches. The resync timer of each target repairs it, in seeds that have one. */
  readonly drift?: Action;
  /** What users do after the last fault and after the last change, if the objects would not come to rest otherwise. */
  readonly settle?: Action;
  /** The last change in the steady state, which passes must handle at once; by default, any of the actions. */
  readonly lastChange?: Action;
  /** How often the rare situations of this workload occurred in this run, by name. For the summary. */
  readonly drawn?: () => Readonly<Record<string, number>>;
  /** What is wrong with the reached state, computed only from the objects. Empty once all has converged. */
  readonly check?: (cluster: ClusterView) => Fault[];
  /** Whether a target never comes to rest, because its passes fail or hang forever. */
  readonly restless?: (target: KubeObject) => boolean;
  /** Whether a target that is being deleted waits for something that only users can do. If so, it may stay. */
  readonly waits?: (target: KubeObject, cluster: ClusterView) => boolean;
  /** The evidence that a published status needs (I4). */
  readonly evidence?: EvidenceRule;
  /** What must be confirmed absent when a finalizer is removed (I6). Owned objects are checked without it. */
  readonly finalized?: FinalizedRule;
}
