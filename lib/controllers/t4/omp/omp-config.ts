import { sha256Hex } from '../../../core/hash.ts';
import type { KubeObject } from '../../../core/kube-object.ts';
import type { OmpReferences } from '../settings.ts';
import { parseStrictYaml } from './strict-yaml.ts';
import { mayCarryCredentials, needsNoAuthentication, providersOf } from './unsafe-authentication.ts';

export type OmpFaultReason =
  | 'OMPConfigMapInvalid'
  | 'OMPModelsAuthenticationUnsafe'
  | 'OMPSettingsAuthenticationUnsafe';

/** The fault of the ConfigMap. The message names the key and never quotes its value. */
export interface OmpFault {
  readonly reason: OmpFaultReason;
  readonly message: string;
}

const REMEMBERED = 16;

/**
 * Checks OMP ConfigMaps. The result depends only on the two documents, so the last few results are remembered: many sessions
 * read one ConfigMap, and all of them check it when it changes.
 */
export class OmpConfigCheck {
  private readonly answers = new Map<string, OmpFault | undefined>();

  /** The first fault, or undefined when the configuration is safe to run with. */
  check(configMap: KubeObject, keys: OmpReferences['configMap']): OmpFault | undefined {
    const models = documentAt(configMap, keys.modelsKey);
    const settings = documentAt(configMap, keys.settingsKey);
    const missing = models === undefined ? keys.modelsKey : settings === undefined ? keys.settingsKey : undefined;
    if (models === undefined || settings === undefined) return invalid(`Key ${missing} is missing.`);
    const documents = sha256Hex(JSON.stringify([keys.modelsKey, models, keys.settingsKey, settings]));
    if (this.answers.has(documents)) return this.answers.get(documents);
    const answer = checkDocuments(models, settings, keys);
    for (const oldest of this.answers.keys()) {
      if (this.answers.size < REMEMBERED) break;
      this.answers.delete(oldest);
    }
    this.answers.set(documents, answer);
    return answer;
  }
}

function documentAt({ data }: KubeObject, key: string): string | undefined {
  if (typeof data !== 'object' || data === null || !Object.hasOwn(data, key)) return undefined;
  const value: unknown = (data as Record<string, unknown>)[key];
  return typeof value === 'string' ? value : undefined;
}

function checkDocuments(modelsText: string, settingsText: string, keys: OmpReferences['configMap']) {
  const models = parseStrictYaml(modelsText);
  if (!models.valid) return invalid(`The document ${keys.modelsKey} ${models.fault}.`);
  const providers = providersOf(models.value);
  if (providers === undefined) return invalid(`The document ${keys.modelsKey} names no providers.`);
  const settings = parseStrictYaml(settingsText);
  if (!settings.valid) return invalid(`The document ${keys.settingsKey} ${settings.fault}.`);

  if (!providers.every(needsNoAuthentication)) {
    return unsafe('OMPModelsAuthenticationUnsafe', `Each provider in ${keys.modelsKey} must say auth: none.`);
  }
  if (mayCarryCredentials(models.value)) return unsafe('OMPModelsAuthenticationUnsafe', credentials(keys.modelsKey));
  if (mayCarryCredentials(settings.value)) {
    return unsafe('OMPSettingsAuthenticationUnsafe', credentials(keys.settingsKey));
  }
  return undefined;
}

function credentials(key: string): string {
  return `The document ${key} has a key that speaks of credentials, or a URL with userinfo, query or fragment: remove it.`;
}

function invalid(message: string): OmpFault {
  return { reason: 'OMPConfigMapInvalid', message };
}

function unsafe(reason: OmpFaultReason, message: string): OmpFault {
  return { reason, message };
}
