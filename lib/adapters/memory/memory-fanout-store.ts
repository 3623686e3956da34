import {
  type DelayedRound,
  DOUBT_MS,
  type FanoutKey,
  type FanoutMarker,
  type FanoutStore,
  type Observation,
} from '../../ports/fanout-store.ts';
import { fanoutKey } from '../state-keys.ts';
import type { MemoryTableOptions } from './memory-target-store.ts';
import { Partitions } from './partitions.ts';

/** Markers in memory. They do not expire, because the memory never lives as long as a marker. */
export class MemoryFanoutStore implements FanoutStore {
  readonly #table: Pick<MemoryTableOptions, 'onRequest'>;
  readonly #items = new Partitions<FanoutMarker>();

  constructor(table: Pick<MemoryTableOptions, 'onRequest'>) {
    this.#table = table;
  }

  async recordChange(key: FanoutKey, observation: Observation, nowMs: number): Promise<FanoutMarker | undefined> {
    const before = this.#items.get(fanoutKey(key));
    const { incarnation, version, seen } = observation;
    const isSameIncarnation = before?.incarnation === incarnation;
    // A table needs two requests for an observation without a version, unless its marker has the same incarnation.
    if (version === undefined && !isSameIncarnation) this.#table.onRequest('dynamodb', 'UpdateItem', { refused: true });
    const refused =
      before !== undefined &&
      (before.incarnation > incarnation ||
        (isSameIncarnation && version !== undefined && (before.version ?? version) > version));
    this.#table.onRequest('dynamodb', 'UpdateItem', { refused });
    if (refused) return undefined;
    const { version: versionBefore, ...rest } = before ?? { round: nowMs };
    const kept = version ?? (isSameIncarnation ? versionBefore : undefined);
    return this.#put({
      ...rest,
      key: { ...key },
      incarnation,
      ...(kept !== undefined && { version: kept }),
      seen: { ...seen },
      ...(version === undefined && { doubtUntilMs: nowMs + DOUBT_MS }),
    });
  }

  async readMarker(key: FanoutKey): Promise<FanoutMarker | undefined> {
    this.#table.onRequest('dynamodb', 'GetItem', {});
    return this.#items.get(fanoutKey(key));
  }

  async beginRound({ key, round }: FanoutMarker, nowMs: number, prompt: boolean): Promise<FanoutMarker | undefined> {
    const before = this.#items.get(fanoutKey(key));
    const refused = before?.round !== round;
    this.#table.onRequest('dynamodb', 'UpdateItem', { refused });
    if (before === undefined || refused) return undefined;
    return this.#put({ ...before, round: round + 1, roundAtMs: nowMs, ...(prompt && { promptAtMs: nowMs }) });
  }

  async recordDelayed({ key, round }: FanoutMarker, delayed: Omit<DelayedRound, 'round'>): Promise<boolean> {
    const before = this.#items.get(fanoutKey(key));
    const refused = before?.round !== round;
    this.#table.onRequest('dynamodb', 'UpdateItem', { refused });
    if (before === undefined || refused) return false;
    this.#put({ ...before, delayed: { ...delayed, round } });
    return true;
  }

  /** As Partitions.backUp. */
  backUp(): () => void {
    return this.#items.backUp();
  }

  #put(marker: FanoutMarker): FanoutMarker {
    this.#items.set(fanoutKey(marker.key), Object.freeze(marker));
    return marker;
  }
}
