// Generated from the OpenAPI v3 documents of Kubernetes by test/conformance/built-in-types.test.ts. Do not edit.
// `kubectl explain` shows what each field means.

import type { BuiltIn } from '../object.ts';
import type { ObjectReference } from './core.ts';
import type { LabelSelector, ObjectMeta, Time } from './meta.ts';
import type { PodTemplateSpec } from './pod.ts';

export type CronJob = BuiltIn<{
  spec: CronJobSpec;
  status?: CronJobStatus;
}>;

export type CronJobSpec = {
  concurrencyPolicy?: 'Allow' | 'Forbid' | 'Replace';
  failedJobsHistoryLimit?: number;
  jobTemplate: JobTemplateSpec;
  schedule: string;
  startingDeadlineSeconds?: number;
  successfulJobsHistoryLimit?: number;
  suspend?: boolean;
  timeZone?: string;
};

export type CronJobStatus = {
  active?: ObjectReference[];
  lastScheduleTime?: Time;
  lastSuccessfulTime?: Time;
};

export type Job = BuiltIn<{
  spec: JobSpec;
  status?: JobStatus;
}>;

export type JobCondition = {
  lastProbeTime?: Time;
  lastTransitionTime?: Time;
  message?: string;
  reason?: string;
  status: string;
  type: string;
};

export type JobSchedulingConfiguration = {
  disruptionMode?: WorkloadPodGroupDisruptionMode;
  resourceClaims?: WorkloadPodGroupResourceClaim[];
  schedulingConstraints?: WorkloadPodGroupSchedulingConstraints;
  schedulingPolicy?: WorkloadPodGroupSchedulingPolicy;
};

export type JobSpec = {
  activeDeadlineSeconds?: number;
  backoffLimit?: number;
  backoffLimitPerIndex?: number;
  completionMode?: 'Indexed' | 'NonIndexed';
  completions?: number;
  managedBy?: string;
  manualSelector?: boolean;
  maxFailedIndexes?: number;
  parallelism?: number;
  podFailurePolicy?: PodFailurePolicy;
  podReplacementPolicy?: 'Failed' | 'TerminatingOrFailed';
  scheduling?: JobSchedulingConfiguration;
  selector?: LabelSelector;
  successPolicy?: SuccessPolicy;
  suspend?: boolean;
  template: PodTemplateSpec;
  ttlSecondsAfterFinished?: number;
};

export type JobStatus = {
  active?: number;
  completedIndexes?: string;
  completionTime?: Time;
  conditions?: JobCondition[];
  failed?: number;
  failedIndexes?: string;
  ready?: number;
  startTime?: Time;
  succeeded?: number;
  terminating?: number;
  uncountedTerminatedPods?: UncountedTerminatedPods;
};

export type JobTemplateSpec = {
  metadata?: ObjectMeta;
  spec: JobSpec;
};

export type PodFailurePolicy = {
  rules: PodFailurePolicyRule[];
};

export type PodFailurePolicyOnExitCodesRequirement = {
  containerName?: string;
  operator: 'In' | 'NotIn';
  values: number[];
};

export type PodFailurePolicyOnPodConditionsPattern = {
  status?: string;
  type: string;
};

export type PodFailurePolicyRule = {
  action: 'Count' | 'FailIndex' | 'FailJob' | 'Ignore';
  onExitCodes?: PodFailurePolicyOnExitCodesRequirement;
  onPodConditions?: PodFailurePolicyOnPodConditionsPattern[];
};

export type SuccessPolicy = {
  rules: SuccessPolicyRule[];
};

export type SuccessPolicyRule = {
  succeededCount?: number;
  succeededIndexes?: string;
};

export type TopologyConstraint = {
  key: string;
};

export type UncountedTerminatedPods = {
  failed?: string[];
  succeeded?: string[];
};

export type WorkloadPodGroupAllDisruptionMode = Record<string, unknown>;

export type WorkloadPodGroupBasicSchedulingPolicy = Record<string, unknown>;

export type WorkloadPodGroupDisruptionMode = {
  all?: WorkloadPodGroupAllDisruptionMode;
  single?: WorkloadPodGroupSingleDisruptionMode;
};

export type WorkloadPodGroupGangSchedulingPolicy = {
  minCount?: number;
};

export type WorkloadPodGroupResourceClaim = {
  name: string;
  resourceClaimName?: string;
  resourceClaimTemplateName?: string;
};

export type WorkloadPodGroupSchedulingConstraints = {
  topology?: TopologyConstraint[];
};

export type WorkloadPodGroupSchedulingPolicy = {
  basic?: WorkloadPodGroupBasicSchedulingPolicy;
  gang?: WorkloadPodGroupGangSchedulingPolicy;
};

export type WorkloadPodGroupSingleDisruptionMode = Record<string, unknown>;
