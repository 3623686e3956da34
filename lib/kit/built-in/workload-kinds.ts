import { Deployments as untypedDeployments } from '../../core/resource-type.ts';
import type { TypedKind } from '../kind/typed-kind.ts';
import type { PersistentVolumeClaim } from './core-kinds.ts';
import type { BuiltIn, BuiltInCondition, IntOrString, LabelSelector, TemplateMeta } from './object.ts';
import type { PodTemplate } from './pod.ts';

const APPS = { group: 'apps', version: 'v1', namespaced: true } as const;
const BATCH = { group: 'batch', version: 'v1', namespaced: true } as const;

export type Deployment = BuiltIn<{
  spec: {
    replicas?: number;
    selector: LabelSelector;
    template: PodTemplate;
    strategy?: {
      type?: 'RollingUpdate' | 'Recreate';
      rollingUpdate?: { maxSurge?: IntOrString; maxUnavailable?: IntOrString };
    };
    minReadySeconds?: number;
    revisionHistoryLimit?: number;
    progressDeadlineSeconds?: number;
    paused?: boolean;
  };
  status?: {
    observedGeneration?: number;
    replicas?: number;
    readyReplicas?: number;
    updatedReplicas?: number;
    availableReplicas?: number;
    unavailableReplicas?: number;
    conditions?: BuiltInCondition[];
  };
}>;

export type StatefulSet = BuiltIn<{
  spec: {
    replicas?: number;
    selector: LabelSelector;
    serviceName?: string;
    template: PodTemplate;
    podManagementPolicy?: 'OrderedReady' | 'Parallel';
    updateStrategy?: { type?: 'RollingUpdate' | 'OnDelete'; rollingUpdate?: { partition?: number } };
    volumeClaimTemplates?: { metadata: TemplateMeta & { name: string }; spec: PersistentVolumeClaim['spec'] }[];
    persistentVolumeClaimRetentionPolicy?: { whenDeleted?: 'Retain' | 'Delete'; whenScaled?: 'Retain' | 'Delete' };
    minReadySeconds?: number;
    revisionHistoryLimit?: number;
  };
  status?: {
    observedGeneration?: number;
    replicas?: number;
    readyReplicas?: number;
    updatedReplicas?: number;
    availableReplicas?: number;
    currentRevision?: string;
    updateRevision?: string;
  };
}>;

export type DaemonSet = BuiltIn<{
  spec: {
    selector: LabelSelector;
    template: PodTemplate;
    updateStrategy?: { type?: 'RollingUpdate' | 'OnDelete'; rollingUpdate?: { maxUnavailable?: IntOrString } };
    minReadySeconds?: number;
  };
  status?: {
    observedGeneration?: number;
    desiredNumberScheduled?: number;
    numberReady?: number;
    updatedNumberScheduled?: number;
    numberAvailable?: number;
  };
}>;

export type JobSpec = {
  template: PodTemplate;
  parallelism?: number;
  completions?: number;
  completionMode?: 'NonIndexed' | 'Indexed';
  backoffLimit?: number;
  activeDeadlineSeconds?: number;
  ttlSecondsAfterFinished?: number;
  suspend?: boolean;
};

export type Job = BuiltIn<{
  spec: JobSpec;
  status?: {
    active?: number;
    succeeded?: number;
    failed?: number;
    startTime?: string;
    completionTime?: string;
    conditions?: BuiltInCondition[];
  };
}>;

export type CronJob = BuiltIn<{
  spec: {
    schedule: string;
    timeZone?: string;
    concurrencyPolicy?: 'Allow' | 'Forbid' | 'Replace';
    suspend?: boolean;
    startingDeadlineSeconds?: number;
    successfulJobsHistoryLimit?: number;
    failedJobsHistoryLimit?: number;
    jobTemplate: { metadata?: TemplateMeta; spec: JobSpec };
  };
  status?: { lastScheduleTime?: string; lastSuccessfulTime?: string; active?: { name: string }[] };
}>;

export const Deployments: TypedKind<Deployment> = untypedDeployments;
export const StatefulSets: TypedKind<StatefulSet> = { ...APPS, plural: 'statefulsets', kind: 'StatefulSet' };
export const DaemonSets: TypedKind<DaemonSet> = { ...APPS, plural: 'daemonsets', kind: 'DaemonSet' };
export const Jobs: TypedKind<Job> = { ...BATCH, plural: 'jobs', kind: 'Job' };
export const CronJobs: TypedKind<CronJob> = { ...BATCH, plural: 'cronjobs', kind: 'CronJob' };
