import { sha256Hex } from '../../core/hash.ts';
import type { DesiredObject, KubeObject } from '../../core/kube-object.ts';

/** On every object that is made: what only the holder of the owner's seed can have written there. */
export const PROOF_ANNOTATION = 'evenkeel.dev/owner-proof';

/** By what an owner knows its own objects from others that carry copies of its marks. */
export interface OwnerProof {
  /** Random and unguessable, recorded in the owner's item before anything is made, and shown nowhere else. */
  readonly seed: string;
  /** The object may be of a release that made no proofs, and its record shows it: the marks count, and the proof is added. */
  readonly marksSuffice: boolean;
}

/** Of one object. A reader of the object learns nothing about the proof of another one, nor about the seed. */
export function proofOf(
  seed: string,
  { kind, metadata }: Pick<KubeObject | DesiredObject, 'kind' | 'metadata'>,
): string {
  return sha256Hex(JSON.stringify([seed, kind, metadata.namespace ?? '', metadata.name]));
}

/** The id that the client of a Gateway is made with, a UUID: known before it is made, and to nobody else. */
export function provenClientId(seed: string, realm: string, clientId: string): string {
  const hex = sha256Hex(JSON.stringify([seed, 'client', realm, clientId]));
  // Version 8 of RFC 9562: the bits are the maker's own.
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}
