import type { ReceivedMessage } from '../../../ports/queue.ts';
import type { MessageScope, SimulatedProcess } from '../process.ts';
import { eventKey, messageKey } from './event-key.ts';
import type { Report } from './finding.ts';
import type { Invariant } from './invariant.ts';

/** To begin with a message takes no more than to begin with all of its batch. */
const AT_ONCE_MS = 5_000;

/** I9: a failing or slow target delays no other: the first message of each group of a batch is begun at once. */
export class Isolation implements Invariant {
  readonly #report: Report;
  readonly #now: () => number;
  /** When the first message of each group was received, by process and content. */
  readonly #received = new WeakMap<SimulatedProcess, Map<string, number>>();

  constructor(report: Report, now: () => number) {
    this.#report = report;
    this.#now = now;
  }

  batchBegan(process: SimulatedProcess, messages: readonly ReceivedMessage[]): void {
    const received = this.#received.get(process) ?? new Map<string, number>();
    this.#received.set(process, received);
    const groups = new Set<string>();
    for (const { groupId, body } of messages) {
      if (groups.has(groupId)) received.delete(messageKey(body));
      else received.set(messageKey(body), this.#now());
      groups.add(groupId);
    }
  }

  handling({ process, event }: MessageScope): void {
    const key = eventKey(event);
    const receivedAtMs = this.#received.get(process)?.get(key);
    if (receivedAtMs === undefined) return;
    this.#received.get(process)?.delete(key);
    const waitedMs = this.#now() - receivedAtMs;
    if (waitedMs <= AT_ONCE_MS || process.pausedUntilMs > receivedAtMs) return;
    this.#report(
      'I9',
      `${process.name} began with ${event.cause} of ${event.namespace}/${event.name} only after ${waitedMs} ms`,
    );
  }
}
