import type { ConditionFinding } from '../../../core/conditions.ts';
import type { KubeObject } from '../../../core/kube-object.ts';
import type { ApiError } from '../../../ports/cluster-api.ts';
import { isFalse, isTrue, isUnknown } from '../findings.ts';
import { type Reading, unreadReason } from '../reading.ts';
import { bindsAtFirstUse, offersReadWriteMany } from '../storage-class.ts';
import type { ClusterHostSpec } from './cluster-host.ts';

/** What a host rests on. */
export interface HostReadings {
  readonly storageClass: Reading<KubeObject>;
  /** Undefined where the host has no CI provider. */
  readonly ciConfigMap: Reading<KubeObject> | undefined;
  /** Undefined where the provider takes service account tokens. */
  readonly ciSecret: Reading<KubeObject> | undefined;
}

export function judgeHost(spec: ClusterHostSpec, readings: HostReadings): ConditionFinding[] {
  const storage = storageReady(readings.storageClass);
  return [available(spec, storage), storage, ciReady(readings)];
}

/** The first read that failed: the pass is to be tried again. */
export function failureOf({ storageClass, ciConfigMap, ciSecret }: HostReadings): ApiError | undefined {
  for (const reading of [storageClass, ciConfigMap, ciSecret]) if (reading?.type === 'unread') return reading.error;
  return undefined;
}

function available({ runtimeProfiles }: ClusterHostSpec, storage: ConditionFinding): ConditionFinding {
  if (storage.status !== 'True') return { ...storage, type: 'Available' };
  return runtimeProfiles.length > 0
    ? isTrue('Available', 'HostAvailable', 'Sessions can run on this host.')
    : isFalse('Available', 'RuntimeProfileMissing', 'The host allows no runtime profile.');
}

function storageReady(storageClass: Reading<KubeObject>): ConditionFinding {
  const type = 'StorageReady';
  switch (storageClass.type) {
    case 'absent':
      return isFalse(type, 'StorageClassNotFound', 'The StorageClass does not exist: create it, or name another one.');
    case 'unread': {
      const { reason, message } = unreadReason('StorageClass', storageClass.error);
      return isUnknown(type, reason, message);
    }
    case 'found':
      return classReady(type, storageClass.value);
  }
}

function classReady(type: string, storageClass: KubeObject): ConditionFinding {
  if (!offersReadWriteMany(storageClass)) {
    const message =
      'The StorageClass does not offer ReadWriteMany: its annotation cluster.t4.dev/access-modes does not say so.';
    return isFalse(type, 'StorageClassNotRWX', message);
  }
  if (bindsAtFirstUse(storageClass)) {
    const message =
      'The StorageClass binds a claim only when a Pod uses it, and sessions start only on a bound claim. Name a class with volumeBindingMode Immediate, or create this one again with that mode: the field cannot be edited.';
    return isFalse(type, 'StorageClassBindsAtFirstUse', message);
  }
  return isTrue(type, 'StorageClassRWX', 'The StorageClass offers ReadWriteMany.');
}

function ciReady({ ciConfigMap, ciSecret }: HostReadings): ConditionFinding {
  const type = 'CIReady';
  if (ciConfigMap === undefined) return isFalse(type, 'CINotConfigured', 'The host has no CI provider.');
  for (const [reading, subject, reason] of [
    [ciConfigMap, 'CIConfigMap', 'CIConfigMapNotFound'],
    [ciSecret, 'CISecret', 'CISecretNotFound'],
  ] as const) {
    if (reading?.type === 'unread') {
      const unread = unreadReason(subject, reading.error);
      return isUnknown(type, unread.reason, unread.message);
    }
    if (reading?.type === 'absent') return isFalse(type, reason, 'What the CI provider refers to does not exist.');
  }
  return isTrue(type, 'CIProviderFound', 'What the CI provider refers to exists.');
}
