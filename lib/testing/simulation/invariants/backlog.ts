import type { CallOutcome, ObservedCall } from '../process.ts';
import type { Invariant } from './invariant.ts';
import type { Report } from './violation.ts';

/**
 * The largest number of messages that may wait for one target: rounds of a few objects, its own events, and repeated
 * messages.
 */
const MOST_WAITING = 16;

/** A queue and its present messages. */
interface WaitingQueue {
  messages(): readonly { readonly messageGroupId: string; readonly body: string }[];
}

/**
 * I9, for targets that read one object: the number of messages that wait for a target does not grow with the edits of
 * that object.
 */
export class Backlog implements Invariant {
  readonly #report: Report;
  readonly #queues: Readonly<Record<string, Readonly<Record<string, WaitingQueue>>>>;

  constructor(report: Report, queues: Readonly<Record<string, Readonly<Record<string, WaitingQueue>>>>) {
    this.#report = report;
    this.#queues = queues;
  }

  called({ method }: ObservedCall, { ok }: CallOutcome): void {
    if (method !== 'send' || !ok) return;
    const waiting = new Map<string, number>();
    for (const lanes of Object.values(this.#queues)) {
      for (const queue of Object.values(lanes)) {
        for (const { messageGroupId, body } of queue.messages()) {
          if (body.includes('"cause":"dependency"'))
            waiting.set(messageGroupId, (waiting.get(messageGroupId) ?? 0) + 1);
        }
      }
    }
    for (const [messageGroupId, count] of waiting) {
      if (count > MOST_WAITING) this.#report('I9', `${count} messages of dependencies wait for ${messageGroupId}`);
    }
  }
}
