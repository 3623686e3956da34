import type { DeadLetter, DeadLetterQueue } from '../../lib/ports/dead-letters.ts';
import { rfc3339 } from '../inspection/explanation.ts';
import { letterSubject } from '../letter-line.ts';
import type { DeadLetterView } from './api-types.ts';
import type { ConsoleReads } from './console-reads.ts';

/** The limit of shown messages for each queue. */
const MAX_LETTERS = 100;

/** @param query has `text`, a part of the queue's name, the subject or the reason. */
export async function viewDeadLetters(
  { letters, frame }: ConsoleReads,
  { text = '' }: Readonly<Record<string, string>>,
): Promise<DeadLetterView> {
  const { value, nextMs } = await letters.latest();
  const queues = value.map(({ queue, letters }) => {
    const shown = letters.filter(isShown(queue, text)).map((letter) => ({
      messageId: letter.messageId,
      sentAt: rfc3339(letter.sentAtMs),
      reason: reasonOf(letter),
      subject: subjectOf(letter),
    }));
    return { name: queue.name, count: queue.count, selected: shown.length, letters: shown.slice(0, MAX_LETTERS) };
  });
  return { ...frame(nextMs), queues, selected: queues.reduce((sum, { selected }) => sum + selected, 0) };
}

/** Whether a filter shows a dead letter of a queue. */
export function isShown({ name }: DeadLetterQueue, text: string): (letter: DeadLetter) => boolean {
  const wanted = text.trim().toLowerCase();
  return (letter) => [name, subjectOf(letter), reasonOf(letter)].some((part) => part.toLowerCase().includes(wanted));
}

function reasonOf({ reason = 'received too often' }: DeadLetter): string {
  return reason;
}

function subjectOf({ body, messageId }: DeadLetter): string {
  return letterSubject(body) ?? `message ${messageId}`;
}
