import { createHmac } from 'node:crypto';
import type { KeyRules } from '../contract.ts';
import type { SecretValues } from '../key-rules.ts';

/**
 * What is remembered of the content of a contract's declared keys: for each key's mark, its value's digest. Both are
 * keyed with the installation's key and bound to the contract, so that the table tells neither values nor which
 * contracts share one; with another key every mark differs, and nothing is taken for a change.
 */
export type ContentDigests = ReadonlyMap<string, string>;

const MARK_BYTES = 9;
const DIGEST_BYTES = 16;

/** Digests of every declared key, an absent one included, so that its appearing and going are changes too. */
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
