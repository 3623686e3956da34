import type { ChangedObject } from '../../core/changed-object.ts';
import type { FanoutRequest, PollRequest } from '../../core/event.ts';
import { ABSENT_VERSION, objectKey, versionNumber } from '../../core/observation.ts';
import type { ResourceType } from '../../core/resource-type.ts';
import type { Clock, Entropy } from '../../ports/clock.ts';
import { type ClusterApi, isApiError } from '../../ports/cluster-api.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { DelayQueue } from '../../ports/queue.ts';
import type { Edge, PollKey, PollState, StateStore } from '../../ports/state-store.ts';
import type { Gate } from '../breaker/cluster-gate.ts';
import type { Clusters } from '../clusters.ts';
import type { EventSender } from '../event-sender.ts';
import { DIRECT_READERS } from '../fanout/fanout-options.ts';
import { readersOf } from '../fanout/readers.ts';
import { dependencyEvent } from '../fanout/wakeup.ts';
import { recordWideChanges, wideChange } from '../fanout/wide-change.ts';
import type { Registry } from '../registry.ts';
import { sendWake } from '../send-wake.ts';

export interface PollDependencies {
  readonly store: StateStore;
  readonly clusters: Clusters;
  readonly sender: EventSender;
  readonly gate: Gate;
  readonly wakes: Pick<DelayQueue, 'sendDelayed'>;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /**
   * When more objects of the group than this read the object, rounds send the change, not one event for each reader.
   */
  readonly directReaders?: number;
}

/** How often the poll of an unchanged object checks that it still has readers. */
const READERS_ASKED_EVERY_MS = 10 * 60_000;

/**
 * Polls one object for all its readers: reads the poll's item, sends a GET for the object by its exact name,
 * and starts passes of its readers when the version is not the one that it saw last. The new version is stored after
 * the events were sent, and only if no pass read another version in between.
 */
export class PollRunner {
  readonly #deps: PollDependencies;

  constructor(deps: PollDependencies) {
    this.#deps = deps;
  }

  /** Resolves when the message may be acknowledged. @throws InfrastructureError */
  async handle(request: PollRequest): Promise<'unchanged' | 'changed' | 'dropped' | 'failed'> {
    const { store, clusters, gate } = this.#deps;
    const { cluster, group, kind, namespace, name } = request;
    const poll: PollKey = { cluster, group, kind, namespace, name };
    const state = await store.readPoll(poll);
    if (state === undefined || state.dueAtMs !== request.dueAt) return 'dropped';
    const type = this.#deps.registry.typeOf(poll.group, poll.kind);
    const api = clusters.api(poll.cluster);
    if (type === undefined || api === undefined) return await this.#dropUnread(state);
    if (!(await gate.check(poll.cluster)).open) return await this.#again(state, state.version, 'failed');
    // Read before the object: a later read might return another incarnation than the one of the version that was seen.
    const { incarnation } = await store.readCluster(poll.cluster);
    const found = await this.#read(api, type, poll);
    if (found === 'failed') return await this.#again(state, state.version, 'failed');
    // The poll may have been the probe that a half-open breaker allows.
    await gate.succeeded(poll.cluster);
    if (found.version === undefined || found.version !== state.version)
      return await this.#tellReaders(state, found, incarnation);
    if (this.#asksForReaders(state) && (await this.#readersOf(poll)) === undefined)
      return await this.#dropUnread(state);
    return await this.#again(state, state.version, 'unchanged');
  }

  /**
   * Without this check, an object that never changes would keep its poll after its last reader is gone. Readers are
   * checked at an interval.
   */
  #asksForReaders({ dueAtMs, intervalMs }: PollState): boolean {
    const period = (atMs: number) => Math.floor(atMs / READERS_ASKED_EVERY_MS);
    // Two polls are further apart than the interval, because of jitter and delays. With twice the interval no period is
    // missed.
    return period(dueAtMs) !== period(dueAtMs - 2 * intervalMs);
  }

  /** The readers of the poll's own group. Other groups have their own polls, or get events from the relay. */
  async #readersOf(poll: PollKey): Promise<readonly Edge[] | 'many' | undefined> {
    const { store, registry, directReaders = DIRECT_READERS } = this.#deps;
    const key = objectKey(poll.kind, poll);
    const byGroup = await readersOf({ store, registry, directReaders }, poll.cluster, key, [poll.group]);
    return byGroup.get(poll.group);
  }

  async #tellReaders(state: PollState, found: Found, incarnation: number): Promise<'changed' | 'dropped'> {
    const { sender, metrics } = this.#deps;
    const { poll } = state;
    const readers = await this.#readersOf(poll);
    if (readers === undefined) return await this.#dropUnread(state);
    const changed = changedObject(state, found);
    await sender.sendAll(
      'events',
      readers === 'many'
        ? await this.#roundOf(poll, changed, incarnation)
        : readers.map(({ reader }) => dependencyEvent(reader, { incarnation, atMs: this.#deps.clock.now() }, changed)),
    );
    metrics.record('PollChanged', 1, { Group: poll.group, Kind: poll.kind });
    await this.#again(state, found.version, 'changed');
    return 'changed';
  }

  #roundOf(poll: PollKey, changed: ChangedObject, incarnation: number): Promise<FanoutRequest[]> {
    const { clock } = this.#deps;
    const { key, observation } = wideChange(poll.cluster, poll.group, incarnation, changed);
    // A poll that finds nothing has no version. Its due time identifies the observation, but does not order it.
    const { version: _, ...unordered } = observation;
    const change = { key, observation: changed.absentAt === undefined ? observation : unordered };
    return recordWideChanges(this.#deps, [change], clock.now(), false);
  }

  async #read(api: ClusterApi, type: ResourceType, poll: PollKey): Promise<Found | 'failed'> {
    try {
      const { metadata } = await api.get(type, poll);
      return {
        version: versionNumber(metadata.resourceVersion),
        uid: metadata.uid,
        resourceVersion: metadata.resourceVersion,
      };
    } catch (error) {
      if (isApiError(error, 'NotFound')) return { version: ABSENT_VERSION, uid: '', resourceVersion: '' };
      await this.#deps.gate.failed(poll.cluster, error);
      this.#deps.logger.error('a polled object could not be read; it is tried again at the next interval', error, {
        kind: poll.kind,
      });
      return 'failed';
    }
  }

  /**
   * Stores the result of the read, and sets the next timer with its wake. A refused write means that a pass touched the
   * poll since: that touch counts.
   */
  async #again<Result>(state: PollState, version: number | undefined, result: Result): Promise<Result> {
    const { store, clock, entropy, wakes } = this.#deps;
    const nowMs = clock.now();
    const dueAtMs = Math.round(nowMs + state.intervalMs * (0.9 + entropy.random() * 0.2));
    const wake = (atMs: number) =>
      sendWake(
        wakes,
        { type: 'poll', poll: state.poll, dueAtMs: atMs },
        { dueAtMs: atMs, dueSetAtMs: nowMs },
        clock.now(),
      );
    if (await store.savePoll(state, version, dueAtMs, nowMs)) {
      await wake(dueAtMs);
      return result;
    }
    const touched = await store.readPoll(state.poll);
    if (touched !== undefined && touched.counter !== state.counter) {
      const movedAtMs = nowMs + touched.intervalMs;
      if (await store.savePoll(touched, touched.version, movedAtMs, nowMs)) await wake(movedAtMs);
    }
    return result;
  }

  async #dropUnread(state: PollState): Promise<'dropped'> {
    // Refused when a new reader came in between: the poll continues for it.
    if (!(await this.#deps.store.deletePoll(state.poll, state.counter))) await this.#again(state, undefined, 'dropped');
    return 'dropped';
  }
}

interface Found {
  /** ABSENT_VERSION when the object is absent; undefined when the version is not comparable. */
  readonly version: number | undefined;
  readonly uid: string;
  readonly resourceVersion: string;
}

function changedObject({ poll, dueAtMs }: PollState, found: Found): ChangedObject {
  const { kind, namespace, name } = poll;
  const seen =
    found.version === ABSENT_VERSION
      ? { absentAt: String(dueAtMs) }
      : { uid: found.uid, resourceVersion: found.resourceVersion };
  return { kind, namespace, name, ...seen };
}
