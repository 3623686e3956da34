import { GROUPS } from '../../lib/deployment/groups/registered-groups.ts';
import { isDeadLetterNameOf } from '../../lib/deployment/installation/resource-names.ts';
import type { DeadLetterQueue } from '../../lib/ports/dead-letters.ts';
import type { OperatedQueues } from './inspection.ts';

/** The dead-letter queues of this stage and of no other, those of controller groups that are no longer installed too. */
export async function stageDeadLetters({
  stage,
  deadLetters,
  authorGroups,
}: Pick<OperatedQueues, 'stage' | 'deadLetters' | 'authorGroups'>): Promise<DeadLetterQueue[]> {
  const groups = [...GROUPS.map(({ name }) => name), ...authorGroups];
  return (await deadLetters.queues(stage)).filter(({ name }) => isDeadLetterNameOf(stage, name, groups));
}
