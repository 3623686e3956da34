import { createHmac } from 'node:crypto';
import type { KeyRules } from '../contract.ts';
import type { SecretValues } from '../key-rules.ts';

/**
 * What the table stores of the content of the declared keys: for the mark of each key, the digest of its value. Both are
 * HMACs with the installation's key, bound to the contract. So the table shows no value, and not which contracts have
 * equal values. With another key every mark is different, and no key counts as changed.
 */
export type ContentDigests = ReadonlyMap<string, string>;

const MARK_BYTES = 9;
const DIGEST_BYTES = 16;

/** A digest for every declared key. An absent key has one too, so that the content changes when the key appears or goes. */
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

/** Whether a key that was declared before and is declared now has other content. Declaring a key changes no content. */
export function contentChanged(before: ContentDigests, now: ContentDigests): boolean {
  return [...now].some(([mark, digest]) => before.has(mark) && before.get(mark) !== digest);
}
