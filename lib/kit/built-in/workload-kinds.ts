import { Deployments as untypedDeployments } from '../../core/resource-type.ts';
import type { TypedKind } from '../kind/typed-kind.ts';
import type { PersistentVolumeClaim } from './core-kinds.ts';
import type { BuiltIn, BuiltInCondition, IntOrString, LabelSelector, TemplateMeta } from './object.ts';
import type { PodTemplate } from './pod.ts';

const APPS = { group: 'apps', version: 'v1', namespaced: true } as const;
const BATCH = { group: 'batch', version: 'v1', namespaced: true } as const;

/** A Deployment (`apps/v1`). Times are in seconds. */
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

/** A StatefulSet (`apps/v1`). Times are in seconds. */
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

/** A DaemonSet (`apps/v1`). Times are in seconds. */
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

/** The specification of a Job, and of the Jobs that a CronJob creates. Times are in seconds. */
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

/** A Job (`batch/v1`). Times in its status are RFC 3339. */
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

/** A CronJob (`batch/v1`). `schedule` is a cron expression in `timeZone`, such as `0 3 * * *`. */
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

/** Deployments of `apps/v1`. */
export const Deployments: TypedKind<Deployment> = untypedDeployments;
/** StatefulSets of `apps/v1`. */
export const StatefulSets: TypedKind<StatefulSet> = { ...APPS, plural: 'statefulsets', kind: 'StatefulSet' };
/** DaemonSets of `apps/v1`. */
export const DaemonSets: TypedKind<DaemonSet> = { ...APPS, plural: 'daemonsets', kind: 'DaemonSet' };
/** Jobs of `batch/v1`. */
export const Jobs: TypedKind<Job> = { ...BATCH, plural: 'jobs', kind: 'Job' };
/** CronJobs of `batch/v1`. */
export const CronJobs: TypedKind<CronJob> = { ...BATCH, plural: 'cronjobs', kind: 'CronJob' };
