import type { KubeObject, ObjectName } from '../../core/kube-object.ts';
import { listAt, textAt, valueAt } from '../../kit/value-at.ts';
import { parseRfc3339 } from './rfc3339.ts';

/** A SecretContractGrant that names a given contract and Secret. */
export interface Grant {
  readonly name: string;
  /** Epoch ms; Infinity when it never expires. */
  readonly expiresAtMs: number;
  readonly allowContentRules: boolean;
}

/**
 * The grants that name the contract and the Secret, expired ones too, sorted by name. A grant does not count when it is
 * malformed, when its expiresAt is not a time, or when it is being deleted: in doubt nobody gets access.
 */
export function matchingGrants(objects: readonly KubeObject[], contract: ObjectName, secretName: string): Grant[] {
  return objects
    .flatMap((object) => matchingGrant(object, contract, secretName) ?? [])
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}

function matchingGrant(object: KubeObject, contract: ObjectName, secretName: string): Grant | undefined {
  const { spec, metadata } = object;
  if (metadata.deletionTimestamp !== undefined) return undefined;
  if (!listAt(spec, 'from').some((source) => names(source, contract))) return undefined;
  if (!listAt(spec, 'secretNames').includes(secretName)) return undefined;
  const expiresAtMs = expiryOf(valueAt(spec, 'expiresAt') ?? undefined);
  if (expiresAtMs === undefined) return undefined;
  const allowContentRules = valueAt(spec, 'allowContentRules') === true;
  return { name: metadata.name, expiresAtMs, allowContentRules };
}

function names(source: unknown, contract: ObjectName): boolean {
  if (textAt(source, 'namespace') !== contract.namespace) return false;
  const contractName = valueAt(source, 'contractName') ?? undefined;
  return contractName === undefined || contractName === contract.name;
}

function expiryOf(expiresAt: unknown): number | undefined {
  if (expiresAt === undefined) return Number.POSITIVE_INFINITY;
  return typeof expiresAt === 'string' ? parseRfc3339(expiresAt) : undefined;
}
