import type { ResourceType } from '../../core/resource-type.ts';
import type { TargetState } from '../../ports/state-store.ts';
import type { GroupDiagnosis } from '../group.ts';
import { KINDS_THAT_TAKE_OVER, takenOverByMarks } from './take-over.ts';

/** Objects beyond this number are counted, but not named. */
const MAX_NAMED = 50;

/**
 * Finds the objects of an older release that this release will take over by their marks alone. Anybody can write marks
 * (R-3.9).
 */
export async function checkTakeOver(
  inventory: (type: ResourceType) => AsyncIterable<TargetState>,
): Promise<GroupDiagnosis[]> {
  const diagnoses: GroupDiagnosis[] = [];
  let unnamed = 0;
  for (const type of KINDS_THAT_TAKE_OVER) {
    for await (const state of inventory(type)) {
      const parts = state.unreadable === undefined ? takenOverByMarks(state) : [];
      if (parts.length === 0) continue;
      if (diagnoses.length >= MAX_NAMED) {
        unnamed += 1;
        continue;
      }
      const { namespace, name: object } = state.target;
      const what = `${type.kind} ${namespace}/${object} adopts objects of an earlier release by their labels and annotations alone`;
      const advice = `Check that all of them belong to it. The first pass that finds everything in place ends this.`;
      diagnoses.push({ level: 'note', text: `${what}: ${parts.join(', ')}`, advice });
    }
  }
  if (unnamed > 0) {
    diagnoses.push({ level: 'note', text: `${unnamed} more Gateways or ManagedDatabases adopt objects in that way` });
  }
  return diagnoses;
}
