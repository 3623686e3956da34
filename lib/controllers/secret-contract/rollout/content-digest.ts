import { createHmac } from 'node:crypto';
import type { KeyRules } from '../contract.ts';
import type { SecretValues } from '../key-rules.ts';

/**
 * The digest of the value of each declared key, by the key's mark, as the table stores them. Both are HMACs with the
 * installation's key and the contract's identity. So the table reveals no value, and not which contracts have equal
 * values. With another HMAC key every mark is different, and no key counts as changed.
 */
export type ContentDigests = ReadonlyMap<string, string>;

const MARK_BYTES = 9;
const DIGEST_BYTES = 16;

/**
 * A digest for every declared key. An absent key has one too, so that the content changes when a key appears or
 * disappears.
 */
export function digestContent(
  installationKey: string | Uint8Array,
  contractUid: string,
  keys: readonly KeyRules[],
  values: SecretValues,
): ContentDigests {
  const digests = new Map<string, string>();
  for (const { name } of keys) {
    const mark = createHmac('sha256', installationKey).update(`mark\0${contractUid}\0${name}`).digest();
    const value = values.get(name);
    const digest = createHmac('sha256', installationKey)
      .update(`${value === undefined ? 'absent' : 'value'}\0${contractUid}\0${name}\0`)
      .update(value ?? '')
      .digest();
    digests.set(
      mark.subarray(0, MARK_BYTES).toString('base64url'),
      digest.subarray(0, DIGEST_BYTES).toString('base64url'),
    );
  }
  return digests;
}

/**
 * Whether a key that was declared before and is declared now has another value. A newly declared key is not a change.
 */
export function contentChanged(before: ContentDigests, now: ContentDigests): boolean {
  return [...now].some(([mark, digest]) => before.has(mark) && before.get(mark) !== digest);
}
