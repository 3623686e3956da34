import type { ReceivedMessage } from '../../../ports/queue.ts';
import type { CommitRecord } from '../../../ports/state-store.ts';
import type { MessageScope, ObservedCall, SimulatedProcess } from '../process.ts';
import { eventKey, messageKey } from './event-key.ts';
import type { Invariant } from './invariant.ts';
import type { Report } from './violation.ts';

/** The difference between the start of one message and the start of its whole batch. */
const AT_ONCE_MS = 5_000;
/** After this time the breaker of a cluster that did not answer has closed. */
const BREAKER_OVER_MS = 120_000;

/**
 * I9: a failing or slow target does not delay others: the first message of each message group of a batch starts at
 * once.
 */
export class Isolation implements Invariant {
  readonly #report: Report;
  readonly #now: () => number;
  /** When the first message of each message group was received, by process and message body. */
  readonly #received = new WeakMap<SimulatedProcess, Map<string, number>>();
  /** Processes whose passes got an answer of the cluster since then. */
  readonly #answered = new WeakSet<SimulatedProcess>();
  #steadyFromMs = Number.POSITIVE_INFINITY;

  constructor(report: Report, now: () => number) {
    this.#report = report;
    this.#now = now;
  }

  /** No fault happens after this call. */
  beginSteadyState(): void {
    this.#steadyFromMs = this.#now() + BREAKER_OVER_MS;
  }

  /** While the cluster answers, no pass may be put off as if it did not. */
  wroteState({ method, args, process, scope }: ObservedCall): void {
    if (this.#now() < this.#steadyFromMs || (method !== 'commit' && method !== 'defer')) return;
    const { type } = (args[1] as Pick<CommitRecord, 'lastOutcome'>).lastOutcome;
    if (method === 'commit' && type !== 'retry') this.#answered.add(process);
    if (type !== 'clusterUnreachable' || !this.#answered.has(process)) return;
    const about = `${scope?.event.kind} ${scope?.event.namespace}/${scope?.event.name}`;
    this.#report('I9', `${process.name} puts ${about} off as if the cluster did not answer`);
  }

  batchBegan(process: SimulatedProcess, messages: readonly ReceivedMessage[]): void {
    const received = this.#received.get(process) ?? new Map<string, number>();
    this.#received.set(process, received);
    const messageGroups = new Set<string>();
    for (const { messageGroupId, body } of messages) {
      if (messageGroups.has(messageGroupId)) received.delete(messageKey(body));
      else received.set(messageKey(body), this.#now());
      messageGroups.add(messageGroupId);
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
