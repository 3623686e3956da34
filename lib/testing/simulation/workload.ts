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

/** The cluster as it is, whatever anybody was told of it. Read only. */
export interface ClusterView {
  /** True time, epoch ms. */
  readonly nowMs: number;
  /** The cluster was restored from a backup: objects may have vanished as if they had never been. */
  readonly restored: boolean;
  get(type: ResourceType, name: ObjectName): KubeObject | undefined;
  list(type: ResourceType, namespace?: string): KubeObject[];
}

/** What is wrong at rest: a text, which is told as `CHECK`, or with the number of another invariant. */
export type Fault = string | { readonly invariant: InvariantId; readonly what: string };

/** Something that users do. */
export type Action = (user: User) => Promise<unknown>;

/** Controllers under test, what users do with them, and what must be true of them. */
export interface Workload {
  /** The controllers, or what makes those of one process where they reach more than the cluster. */
  readonly controllers: readonly Controller[] | ((host: ControllerHost) => readonly Controller[]);
  /** Their CRDs. */
  readonly definitions: readonly object[];
  /** Stand-ins for the cluster's own controllers, which make of what is asked for what is there. */
  readonly standIns?: readonly ControllerName[];
  /** What the cluster changes or refuses on its way in; it may look at the cluster as it is then. */
  readonly admission?: (request: AdmissionRequest, cluster: Pick<ClusterView, 'get'>) => AdmissionReview;
  /** Done before anything fails. */
  readonly prepare?: Action;
  /** By what a timeline calls them. */
  readonly actions: Readonly<Record<string, Action>>;
  /** Users also take the names of objects that are about to be created: `check` knows of objects that are nobody's. */
  readonly namesAreTaken?: boolean;
  /**
   * All of it lies in these namespaces, and users alone write its targets. Where it says so, some seeds run an installation
   * that is limited to them, or by labels that users must give.
   */
  readonly namespaces?: readonly string[];
  /**
   * One object is read by many targets and edited often: where few readers are many, messages for a target do not grow with
   * the edits.
   */
  readonly crowd?: boolean;
  /** Changes something that nobody watches: each target's own resync deadline repairs it, in seeds that have one. */
  readonly drift?: Action;
  /** What users do when faults stop, and after the last change, where things would not come to rest otherwise. */
  readonly settle?: Action;
  /** A last change in steady state, with which all must deal at once; any of the actions by default. */
  readonly lastChange?: Action;
  /** How often things happened in this run that matter only where they happen, by what they are. For the summary. */
  readonly drawn?: () => Readonly<Record<string, number>>;
  /** What is wrong with the state that was reached, computed from the objects alone: empty once all has converged. */
  readonly check?: (cluster: ClusterView) => Fault[];
  /** Whether a target never comes to rest, since its passes fail or hang for good. */
  readonly restless?: (target: KubeObject) => boolean;
  /** Whether a target that is being deleted waits for what users alone can do: it may stay. */
  readonly waits?: (target: KubeObject, cluster: ClusterView) => boolean;
  /** What a published status must rest on (I4). */
  readonly evidence?: EvidenceRule;
  /** What must be gone, and confirmed, when a finalizer goes (I6); owned objects need not be told. */
  readonly finalized?: FinalizedRule;
}
