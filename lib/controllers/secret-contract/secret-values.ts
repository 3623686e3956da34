import type { KubeObject } from '../../core/kube-object.ts';
import { isFields } from '../../kit/value-at.ts';
import type { KeyRules } from './contract.ts';
import type { SecretValues } from './key-rules.ts';

/**
 * Decodes the declared keys of a Secret; undefined when its data is not in the form of the API. The values stay inside
 * the pass: only findings and keyed digests leave it.
 */
export function secretValues(secret: KubeObject, keys: readonly KeyRules[]): SecretValues | undefined {
  const data = secret.data ?? {};
  if (!isFields(data)) return undefined;
  const values = new Map<string, Buffer>();
  for (const { name } of keys) {
    if (!Object.hasOwn(data, name)) continue;
    // For a key without bytes, the API server sends null or no value.
    const encoded = data[name] ?? '';
    if (typeof encoded !== 'string') return undefined;
    values.set(name, Buffer.from(encoded, 'base64'));
  }
  return values;
}
