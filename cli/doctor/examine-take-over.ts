import { KINDS_THAT_TAKE_OVER, takenOverByMarks } from '../../lib/controllers/control-plane/take-over.ts';
import type { Settings } from '../../lib/deployment/settings/settings-schema.ts';
import type { StateStore } from '../../lib/ports/state-store.ts';
import { readInventory } from '../inspection/read-targets.ts';
import { type Finding, note } from './finding.ts';

/** More are counted, and not named. */
const MAX_NAMED = 50;

/**
 * What this release takes over of an earlier one in a cluster, before it does and until it has: by marks alone, which anybody
 * can write.
 */
export async function examineTakeOver(name: string, store: StateStore, { groups }: Settings): Promise<Finding[]> {
  if (groups['control-plane'] === undefined) return [];
  const findings: Finding[] = [];
  let unnamed = 0;
  for (const type of KINDS_THAT_TAKE_OVER) {
    for await (const state of readInventory(store, name, type)) {
      const parts = state.unreadable === undefined ? takenOverByMarks(state) : [];
      if (parts.length === 0) continue;
      if (findings.length >= MAX_NAMED) {
        unnamed += 1;
        continue;
      }
      const { namespace, name: object } = state.target;
      const what = `${type.kind} ${namespace}/${object} adopts objects of an earlier release by their labels and annotations alone`;
      const advice = `Check that all of them belong to it. The first pass that finds everything in place ends this.`;
      findings.push(note(name, `${what}: ${parts.join(', ')}`, advice));
    }
  }
  if (unnamed > 0) findings.push(note(name, `${unnamed} more Gateways or ManagedDatabases adopt objects in that way`));
  return findings;
}
