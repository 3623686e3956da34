import type { SeenVersion } from '../../core/changed-object.ts';
import type { FanoutRequest } from '../../core/event.ts';
import { type EdgeKey, listKey, objectKey } from '../../core/observation.ts';
import type { Clock, Entropy } from '../../ports/clock.ts';
import type { FanoutKey, FanoutMarker } from '../../ports/fanout-store.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { DelayQueue } from '../../ports/queue.ts';
import type { Edge, ReadersPage, StateStore } from '../../ports/state-store.ts';
import type { EventSender, Lane } from '../event-sender.ts';
import type { Registry } from '../registry.ts';
import { sendWake } from '../send-wake.ts';
import { type AskedRound, comesWithAnother } from './comes-with-another.ts';
import { DEFAULT_FANOUT_OPTIONS, type FanoutOptions } from './fanout-options.ts';
import { dependencyEvent, selectEvents } from './wakeup.ts';
import { changedOf, fanoutKeyOf, fanoutRequest } from './wide-change.ts';

export interface FanoutDependencies {
  readonly store: StateStore;
  readonly registry: Registry;
  readonly sender: EventSender;
  readonly wakes: Pick<DelayQueue, 'sendDelayed'>;
  /** The time limit of a message: a round that takes longer than half of it continues in another message. */
  readonly passLimitMs: number;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly options?: Partial<FanoutOptions>;
}

export type FanoutEnd =
  /** All readers got their event. */
  | 'told'
  /** A message for the other readers was sent, delayed or not. */
  | 'continued'
  /** The delayed message that brings the round later was sent. */
  | 'putOff'
  /** A delayed message that was sent earlier brings the round. */
  | 'joined'
  /** There is no marker: it expired. */
  | 'dropped';

/** One round: the observation that its events name, and their lane. */
interface Round {
  readonly key: FanoutKey;
  readonly incarnation: number;
  readonly seen: SeenVersion;
  readonly round: number;
  readonly lane: Lane;
}

/** The readers of one kind by one edge. */
interface Stretch {
  readonly edge: number;
  readonly kind: string;
  /** The last reader that got its event. */
  readonly afterUid?: string;
}

/**
 * Sends an object's change to many readers. The marker names the change, the message does not: a round first
 * adds 1 to the marker's round, and uses the observation in the answer to that write. So a change that is recorded
 * later is sent under a new id and starts its own round, and a change that was recorded earlier is sent by this round.
 * Rounds of one object have a pause between them, and wait while their lane is full. So the number of waiting messages
 * is bounded by the number of readers, however often the object changes. While a round waits, only one delayed message
 * represents it. Otherwise each message that is delivered twice would become two waiting messages, and these alone
 * would keep the lane full.
 */
export class FanoutRunner {
  readonly #deps: FanoutDependencies;
  readonly #options: FanoutOptions;

  constructor(deps: FanoutDependencies) {
    this.#deps = deps;
    this.#options = { ...DEFAULT_FANOUT_OPTIONS, ...deps.options };
  }

  /** Resolves when the message may be acknowledged. @throws InfrastructureError */
  async handle(request: FanoutRequest): Promise<FanoutEnd> {
    const startedMonotonicMs = this.#deps.clock.monotonic();
    const key = fanoutKeyOf(request);
    const { step, bulk = false } = request;
    if (step.type === 'goOn') {
      const { incarnation, seen, round, place } = step;
      const goingOn = { key, incarnation, seen, round, lane: bulk ? 'resync' : 'events' } as const;
      return await this.#tell(goingOn, startedMonotonicMs, parsePlace(place));
    }
    const begun = await this.#begin({ key, bulk, dueAt: step.type === 'again' ? step.dueAt : undefined });
    return typeof begun === 'string' ? begun : await this.#tell(begun, startedMonotonicMs);
  }

  async #begin(asked: AskedRound): Promise<Round | 'putOff' | 'joined' | 'dropped'> {
    const { key, bulk } = asked;
    const { store, sender, clock, metrics } = this.#deps;
    const marker = await store.readMarker(key);
    if (marker === undefined) return 'dropped';
    const nowMs = clock.now();
    if (comesWithAnother(marker, asked, nowMs)) return 'joined';
    const lane: Lane = bulk || !this.#hasRested(marker, nowMs) ? 'resync' : 'events';
    const pauseMs = leftOf(marker.roundAtMs, this.#options.pauseMs, nowMs);
    if (pauseMs > 0) return await this.#putOff(marker, bulk, pauseMs, 'Pause');
    if ((await sender.waiting(key.group, lane)) > this.#options.laneDepth) {
      const { pauseMs, bulkPauseMs } = this.#options;
      return await this.#putOff(marker, bulk, bulk ? bulkPauseMs : pauseMs, 'LaneFull');
    }
    const begun = await store.beginRound(marker, nowMs, lane === 'events');
    // Another handler started the round, or this request did and was repeated. In both cases the round may not reach
    // its end.
    if (begun === undefined) return await this.#putOff(marker, bulk, this.#options.pauseMs, 'Begun');
    metrics.record('FanoutRound', 1, { Group: key.group, Lane: lane });
    const doubtful = (begun.doubtUntilMs ?? 0) > nowMs;
    const { incarnation, seen, round } = begun;
    return { key, incarnation, seen: doubtful ? { absentAt: `round ${round}` } : seen, round, lane };
  }

  #hasRested({ promptAtMs }: FanoutMarker, nowMs: number): boolean {
    return leftOf(promptAtMs, this.#options.restMs, nowMs) === 0;
  }

  /**
   * The message is sent before it is recorded, and recorded before the present message is acknowledged. After a crash
   * in between the round is put off twice, and never lost.
   */
  async #putOff(marker: FanoutMarker, bulk: boolean, delayMs: number, reason: string): Promise<'putOff'> {
    const { store, wakes, clock, entropy, metrics } = this.#deps;
    const { key } = marker;
    const nowMs = clock.now();
    // The delay is random, so that rounds that wait for the same lane do not start together.
    const dueAtMs = Math.round(nowMs + delayMs * (1 + entropy.random() * 0.2));
    const message = { type: 'fanout', fanout: key, dueAtMs, setAtMs: nowMs, ...(bulk && { bulk }) } as const;
    await sendWake(wakes, message, { dueAtMs, dueSetAtMs: nowMs }, nowMs);
    await store.recordDelayed(marker, { setAtMs: nowMs, dueAtMs, bulk });
    metrics.record('FanoutPutOff', 1, { Group: key.group, Reason: reason });
    return 'putOff';
  }

  async #tell(round: Round, startedMonotonicMs: number, from?: Stretch): Promise<'told' | 'continued'> {
    const { store, clock, passLimitMs } = this.#deps;
    const { key } = round;
    const edges = edgesOf(key);
    let told = 0;
    let place: Stretch | undefined;
    for (const stretch of this.#stretches(key, edges.length, from)) {
      const edge = edges[stretch.edge] ?? '';
      const { afterUid } = stretch;
      let begin: ReadersPage =
        afterUid === undefined ? {} : { after: { cluster: key.cluster, kind: stretch.kind, uid: afterUid } };
      for (;;) {
        const { pageSize: limit, promptReaders } = this.#options;
        if (place !== undefined && round.lane === 'events' && told >= promptReaders) {
          return await this.#goOnLater(round, place);
        }
        const { items, next } = await store.readers(key.cluster, edge, { kind: stretch.kind, limit, ...begin });
        await this.#send(round, items);
        const last = items.at(-1);
        told += items.length;
        if (last !== undefined) place = { ...stretch, afterUid: last.reader.uid };
        // Without a new place the message would have the same id as this one, and the queue would drop it.
        if (last !== undefined && place !== undefined && clock.monotonic() - startedMonotonicMs > passLimitMs / 2) {
          return await this.#goOn(round, place);
        }
        if (next === undefined) break;
        // A page without readers may not be the last page, because edges that name no reader are left out.
        begin = { next };
      }
    }
    return 'told';
  }

  /** By edge and kind, starting at a place. Kinds are sorted, so that another release continues at the same place. */
  *#stretches({ group }: FanoutKey, edges: number, from: Stretch | undefined): Iterable<Stretch> {
    for (let edge = from?.edge ?? 0; edge < edges; edge += 1) {
      for (const kind of this.#deps.registry.kindsOf(group)) {
        const isFirst = edge === from?.edge;
        if (from !== undefined && isFirst && kind < from.kind) continue;
        yield from !== undefined && isFirst && kind === from.kind ? from : { edge, kind };
      }
    }
  }

  async #send(round: Round, readers: readonly Edge[]): Promise<void> {
    const { sender, clock, metrics } = this.#deps;
    const { key, lane, incarnation, seen } = round;
    const stamp = { incarnation, atMs: clock.now() };
    const changed = changedOf(key, seen);
    const events = readers.map(({ reader }) => ({
      event: dependencyEvent(reader, stamp, changed),
      onlyIfKnown: false,
    }));
    const worthwhile = await selectEvents(this.#deps, events);
    await sender.sendAll(lane, worthwhile);
    if (worthwhile.length > 0) metrics.record('FanoutTold', worthwhile.length, { Group: key.group, Lane: lane });
  }

  /** As `#goOn`, with a delayed message. */
  async #goOnLater({ key, incarnation, seen, round }: Round, stretch: Stretch): Promise<'continued'> {
    const { wakes, clock } = this.#deps;
    const nowMs = clock.now();
    const deadline = { dueAtMs: nowMs + this.#options.promptPauseMs, dueSetAtMs: nowMs };
    const rest = { incarnation, round, place: placeOf(stretch), seen };
    const message = { type: 'fanout', fanout: key, rest, dueAtMs: deadline.dueAtMs, setAtMs: nowMs } as const;
    await sendWake(wakes, message, deadline, nowMs);
    return 'continued';
  }

  /** Sent before the present message is acknowledged, under an id that names the round and the place. */
  async #goOn({ key, incarnation, seen, round, lane }: Round, stretch: Stretch): Promise<'continued'> {
    const { sender, clock } = this.#deps;
    const step = { type: 'goOn', incarnation, round, place: placeOf(stretch), seen } as const;
    await sender.sendAll(lane, [fanoutRequest(key, clock.now(), step, lane === 'resync')]);
    return 'continued';
  }
}

/** A reader of the object reads it by name, or lists its namespace or all namespaces. */
function edgesOf({ kind, namespace, name }: FanoutKey): EdgeKey[] {
  const key = objectKey(kind, { namespace, name });
  const isList = key === listKey(kind, namespace);
  if (isList) return [key];
  return [key, listKey(kind, namespace), ...(namespace === '' ? [] : [listKey(kind, '')])];
}

function placeOf({ edge, kind, afterUid }: Stretch): string {
  return `${edge}/${kind}/${afterUid}`;
}

function parsePlace(place: string): Stretch {
  const [edge = '', kind = '', afterUid = ''] = place.split('/');
  return { edge: Number(edge), kind, afterUid };
}

/** The rest of a time span. A start that is further ahead than the length of the span came from a wrong clock. */
function leftOf(beganAtMs: number | undefined, lengthMs: number, nowMs: number): number {
  if (beganAtMs === undefined || beganAtMs > nowMs + lengthMs) return 0;
  return Math.max(0, beganAtMs + lengthMs - nowMs);
}
