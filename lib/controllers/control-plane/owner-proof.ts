import { sha256Hex } from '../../core/hash.ts';
import type { DesiredObject, KubeObject } from '../../core/kube-object.ts';

/** An annotation on every object that is created. Only a holder of the owner's seed can compute its value. */
export const PROOF_ANNOTATION = 'evenkeel.dev/owner-proof';

/** How an owner tells its own objects from others with copies of its marks. */
export interface OwnerProof {
  /**
   * Random and unguessable. It is recorded in the owner's item before any object is created, and shown nowhere else.
   */
  readonly seed: string;
  /**
   * The record shows that an older release, without proofs, may have created the object. Then the marks count, and the
   * proof is added.
   */
  readonly marksSuffice: boolean;
}

/** The proof of one object. It reveals neither the proof of another object nor the seed. */
export function proofOf(
  seed: string,
  { kind, metadata }: Pick<KubeObject | DesiredObject, 'kind' | 'metadata'>,
): string {
  return sha256Hex(JSON.stringify([seed, kind, metadata.namespace ?? '', metadata.name]));
}

/**
 * The id of a Gateway's client, a UUID. It is known before the client is created, and only to the holder of the seed.
 */
export function provenClientId(seed: string, realm: string, clientId: string): string {
  const hex = sha256Hex(JSON.stringify([seed, 'client', realm, clientId]));
  // Version 8 of RFC 9562: an application defines the bits itself.
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}
