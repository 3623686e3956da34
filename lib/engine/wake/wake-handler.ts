import { isSetByWrongClock, type SetDeadline } from '../../core/deadline.ts';
import { ItemError } from '../../core/errors.ts';
import type { LeaseTimings } from '../../core/lease.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { DelayQueue, ReceivedMessage } from '../../ports/queue.ts';
import type { StateStore } from '../../ports/state-store.ts';
import type { EventSender } from '../event-sender.ts';
import { fanoutRequest } from '../fanout/wide-change.ts';
import { decodeWake, type WakeMessage } from '../messages/wake-message.ts';
import type { Registry } from '../registry.ts';
import { sendWake } from '../send-wake.ts';
import { dueEvent, pollRequest } from './due-event.ts';

export interface WakeDependencies {
  readonly store: StateStore;
  readonly sender: EventSender;
  readonly registry: Registry;
  readonly wakes: Pick<DelayQueue, 'sendDelayed'>;
  readonly timings: Pick<LeaseTimings, 'clockSkewMs'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /**
   * Whether the deployment still has a cluster, as in the sweep. The wakes of a cluster that was removed from the list are
   * dropped; all are handled by default.
   */
  readonly hasCluster?: (cluster: string) => boolean;
}

/**
 * Handles a delayed wake. If the timer of the item is still the one of the message and is due, its event is sent to the
 * queue. The epoch is not compared, because a timer stays until another one replaces it.
 */
export class WakeHandler {
  readonly #deps: WakeDependencies;

  constructor(deps: WakeDependencies) {
    this.#deps = deps;
  }

  /** Resolves when the message may be deleted. @throws InfrastructureError */
  async handle(message: Pick<ReceivedMessage, 'body' | 'messageId'>): Promise<void> {
    const wake = decodeWake(message.body);
    if (wake === undefined) {
      // Only this package writes to the queue, and the sweep sends the event of a lost wake.
      this.#deps.logger.warn('a delayed wake is malformed and was dropped; the sweep sends its timer', {
        messageId: message.messageId,
      });
      return;
    }
    if (this.#deps.hasCluster?.(clusterOf(wake)) === false) return;
    try {
      await this.#dispatch(wake);
    } catch (error) {
      if (!(error instanceof ItemError)) throw error;
      // The sweep checks the timer each minute, and sends its event as soon as the item can be read again.
      this.#deps.logger.error('a delayed wake was dropped, because its item cannot be read', error);
    }
  }

  async #dispatch(wake: WakeMessage): Promise<void> {
    switch (wake.type) {
      case 'target':
        return await this.#handleTarget(wake);
      case 'poll':
        return await this.#handlePoll(wake);
      case 'fanout':
        return await this.#handleFanout(wake);
    }
  }

  async #handleTarget(wake: Extract<WakeMessage, { type: 'target' }>): Promise<void> {
    const { store, sender, registry, clock, metrics } = this.#deps;
    const controller = registry.controllerOf(wake.target.kind);
    if (controller === undefined) return;
    const state = await store.readTarget(wake.target);
    if (state?.dueAtMs !== wake.dueAtMs) return;
    if (await this.#isEarly(wake, state)) return;
    await sender.sendAll('events', [dueEvent(state, wake.dueAtMs, clock.now())]);
    metrics.record('WakeSent', 1, { Group: controller.group });
  }

  async #handlePoll(wake: Extract<WakeMessage, { type: 'poll' }>): Promise<void> {
    const { store, sender, clock, metrics } = this.#deps;
    const state = await store.readPoll(wake.poll);
    if (state?.dueAtMs !== wake.dueAtMs) return;
    if (await this.#isEarly(wake, state)) return;
    await sender.sendAll('events', [pollRequest(wake.poll, wake.dueAtMs, clock.now())]);
    metrics.record('WakeSent', 1, { Group: wake.poll.group });
  }

  /**
   * A round that was put off comes again under a new id, because the queue would drop it under its old id. The rest of a
   * round has an id that names its place.
   */
  async #handleFanout(wake: Extract<WakeMessage, { type: 'fanout' }>): Promise<void> {
    const { sender, registry, clock, metrics } = this.#deps;
    const { fanout, bulk, rest } = wake;
    if (!registry.groups().includes(fanout.group)) return;
    if (await this.#isEarly(wake, { dueSetAtMs: wake.setAtMs })) return;
    const step =
      rest === undefined ? ({ type: 'again', dueAt: wake.dueAtMs } as const) : ({ type: 'goOn', ...rest } as const);
    await sender.sendAll('events', [fanoutRequest(fanout, clock.now(), step, bulk)]);
    metrics.record('WakeSent', 1, { Group: fanout.group });
  }

  /**
   * The timer is not due yet by the clock of this machine, so the message is delayed once more (R-1.26: never earlier than
   * due). A timer that a wrong clock set is due when its wake arrives: the delay of the queue was true time.
   */
  async #isEarly(wake: WakeMessage, { dueSetAtMs }: Pick<SetDeadline, 'dueSetAtMs'>): Promise<boolean> {
    const { wakes, timings, clock } = this.#deps;
    const nowMs = clock.now();
    const deadline = { dueAtMs: wake.dueAtMs, ...(dueSetAtMs !== undefined && { dueSetAtMs }) };
    if (nowMs >= wake.dueAtMs || isSetByWrongClock(deadline, nowMs, timings.clockSkewMs)) return false;
    await sendWake(wakes, wake, deadline, nowMs);
    return true;
  }
}

function clusterOf(wake: WakeMessage): string {
  switch (wake.type) {
    case 'target':
      return wake.target.cluster;
    case 'poll':
      return wake.poll.cluster;
    case 'fanout':
      return wake.fanout.cluster;
  }
}
