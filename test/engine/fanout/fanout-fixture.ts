import { MemoryDelayQueue } from '../../../lib/adapters/memory/memory-delay-queue.ts';
import { MemoryStateStore } from '../../../lib/adapters/memory/memory-state-store.ts';
import { InfrastructureError } from '../../../lib/core/errors.ts';
import type { FanoutRequest } from '../../../lib/core/event.ts';
import { DEFAULT_LEASE_TIMINGS } from '../../../lib/core/lease.ts';
import type { EdgeKey } from '../../../lib/core/observation.ts';
import type { Target } from '../../../lib/core/target.ts';
import { EventSender, type Lane } from '../../../lib/engine/event-sender.ts';
import type { FanoutOptions } from '../../../lib/engine/fanout/fanout-options.ts';
import { type FanoutEnd, FanoutRunner } from '../../../lib/engine/fanout/fanout-runner.ts';
import { recordWideChanges } from '../../../lib/engine/fanout/wide-change.ts';
import { decodeEvent } from '../../../lib/engine/messages/decode-event.ts';
import { Registry } from '../../../lib/engine/registry.ts';
import { createTimers, type Timers } from '../../../lib/engine/runtime/timers.ts';
import type { FanoutKey, Observation } from '../../../lib/ports/fanout-store.ts';
import type { OutgoingMessage, QueueDepth, QueueSender, SendResult } from '../../../lib/ports/queue.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { RecordedMetrics, SilentLogger } from '../../../lib/testing/recorders.ts';
import { SeededEntropy } from '../../../lib/testing/seeded-entropy.ts';
import { type WireMessage, wireMessage } from '../../support/wire-message.ts';
import { CLUSTER, SECRETS, target, widgets } from '../relay/relay-fixture.ts';

export const SECRET: FanoutKey = { cluster: CLUSTER, group: 'widgets', kind: SECRETS, namespace: 'ns', name: 's' };
export const SECRET_EDGE = `${SECRETS}/ns/s`;
const LANES: readonly Lane[] = ['events', 'resync'];

export const seen = (version: number, incarnation = 1): Observation => ({
  incarnation,
  version,
  seen: { uid: 'u', resourceVersion: String(version) },
});

/**
 * A FIFO queue with the features that rounds need. It keeps rounds and readers' events apart, and drops duplicates for
 * five minutes.
 */
export class LaneDouble implements QueueSender, QueueDepth {
  rounds: WireMessage[] = [];
  events: WireMessage[] = [];
  readonly #clock: ManualClock;
  readonly #remembered = new Map<string, number>();

  constructor(clock: ManualClock) {
    this.#clock = clock;
  }

  async send(messages: readonly OutgoingMessage[]): Promise<SendResult[]> {
    const nowMs = this.#clock.now();
    for (const { body, deduplicationId } of messages) {
      if ((this.#remembered.get(deduplicationId) ?? Number.NEGATIVE_INFINITY) + 300_000 > nowMs) continue;
      this.#remembered.set(deduplicationId, nowMs);
      const event = wireMessage(body);
      (event.cause === 'fanout' ? this.rounds : this.events).push(event);
    }
    return messages.map(() => ({ accepted: true }));
  }

  async waiting(): Promise<number> {
    return this.rounds.length + this.events.length;
  }
}

function roundOf(message: WireMessage): FanoutRequest {
  const decoded = decodeEvent(JSON.stringify(message));
  if (!decoded.ok || decoded.event.cause !== 'fanout') throw new Error('the message asks for no round');
  return decoded.event;
}

/** Rounds of one group on memory adapters. The test plays the relay and the readers. */
export class FanoutFixture {
  readonly clock = new ManualClock();
  readonly memory = new MemoryStateStore({ clock: this.clock });
  readonly metrics = new RecordedMetrics();
  readonly registry = new Registry([widgets()]);
  readonly queues = {
    events: new LaneDouble(this.clock),
    resync: new LaneDouble(this.clock),
  };
  readonly wakes = new MemoryDelayQueue({ clock: this.clock });
  /** The number of port calls until one fails; counts down. */
  failsIn = Number.POSITIVE_INFINITY;
  /** The port calls that have an effect, in order. */
  readonly calls: string[] = [];
  onCall: (name: string) => Promise<void> | void = () => {};
  /** The versions that each reader received in delivered events. */
  readonly told = new Map<string, string[]>();
  readonly #store = this.#counted(this.memory, 'store');
  readonly #sender = new EventSender(
    this.registry,
    {
      widgets: {
        events: this.#counted(this.queues.events, 'events'),
        resync: this.#counted(this.queues.resync, 'resync'),
      },
    },
    new SeededEntropy(5, 'dedup'),
  );
  readonly runner: FanoutRunner;
  readonly #timers: Timers;

  constructor(options: Partial<FanoutOptions> = {}, passLimitMs = 20_000) {
    const { clock, registry, metrics } = this;
    const parts = { store: this.#store, sender: this.#sender, registry, clock, logger: new SilentLogger(), metrics };
    const wakes = this.#counted(this.wakes, 'wakes');
    this.runner = new FanoutRunner({ ...parts, wakes, passLimitMs, entropy: new SeededEntropy(6), options });
    this.#timers = createTimers({ ...parts, wakes: this.wakes }, registry, { timings: DEFAULT_LEASE_TIMINGS });
  }

  async readers(count: number, key: EdgeKey = SECRET_EDGE, from = 0): Promise<Target[]> {
    const made = Array.from({ length: count }, (_, index) => target(`r${String(from + index).padStart(5, '0')}`));
    for (const reader of made) await this.memory.putEdge({ cluster: CLUSTER, key, reader, epoch: 1 });
    return made;
  }

  /** Writes the marker and sends the message, like the relay. A caller that fails between the two repeats both. */
  async change(observation: Observation, bulk = false, key = SECRET): Promise<void> {
    const events = await recordWideChanges(
      { store: this.memory, logger: new SilentLogger(), metrics: this.metrics },
      [{ key, observation }],
      this.clock.now(),
      bulk,
    );
    await new EventSender(this.registry, { widgets: this.queues }, new SeededEntropy(7)).sendAll(
      bulk ? 'resync' : 'events',
      events,
    );
  }

  waiting(lane: Lane): WireMessage[] {
    return [...this.queues[lane].rounds, ...this.queues[lane].events];
  }

  /**
   * Handles the rounds that wait in both lanes, and the rounds that they send. A failed call keeps its message in the
   * queue.
   */
  async handleRounds(): Promise<(FanoutEnd | 'died')[]> {
    const ends: (FanoutEnd | 'died')[] = [];
    for (const queue of Object.values(this.queues)) {
      const left: WireMessage[] = [];
      for (let event = queue.rounds.shift(); event !== undefined; event = queue.rounds.shift()) {
        try {
          ends.push(await this.runner.handle(roundOf(event)));
        } catch (error) {
          if (!(error instanceof InfrastructureError)) throw error;
          ends.push('died');
          left.push(event);
        }
      }
      queue.rounds = left;
    }
    return ends;
  }

  /** The readers receive at most this many of their events. */
  async read(atMost = Number.POSITIVE_INFINITY, lanes: readonly Lane[] = LANES): Promise<number> {
    let read = 0;
    for (const lane of lanes) {
      const taken = this.queues[lane].events.splice(0, atMost - read);
      read += taken.length;
      for (const { uid, changed } of taken) {
        const versions = this.told.get(uid) ?? [];
        this.told.set(uid, [...versions, changed?.absentAt ?? changed?.resourceVersion ?? '']);
      }
    }
    return read;
  }

  /** Returns the postponed rounds that are due. A failed call keeps its message in the queue. */
  async wake(): Promise<number> {
    const messages = await this.wakes.receive({ maxMessages: 10, waitSeconds: 0, visibilitySeconds: 1 });
    for (const message of messages) {
      try {
        await this.#timers.wakes.handle(message);
        await this.wakes.delete([message.receiptHandle]);
      } catch (error) {
        if (!(error instanceof InfrastructureError)) throw error;
      }
    }
    return messages.length;
  }

  /** Advances the clock. Handlers work; readers receive nothing, or this many events per second. */
  async elapse(ms: number, readASecond = 0): Promise<void> {
    for (let passedMs = 0; passedMs < ms; passedMs += 1_000) {
      await this.clock.advance(Math.min(1_000, ms - passedMs));
      await this.wake();
      await this.handleRounds();
      await this.read(readASecond);
    }
  }

  #counted<Port extends object>(port: Port, name: string): Port {
    return new Proxy(port, {
      get: (found, property) => {
        const value: unknown = Reflect.get(found, property, found);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          this.failsIn -= 1;
          if (this.failsIn === 0) throw new InfrastructureError('no answer');
          const call = `${name} ${String(property)}`;
          this.calls.push(call);
          const result: unknown = await value.apply(found, args);
          await this.onCall(call);
          return result;
        };
      },
    });
  }
}
