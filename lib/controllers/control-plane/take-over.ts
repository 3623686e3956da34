import { kindId } from '../../core/resource-type.ts';
import type { TargetState } from '../../ports/state-store.ts';
import { readGatewayRecord, seededRecord as seededGatewayRecord } from './gateway/gateway-record.ts';
import { Gateways, ManagedDatabases } from './kinds.ts';
import { readDatabaseRecord, seededRecord as seededDatabaseRecord } from './managed-database/database-record.ts';
import { databaseNamespace, databaseObjectName, gatewayNamespace } from './names.ts';

/** The kinds whose objects take over what an older release created for them. */
export const KINDS_THAT_TAKE_OVER = [Gateways, ManagedDatabases] as const;

/**
 * The objects that the next pass of a target takes over by their marks alone, as far as the item shows: an
 * older release, without proofs, created them. The list is empty after the first pass that finds them all in place.
 * @returns e.g. `namespace hs-0123456789abcdef`; empty when every object has a proof, a recorded UID or a recorded id.
 */
export function takenOverByMarks({ target, values }: Pick<TargetState, 'target' | 'values'>): string[] {
  // No pass wrote this item. The status, which would be used instead, is not read here.
  if (values.record === undefined) return [];
  const newSeed = () => 'not kept';
  if (target.kind === kindId(ManagedDatabases)) {
    const { unproven = [] } = seededDatabaseRecord(readDatabaseRecord(values, undefined), newSeed);
    const namespace = databaseNamespace(target.uid);
    return unproven.map((part) => (part === 'namespace' ? `namespace ${namespace}` : `Cluster in ${namespace}`));
  }
  if (target.kind !== kindId(Gateways)) return [];
  const record = readGatewayRecord(values, undefined);
  const { unproven = [] } = seededGatewayRecord(record, newSeed);
  const namespace = gatewayNamespace(target.uid);
  const parts = unproven.map((part) => {
    if (part === 'namespace') return `namespace ${namespace}`;
    if (part === 'content') return `what lies in ${namespace}`;
    return `${databaseObjectName(target.uid)} in ${databaseNamespace(part)}`;
  });
  const clients = record.clients.filter(({ made, id }) => made && id === undefined);
  return [...parts, ...clients.map(({ clientId, realm }) => `client ${clientId} of realm ${realm}`)];
}
