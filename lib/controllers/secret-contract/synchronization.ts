import type { ConditionFinding } from '../../core/conditions.ts';
import type { KubeObject } from '../../core/kube-object.ts';
import { isRecord } from './field-reader.ts';
import type { Observation } from './observation.ts';

/** The Synced condition: what the ExternalSecret that fills the Secret says of itself. */
export function synchronization(externalSecret: Observation<KubeObject>): ConditionFinding {
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
        : finding('False', 'ExternalSecretNotReady', 'The ExternalSecret does not say Ready: see its conditions.');
    case 'absent':
      return finding('False', 'ExternalSecretNotFound', 'The ExternalSecret does not exist: create it.');
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

function isReady({ status }: KubeObject): boolean {
  const conditions = isRecord(status) ? status.conditions : undefined;
  return (
    Array.isArray(conditions) &&
    conditions.some((condition) => isRecord(condition) && condition.type === 'Ready' && condition.status === 'True')
  );
}
