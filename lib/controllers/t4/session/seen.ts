import type { KubeObject } from '../../../core/kube-object.ts';
import { firstFailure, foundValue, type Observation } from '../../../kit/observation.ts';
import type { ApiError } from '../../../ports/cluster-api.ts';
import type { OmpConfigCheck } from '../omp/omp-config.ts';
import type { T4Settings } from '../settings.ts';
import type { SessionSpec } from './session.ts';

/** The objects that the checks of a session read, one after the other. */
export interface Readings {
  readonly host: Observation<KubeObject>;
  readonly workspace: Observation<KubeObject>;
  /** The StorageClass of the host; also absent when there is no host to name it. */
  readonly storageClass: Observation<KubeObject>;
  /** The claim under the workspace's name; also absent when there is no workspace. */
  readonly claim: Observation<KubeObject>;
  readonly configMap?: Observation<KubeObject>;
  readonly secret?: Observation<KubeObject>;
  /** The claim, read again after everything else was read. */
  readonly claimAgain?: Observation<KubeObject>;
}

export type Subject = keyof Readings;

/** All inputs of the checks. */
export interface Seen {
  readonly spec: SessionSpec;
  readonly settings: T4Settings;
  /** The key of the deployment for comparing content. */
  readonly digestKey: string | Uint8Array;
  readonly ompConfigCheck: OmpConfigCheck;
  readonly readings: Readings;
}

export function objectOf({ readings }: Seen, subject: Subject): KubeObject | undefined {
  const reading = readings[subject];
  return reading === undefined ? undefined : foundValue(reading);
}

/** The first read that failed, among those that were made. */
export function doubtOf({ readings }: Seen): ApiError | undefined {
  return firstFailure(Object.values(readings) as Observation<KubeObject>[]);
}
