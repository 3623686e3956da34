import type { JsonObject } from '../apiserver/json.ts';
import type { KubeObject } from '../core/kube-object.ts';
import { SecretValues } from './changes/secret-values.ts';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const HIDDEN = 'redacted';

/**
 * The objects without the values of Secrets, and without any text that shows one. Equal values stay equal, so that a
 * controller that compares them still finds the same.
 */
export function withoutSecretValues(objects: readonly KubeObject[]): KubeObject[] {
  const values = new SecretValues();
  for (const object of objects) if (isSecret(object)) values.add(object as unknown as JsonObject);
  const stands = new Map<unknown, string>();
  const standIn = (value: unknown) => {
    const known = stands.get(value) ?? Buffer.from(`${HIDDEN}-${stands.size + 1}`).toString('base64');
    stands.set(value, known);
    return known;
  };
  return objects.map((object) => {
    if (!isSecret(object)) return hide(object, values) as KubeObject;
    const { data = {}, ...rest } = object;
    const { [LAST_APPLIED]: _, ...annotations } = object.metadata.annotations ?? {};
    const others = hide({ ...rest, metadata: { ...object.metadata, annotations } }, values) as KubeObject;
    const replaced = Object.entries(data as Record<string, unknown>).map(([key, value]) => [key, standIn(value)]);
    return { ...others, data: Object.fromEntries(replaced) };
  });
}

function isSecret({ apiVersion, kind }: KubeObject): boolean {
  return apiVersion === 'v1' && kind === 'Secret';
}

function hide(value: unknown, values: SecretValues): unknown {
  if (Array.isArray(value)) return value.map((part) => hide(part, values));
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([key, part]) => [values.isIn(key) ? HIDDEN : key, hide(part, values)]);
    return Object.fromEntries(entries);
  }
  return values.isIn(value) ? HIDDEN : value;
}
