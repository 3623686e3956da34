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

/** The true state of the cluster, also where no process has seen it yet. Read only. */
export interface ClusterView {
  /** The true time, epoch ms. */
  readonly nowMs: number;
  /** The cluster was restored from a backup: objects may be gone that nobody deleted. */
  readonly restored: boolean;
  get(type: ResourceType, name: ObjectName): KubeObject | undefined;
  list(type: ResourceType, namespace?: string): KubeObject[];
}

/** What is wrong at the end: a text, which is reported as `CHECK`, or a text with the number of another invariant. */
export type Fault = string | { readonly invariant: InvariantId; readonly what: string };

/** What a user does at one moment of a history. */
export type Action = (user: User) => Promise<unknown>;

/** Controllers under test, what users do with them, and what must be true of them. */
export interface Workload {
  /** The controllers. If they call more than the cluster, a function that makes those of one process. */
  readonly controllers: readonly Controller[] | ((host: ControllerHost) => readonly Controller[]);
  /** Their CRDs. */
  readonly definitions: readonly object[];
  /** The cluster's own controllers that run too, such as those of Deployments and Pods. */
  readonly standIns?: readonly ControllerName[];
  /** What an admission webhook changes or refuses; it may look at the cluster as it is then. */
  readonly admission?: (request: AdmissionRequest, cluster: Pick<ClusterView, 'get'>) => AdmissionReview;
  /** Done before anything fails. */
  readonly prepare?: Action;
  /** What users do, by the names that a timeline shows. */
  readonly actions: Readonly<Record<string, Action>>;
  /** Users also create objects with the names that controllers are about to use: `check` allows for them. */
  readonly namesAreTaken?: boolean;
  /**
   * All objects are in these namespaces, and only users write the reconciled objects. Then some seeds run an installation
   * that is limited to these namespaces, or by labels that users give.
   */
  readonly namespaces?: readonly string[];
  /**
   * Many objects read one object that is edited often. In seeds where few readers count as many, the messages for an object
   * must not grow with the edits.
   */
  readonly crowd?: boolean;
  /** Changes something that no watch shows: the resync of each object repairs it, in seeds that have one. */
  readonly drift?: Action;
  /** What users do when faults stop, and after the last change, if objects would not settle otherwise. */
  readonly settle?: Action;
  /** The last change, in steady state, which the controllers must handle at once; any of the actions by default. */
  readonly lastChange?: Action;
  /** Counts of what happened in this run, by name, for the summary. */
  readonly drawn?: () => Readonly<Record<string, number>>;
  /** What is wrong at the end, computed from the objects alone: empty when everything is as it must be. */
  readonly check?: (cluster: ClusterView) => Fault[];
  /** Whether an object is meant to fail or hang for good. */
  readonly restless?: (target: KubeObject) => boolean;
  /** Whether an object that is being deleted waits for an action that only users can take: it may stay. */
  readonly waits?: (target: KubeObject, cluster: ClusterView) => boolean;
  /** What a published status must rest on (I4). */
  readonly evidence?: EvidenceRule;
  /** What must be gone, and confirmed, when a finalizer goes (I6). Owned objects need not be named. */
  readonly finalized?: FinalizedRule;
}
