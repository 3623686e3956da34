import type { Lane } from '../../engine/event-sender.ts';
import { GROUPS } from '../groups/registered-groups.ts';

/**
 * How many partitions a kind's inventory, its edges and the deadlines are spread over. Part of every key: it never
 * changes for a table's life. An idle minute costs one query for each.
 */
export const TABLE_SHARDS = 8;

/** The stage of the parts that `evenkeel start` embeds: it is on no account, so no deployment may have it. */
export const LOCAL_STAGE = 'local';

export const LANES: readonly Lane[] = ['events', 'resync'];

/** The names of what a deployment of this stage has, `local` for the embedded parts. */
export function tableName(stage: string): string {
  return `evenkeel-${stage}`;
}

/** Without the ending `.fifo`. */
export function queueName(stage: string, group: string, lane: Lane): string {
  return `evenkeel-${stage}-${group}-${lane}`;
}

export function wakeQueueName(stage: string): string {
  return `evenkeel-${stage}-wakes`;
}

/** The dead-letter queue's name for a queue's, both without `.fifo`. */
export function deadLetterName(name: string): string {
  return `${name}-dead`;
}

/**
 * Whether a dead-letter queue is this stage's, whichever groups it has installed. Its prefix alone does not tell: that of
 * stage `prod` begins the names of stage `prod-eu` as well.
 * @param groups the names of the controller groups that there are.
 */
export function isDeadLetterNameOf(
  stage: string,
  name: string,
  groups: readonly string[] = GROUPS.map((group) => group.name),
): boolean {
  const queues = groups.flatMap((group) => LANES.map((lane) => queueName(stage, group, lane)));
  return [...queues, wakeQueueName(stage)].some((queue) => deadLetterName(queue) === name);
}
