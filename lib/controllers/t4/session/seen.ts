import type { KubeObject } from '../../../core/kube-object.ts';
import type { ApiError } from '../../../ports/cluster-api.ts';
import type { OmpConfigJudge } from '../omp/omp-config.ts';
import { found, type Reading } from '../reading.ts';
import type { T4Settings } from '../settings.ts';
import type { SessionSpec } from './session.ts';

/** What a session's checks read, one after the other. */
export interface Readings {
  readonly host: Reading<KubeObject>;
  readonly workspace: Reading<KubeObject>;
  /** The host's; absent too where there is no host to name it. */
  readonly storageClass: Reading<KubeObject>;
  /** The claim under the workspace's name; absent too where there is no workspace. */
  readonly claim: Reading<KubeObject>;
  readonly configMap?: Reading<KubeObject>;
  readonly secret?: Reading<KubeObject>;
  /** The claim once more, after everything else was read. */
  readonly claimAgain?: Reading<KubeObject>;
}

export type Subject = keyof Readings;

/** All that the checks decide on. */
export interface Seen {
  readonly spec: SessionSpec;
  readonly settings: T4Settings;
  /** The installation's key for comparing content. */
  readonly digestKey: string | Uint8Array;
  readonly judge: OmpConfigJudge;
  readonly readings: Readings;
}

export function objectOf({ readings }: Seen, subject: Subject): KubeObject | undefined {
  const reading = readings[subject];
  return reading === undefined ? undefined : found(reading);
}

/** The first read that failed, among those that were made. */
export function doubtOf({ readings }: Seen): ApiError | undefined {
  for (const reading of Object.values(readings) as Reading<KubeObject>[]) {
    if (reading.type === 'unread') return reading.error;
  }
  return undefined;
}
