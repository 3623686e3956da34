// Generated from the OpenAPI v3 documents of Kubernetes by test/conformance/built-in-types.test.ts. Do not edit.
// `kubectl explain` shows what each field means.

import type { BuiltIn } from '../object.ts';
import type { IntOrString } from './container.ts';
import type { LabelSelector, Time } from './meta.ts';
import type { PodTemplateSpec } from './pod.ts';
import type { PersistentVolumeClaimTemplate } from './volume.ts';

export type DaemonSet = BuiltIn<{
  spec: DaemonSetSpec;
  status?: DaemonSetStatus;
}>;

export type DaemonSetCondition = {
  lastTransitionTime?: Time;
  message?: string;
  reason?: string;
  status?: string;
  type?: string;
};

export type DaemonSetSpec = {
  minReadySeconds?: number;
  revisionHistoryLimit?: number;
  selector: LabelSelector;
  template: PodTemplateSpec;
  updateStrategy?: DaemonSetUpdateStrategy;
};

export type DaemonSetStatus = {
  collisionCount?: number;
  conditions?: DaemonSetCondition[];
  currentNumberScheduled: number;
  desiredNumberScheduled: number;
  numberAvailable?: number;
  numberMisscheduled: number;
  numberReady: number;
  numberUnavailable?: number;
  observedGeneration?: number;
  updatedNumberScheduled?: number;
};

export type DaemonSetUpdateStrategy = {
  rollingUpdate?: RollingUpdateDaemonSet;
  type?: 'OnDelete' | 'RollingUpdate';
};

export type Deployment = BuiltIn<{
  spec: DeploymentSpec;
  status?: DeploymentStatus;
}>;

export type DeploymentCondition = {
  lastTransitionTime?: Time;
  lastUpdateTime?: Time;
  message?: string;
  reason?: string;
  status?: string;
  type?: string;
};

export type DeploymentSpec = {
  minReadySeconds?: number;
  paused?: boolean;
  progressDeadlineSeconds?: number;
  replicas?: number;
  revisionHistoryLimit?: number;
  selector: LabelSelector;
  strategy?: DeploymentStrategy;
  template: PodTemplateSpec;
};

export type DeploymentStatus = {
  availableReplicas?: number;
  collisionCount?: number;
  conditions?: DeploymentCondition[];
  observedGeneration?: number;
  readyReplicas?: number;
  replicas?: number;
  terminatingReplicas?: number;
  unavailableReplicas?: number;
  updatedReplicas?: number;
};

export type DeploymentStrategy = {
  rollingUpdate?: RollingUpdateDeployment;
  type?: 'Recreate' | 'RollingUpdate';
};

export type RollingUpdateDaemonSet = {
  maxSurge?: IntOrString;
  maxUnavailable?: IntOrString;
};

export type RollingUpdateDeployment = {
  maxSurge?: IntOrString;
  maxUnavailable?: IntOrString;
};

export type RollingUpdateStatefulSetStrategy = {
  maxUnavailable?: IntOrString;
  partition?: number;
};

export type StatefulSet = BuiltIn<{
  spec: StatefulSetSpec;
  status?: StatefulSetStatus;
}>;

export type StatefulSetCondition = {
  lastTransitionTime?: Time;
  message?: string;
  reason?: string;
  status?: string;
  type?: string;
};

export type StatefulSetOrdinals = {
  start?: number;
};

export type StatefulSetPersistentVolumeClaimRetentionPolicy = {
  whenDeleted?: string;
  whenScaled?: string;
};

export type StatefulSetSpec = {
  minReadySeconds?: number;
  ordinals?: StatefulSetOrdinals;
  persistentVolumeClaimRetentionPolicy?: StatefulSetPersistentVolumeClaimRetentionPolicy;
  podManagementPolicy?: 'OrderedReady' | 'Parallel';
  replicas?: number;
  revisionHistoryLimit?: number;
  selector: LabelSelector;
  serviceName?: string;
  template: PodTemplateSpec;
  updateStrategy?: StatefulSetUpdateStrategy;
  volumeClaimTemplates?: PersistentVolumeClaimTemplate[];
};

export type StatefulSetStatus = {
  availableReplicas?: number;
  collisionCount?: number;
  conditions?: StatefulSetCondition[];
  currentReplicas?: number;
  currentRevision?: string;
  observedGeneration?: number;
  readyReplicas?: number;
  replicas: number;
  updateRevision?: string;
  updatedReplicas?: number;
};

export type StatefulSetUpdateStrategy = {
  rollingUpdate?: RollingUpdateStatefulSetStrategy;
  type?: 'OnDelete' | 'Recreate' | 'RollingUpdate';
};
