import type { Lane } from '../../engine/event-sender.ts';
import { GROUPS } from '../groups/registered-groups.ts';

/**
 * The number of shards for a kind's inventory, its edges and the timers. It is part of every key, so it never changes
 * in the life of a table. An idle minute costs one query for each shard.
 */
export const TABLE_SHARDS = 8;

/** The stage name of the embedded parts of `evenkeel start`. No deployment in AWS may have it. */
export const LOCAL_STAGE = 'local';

export const LANES: readonly Lane[] = ['events', 'resync'];

/** The names of a stage's parts; the stage is `local` for the embedded parts. */
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
 * Whether a dead-letter queue belongs to this stage, for any of its groups. The prefix alone is not enough: that of
 * stage `prod` is also the start of the names of stage `prod-eu`.
 * @param groups the names of the controller groups that exist.
 */
export function isDeadLetterNameOf(
  stage: string,
  name: string,
  groups: readonly string[] = GROUPS.map((group) => group.name),
): boolean {
  const queues = groups.flatMap((group) => LANES.map((lane) => queueName(stage, group, lane)));
  return [...queues, wakeQueueName(stage)].some((queue) => deadLetterName(queue) === name);
}
