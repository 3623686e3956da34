import type { ConditionInput } from '../../../core/conditions.ts';
import type { KubeObject } from '../../../core/kube-object.ts';
import { conditionFalse, conditionTrue } from '../../../kit/conditions.ts';
import { unreadCondition } from '../../../kit/failure-conditions.ts';
import { firstFailure, isUnread, type Observation } from '../../../kit/observation.ts';
import type { ApiError } from '../../../ports/cluster-api.ts';
import { bindsAtFirstUse, offersReadWriteMany } from '../storage-class.ts';
import type { ClusterHostSpec } from './cluster-host.ts';

/** The dependencies of a host, as they were read. */
export interface HostReadings {
  readonly storageClass: Observation<KubeObject>;
  /** Undefined when the host has no CI provider. */
  readonly ciConfigMap: Observation<KubeObject> | undefined;
  /** Undefined when the provider takes service account tokens. */
  readonly ciSecret: Observation<KubeObject> | undefined;
}

export function evaluateHost(spec: ClusterHostSpec, readings: HostReadings): ConditionInput[] {
  const storage = storageReady(readings.storageClass);
  return [available(spec, storage), storage, ciReady(readings)];
}

/** The first read that failed. It makes the pass a retry. */
export function failureOf({ storageClass, ciConfigMap, ciSecret }: HostReadings): ApiError | undefined {
  return firstFailure([storageClass, ciConfigMap, ciSecret]);
}

function available({ runtimeProfiles }: ClusterHostSpec, storage: ConditionInput): ConditionInput {
  if (storage.status !== 'True') return { ...storage, type: 'Available' };
  return runtimeProfiles.length > 0
    ? conditionTrue('Available', 'HostAvailable', 'Sessions can run on this host.')
    : conditionFalse('Available', 'RuntimeProfileMissing', 'The host allows no runtime profile.');
}

function storageReady(storageClass: Observation<KubeObject>): ConditionInput {
  const type = 'StorageReady';
  switch (storageClass.type) {
    case 'absent':
      return conditionFalse(
        type,
        'StorageClassNotFound',
        'The StorageClass does not exist: create it, or name another one.',
      );
    case 'denied':
    case 'failed':
      return unreadCondition(type, 'StorageClass', storageClass);
    case 'found':
      return classReady(type, storageClass.value);
  }
}

function classReady(type: string, storageClass: KubeObject): ConditionInput {
  if (!offersReadWriteMany(storageClass)) {
    const message =
      'The StorageClass does not offer ReadWriteMany: its annotation cluster.t4.dev/access-modes does not say so.';
    return conditionFalse(type, 'StorageClassNotRWX', message);
  }
  if (bindsAtFirstUse(storageClass)) {
    const message =
      'The StorageClass binds a claim only when a Pod uses it, and sessions start only on a bound claim. Name a class with volumeBindingMode Immediate, or create this one again with that mode: the field cannot be edited.';
    return conditionFalse(type, 'StorageClassBindsAtFirstUse', message);
  }
  return conditionTrue(type, 'StorageClassRWX', 'The StorageClass offers ReadWriteMany.');
}

function ciReady({ ciConfigMap, ciSecret }: HostReadings): ConditionInput {
  const type = 'CIReady';
  if (ciConfigMap === undefined) return conditionFalse(type, 'CINotConfigured', 'The host has no CI provider.');
  for (const [reading, subject, reason] of [
    [ciConfigMap, 'CIConfigMap', 'CIConfigMapNotFound'],
    [ciSecret, 'CISecret', 'CISecretNotFound'],
  ] as const) {
    if (reading !== undefined && isUnread(reading)) return unreadCondition(type, subject, reading);
    if (reading?.type === 'absent')
      return conditionFalse(type, reason, 'What the CI provider refers to does not exist.');
  }
  return conditionTrue(type, 'CIProviderFound', 'What the CI provider refers to exists.');
}
