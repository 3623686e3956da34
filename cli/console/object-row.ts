import { kindId, type ResourceType } from '../../lib/core/resource-type.ts';
import type { TargetState } from '../../lib/ports/state-store.ts';
import type { Inspection } from '../inspection/inspection.ts';
import { inventoryRow } from '../inspection/inventory-table.ts';
import type { ObjectRow, ObjectState } from './api-types.ts';

/** A row as it is made; lists leave the message out. */
type MadeRow = ObjectRow & ReturnType<typeof inventoryRow>;

export function objectRow(target: TargetState, type: ResourceType, inspection: Inspection): MadeRow {
  const row = inventoryRow(target, type.kind, inspection.clock.now(), inspection.settings);
  return { ...row, kindId: kindId(type), counted: stateOf(target, row) };
}

function stateOf(
  { lastOutcome }: TargetState,
  { failing, state, ready }: ReturnType<typeof inventoryRow>,
): ObjectState {
  if (lastOutcome?.terminating === true || lastOutcome?.type === 'deleting') return 'deleting';
  if (failing) return 'failing';
  if (lastOutcome?.type === 'paused' || lastOutcome?.type === 'clusterPaused') return 'paused';
  if (lastOutcome?.type === 'unmanaged' || lastOutcome?.type === 'anotherDeployment') return 'unmanaged';
  if (ready === false) return 'notReady';
  if (state === 'running') return 'running';
  return ready === true ? 'ready' : 'settled';
}
