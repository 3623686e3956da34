import type { ConditionFinding } from '../../core/conditions.ts';
import type { KubeObject } from '../../core/kube-object.ts';
import { isRecord } from './field-reader.ts';
import type { Observation } from './observation.ts';

/**
 * The Synced condition: what the ExternalSecret that fills the Secret says of itself.
 * @param isForeign it is in another namespace: absent and none of the contract's business must look the same.
 */
export function synchronization(externalSecret: Observation<KubeObject>, isForeign = false): ConditionFinding {
  const finding = (status: ConditionFinding['status'], reason: string, message: string): ConditionFinding => ({
    type: 'Synced',
    status,
    reason,
    message,
  });
  switch (externalSecret.type) {
    case 'found':
      return isReady(externalSecret.value)
        ? finding('True', 'ExternalSecretSynced', 'The ExternalSecret is ready.')
        : finding(
            'False',
            'ExternalSecretNotReady',
            'The ExternalSecret does not say Ready of its current generation, or is being deleted: see its conditions.',
          );
    case 'absent':
      return finding(
        'False',
        'ExternalSecretNotFound',
        isForeign
          ? 'No ExternalSecret of that name fills a Secret that is granted: create it, or have its target granted.'
          : 'The ExternalSecret does not exist: create it.',
      );
    case 'kindMissing':
      return finding(
        'Unknown',
        'ExternalSecretsNotInstalled',
        'The cluster does not serve external-secrets.io/v1: install External Secrets, or remove externalSecretRef.',
      );
    case 'denied':
      return finding(
        'Unknown',
        'ExternalSecretReadFailed',
        'Reading the ExternalSecret is forbidden to evenkeel: permit it by RBAC.',
      );
    case 'failed':
      return finding('Unknown', 'ExternalSecretReadFailed', 'The ExternalSecret could not be read; it is tried again.');
    case 'notRead':
      return finding(
        'Unknown',
        'ExternalSecretReadFailed',
        'The ExternalSecret was not read: authorization and specification come first.',
      );
  }
}

/** The Secret that an ExternalSecret fills: named after itself unless it says otherwise. */
export function targetOf({ metadata, spec }: KubeObject): string {
  const target = isRecord(spec) ? spec.target : undefined;
  const name = isRecord(target) ? target.name : undefined;
  return typeof name === 'string' && name !== '' ? name : metadata.name;
}

/** Ready of a specification that was replaced since says nothing of the Secret that is asked for now. */
function isReady({ metadata, status }: KubeObject): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  const conditions = isRecord(status) ? status.conditions : undefined;
  const ready: unknown = Array.isArray(conditions)
    ? conditions.find((condition) => isRecord(condition) && condition.type === 'Ready')
    : undefined;
  if (!isRecord(ready) || ready.status !== 'True') return false;
  const generation = observedGeneration(isRecord(status) ? status : {}, ready);
  return generation === undefined || metadata.generation === undefined || generation === metadata.generation;
}

/**
 * The generation that Ready speaks of; undefined where nothing tells. External Secrets writes `syncedResourceVersion`, which
 * begins with the generation that was synchronized; others write observedGeneration.
 */
function observedGeneration(
  status: Readonly<Record<string, unknown>>,
  ready: Readonly<Record<string, unknown>>,
): number | undefined {
  const observed = ready.observedGeneration ?? status.observedGeneration;
  if (typeof observed === 'number') return observed;
  const synced = typeof status.syncedResourceVersion === 'string' ? /^(\d+)-/.exec(status.syncedResourceVersion) : null;
  return synced === null ? undefined : Number(synced[1]);
}
