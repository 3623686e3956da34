import type { KubeObject } from '../../../core/kube-object.ts';

/**
 * Whether the Secret has a value of at least one byte under each of the keys. The function returns nothing else: no value
 * leaves it.
 */
export function hasValues({ data }: KubeObject, keys: readonly string[]): boolean {
  if (typeof data !== 'object' || data === null) return false;
  return keys.every((key) => {
    const encoded: unknown = Object.hasOwn(data, key) ? (data as Record<string, unknown>)[key] : undefined;
    return typeof encoded === 'string' && Buffer.from(encoded, 'base64').length > 0;
  });
}
