import type { OutgoingMessage } from '../ports/queue.ts';

/** The largest number of entries of a SendMessageBatch ... */
export const MAX_BATCH_ENTRIES = 10;
/** ... and their largest total size in bytes, which is also the limit of one message (newer limits are larger). */
export const MAX_MESSAGE_BYTES = 262_144;

/**
 * The rounds in which messages are sent, as indices. A round has at most one message of each message group, in order.
 * SQS may refuse one entry of a batch and accept a later one, so two messages of a message group are never in one
 * batch. A round is sent only after the previous round was answered. So a refused message delays the later messages of
 * its message group.
 */
export function sendRounds(messages: readonly OutgoingMessage[]): number[][] {
  const rounds: number[][] = [];
  const sentOfMessageGroup = new Map<string, number>();
  for (const [index, { messageGroupId }] of messages.entries()) {
    const round = sentOfMessageGroup.get(messageGroupId) ?? 0;
    sentOfMessageGroup.set(messageGroupId, round + 1);
    const indices = rounds[round];
    if (indices === undefined) rounds[round] = [index];
    else indices.push(index);
  }
  return rounds;
}

/**
 * Splits a round into batches that the queue accepts. A message that is too large for any batch is sent alone, and is
 * refused.
 */
export function sendBatches(round: readonly number[], messages: readonly OutgoingMessage[]): number[][] {
  const batches: number[][] = [];
  let current: number[] = [];
  let bytes = 0;
  for (const index of round) {
    const size = Buffer.byteLength(messages[index]?.body ?? '');
    if (current.length === MAX_BATCH_ENTRIES || (current.length > 0 && bytes + size > MAX_MESSAGE_BYTES)) {
      batches.push(current);
      current = [];
      bytes = 0;
    }
    current.push(index);
    bytes += size;
  }
  if (current.length > 0) batches.push(current);
  return batches;
}
