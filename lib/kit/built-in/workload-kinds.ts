import type { TypedKind } from '../kind/typed-kind.ts';
import type { DaemonSet, Deployment, StatefulSet } from './generated/apps.ts';
import type { CronJob, Job } from './generated/batch.ts';

export type { DaemonSet, Deployment, StatefulSet } from './generated/apps.ts';
export type { CronJob, Job, JobSpec } from './generated/batch.ts';

const APPS = { group: 'apps', version: 'v1', namespaced: true } as const;
const BATCH = { group: 'batch', version: 'v1', namespaced: true } as const;

/** Deployments of `apps/v1`. */
export const Deployments: TypedKind<Deployment, 'Deployment'> = { ...APPS, plural: 'deployments', kind: 'Deployment' };
/** StatefulSets of `apps/v1`. */
export const StatefulSets: TypedKind<StatefulSet, 'StatefulSet'> = {
  ...APPS,
  plural: 'statefulsets',
  kind: 'StatefulSet',
};
/** DaemonSets of `apps/v1`. */
export const DaemonSets: TypedKind<DaemonSet, 'DaemonSet'> = { ...APPS, plural: 'daemonsets', kind: 'DaemonSet' };
/** Jobs of `batch/v1`. */
export const Jobs: TypedKind<Job, 'Job'> = { ...BATCH, plural: 'jobs', kind: 'Job' };
/** CronJobs of `batch/v1`. */
export const CronJobs: TypedKind<CronJob, 'CronJob'> = { ...BATCH, plural: 'cronjobs', kind: 'CronJob' };
