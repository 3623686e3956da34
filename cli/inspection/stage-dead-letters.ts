import { GROUPS } from '../../lib/deployment/groups/registered-groups.ts';
import { isDeadLetterNameOf } from '../../lib/deployment/installation/resource-names.ts';
import type { DeadLetterQueue } from '../../lib/ports/dead-letters.ts';
import type { OperatedQueues } from './inspection.ts';

/** The dead-letter queues of this stage only, also those of controller groups that are not installed any more. */
export async function stageDeadLetters({
  stage,
  isCloud,
  deadLetters,
  authorGroups,
}: Pick<OperatedQueues, 'stage' | 'isCloud' | 'deadLetters' | 'authorGroups'>): Promise<DeadLetterQueue[]> {
  const queues = await deadLetters.queues(stage);
  // A state directory has only one stage. It keeps the queues of a module that was removed.
  if (!isCloud) return queues;
  const groups = [...GROUPS.map(({ name }) => name), ...authorGroups];
  return queues.filter(({ name }) => isDeadLetterNameOf(stage, name, groups));
}
