import type { ConditionInput } from '../../core/conditions.ts';
import type { KubeObject } from '../../core/kube-object.ts';
import { conditionInput } from '../../kit/conditions.ts';
import { listAt, textAt, valueAt } from '../../kit/value-at.ts';
import { OLDEST_EXTERNAL_SECRETS } from './kinds.ts';
import type { Observation } from './observation.ts';

const UPGRADE = `Upgrade External Secrets and its CRDs to ${OLDEST_EXTERNAL_SECRETS} or newer.`;

type MakeFinding = (status: ConditionInput['status'], reason: string, message: string) => ConditionInput;

/**
 * The Synced condition, from the status of the ExternalSecret that fills the Secret.
 * @param isForeign whether it is in another namespace. Then the result is the same when it does not exist and when the
 * grant does not cover it.
 */
export function synchronization(externalSecret: Observation<KubeObject>, isForeign = false): ConditionInput {
  const finding: MakeFinding = (status, reason, message) => conditionInput('Synced', status, reason, message);
  switch (externalSecret.type) {
    case 'found':
      return ofFound(externalSecret.value, finding);
    case 'absent':
      return finding(
        'False',
        'ExternalSecretNotFound',
        isForeign
          ? 'No ExternalSecret of that name fills a Secret that is granted: create it, or have its target granted.'
          : 'The ExternalSecret does not exist: create it.',
      );
    case 'kindMissing':
      if (externalSecret.servedVersion !== undefined) {
        const served = `The cluster serves ExternalSecret only as external-secrets.io/${externalSecret.servedVersion}`;
        return finding('Unknown', 'ExternalSecretsTooOld', `${served}, and evenkeel reads v1. ${UPGRADE}`);
      }
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

function ofFound(externalSecret: KubeObject, finding: MakeFinding): ConditionInput {
  switch (readiness(externalSecret)) {
    case 'ready':
      return finding('True', 'ExternalSecretSynced', 'The ExternalSecret is ready.');
    case 'notReady':
      return finding(
        'False',
        'ExternalSecretNotReady',
        'The ExternalSecret does not say Ready of its current generation, or is being deleted: see its conditions.',
      );
    case 'unknown':
      return finding(
        'Unknown',
        'ExternalSecretsTooOld',
        `The ExternalSecret says Ready, but its status has no syncedResourceVersion that shows of which generation. ${UPGRADE}`,
      );
  }
}

/** The Secret that an ExternalSecret fills. By default it has the same name. */
export function targetOf({ metadata, spec }: KubeObject): string {
  return textAt(spec, 'target', 'name') || metadata.name;
}

/**
 * A Ready condition of an older generation does not count, because the specification may ask for another Secret now.
 */
function readiness({ metadata, status }: KubeObject): 'ready' | 'notReady' | 'unknown' {
  if (metadata.deletionTimestamp !== undefined) return 'notReady';
  const ready = listAt(status, 'conditions').find((condition) => textAt(condition, 'type') === 'Ready');
  if (textAt(ready, 'status') !== 'True') return 'notReady';
  const generation = observedGeneration(status, ready);
  if (metadata.generation === undefined) return 'ready';
  if (generation === undefined) return 'unknown';
  return generation === metadata.generation ? 'ready' : 'notReady';
}

/**
 * The generation that Ready was computed for; undefined when the status does not show it. External Secrets writes
 * `syncedResourceVersion`, which starts with the synchronized generation. Other operators write observedGeneration.
 */
function observedGeneration(status: unknown, ready: unknown): number | undefined {
  const observed = valueAt(ready, 'observedGeneration') ?? valueAt(status, 'observedGeneration');
  if (typeof observed === 'number') return observed;
  const synced = /^(\d+)-/.exec(textAt(status, 'syncedResourceVersion') ?? '');
  return synced === null ? undefined : Number(synced[1]);
}
