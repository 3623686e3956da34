import { z } from 'zod';
import type { SeenVersion } from '../../core/changed-object.ts';
import { ItemError } from '../../core/errors.ts';
import {
  type DelayedRound,
  DOUBT_MS,
  type FanoutKey,
  type FanoutMarker,
  type FanoutStore,
  MARKER_KEPT_MS,
  type Observation,
} from '../../ports/fanout-store.ts';
import { fanoutKey } from '../state-keys.ts';
import { type ItemTable, parseBody, type StoredItem, UnreadableItem } from './item-table.ts';

/** The item of a marker: the fields of FanoutMarker, with the same names. It expires. */
const documentSchema = z.looseObject({
  incarnation: z.number(),
  version: z.number().optional(),
  seen: z.record(z.string(), z.unknown()),
  round: z.number(),
  roundAtMs: z.number().optional(),
  promptAtMs: z.number().optional(),
  doubtUntilMs: z.number().optional(),
  // When it cannot be read, a round is put off once more than needed.
  delayed: z
    .object({ round: z.number(), setAtMs: z.number(), dueAtMs: z.number(), bulk: z.boolean() })
    .optional()
    .catch(undefined),
});

type MarkerFields = Omit<FanoutMarker, 'key' | 'unreadable'>;

export class SqliteFanoutStore implements FanoutStore {
  readonly #items: ItemTable;

  constructor(items: ItemTable) {
    this.#items = items;
  }

  recordChange(key: FanoutKey, observation: Observation, nowMs: number): Promise<FanoutMarker | undefined> {
    return this.#items.connection.write(() => {
      const item = this.#items.find(fanoutKey(key));
      const { before, unreadable } = readOrBegin(key, item);
      const { incarnation, version, seen } = observation;
      const isSameIncarnation = before?.incarnation === incarnation;
      const isRefused =
        before !== undefined &&
        (before.incarnation > incarnation ||
          (isSameIncarnation && version !== undefined && (before.version ?? version) > version));
      this.#items.onRequest('dynamodb', 'UpdateItem', { refused: isRefused });
      if (isRefused) return undefined;
      const { version: versionBefore, ...rest } = before ?? { round: nowMs };
      const kept = version ?? (isSameIncarnation ? versionBefore : undefined);
      // For an unreadable marker it is not known whether its version is doubtful, so it counts as doubtful.
      const isDoubtful = version === undefined || unreadable !== undefined;
      const fields: MarkerFields = {
        ...rest,
        incarnation,
        ...(kept !== undefined && { version: kept }),
        seen,
        ...(isDoubtful && { doubtUntilMs: nowMs + DOUBT_MS }),
      };
      const marker = this.#put(key, item, fields, nowMs);
      return unreadable === undefined ? marker : { ...marker, unreadable };
    });
  }

  readMarker(key: FanoutKey): Promise<FanoutMarker | undefined> {
    return this.#items.connection.read(() => {
      this.#items.onRequest('dynamodb', 'GetItem', {});
      const item = this.#items.find(fanoutKey(key));
      return item === undefined ? undefined : { key: { ...key }, ...readFields(key, item) };
    });
  }

  beginRound({ key, round }: FanoutMarker, nowMs: number, prompt: boolean): Promise<FanoutMarker | undefined> {
    return this.#items.connection.write(() => {
      const item = this.#items.find(fanoutKey(key));
      const before = item === undefined ? undefined : readFields(key, item);
      const refused = before?.round !== round;
      this.#items.onRequest('dynamodb', 'UpdateItem', { refused });
      if (before === undefined || refused) return undefined;
      const fields = { ...before, round: round + 1, roundAtMs: nowMs, ...(prompt && { promptAtMs: nowMs }) };
      return this.#put(key, item, fields, nowMs);
    });
  }

  recordDelayed({ key, round }: FanoutMarker, delayed: Omit<DelayedRound, 'round'>): Promise<boolean> {
    return this.#items.connection.write(() => {
      const item = this.#items.find(fanoutKey(key));
      const before = item === undefined ? undefined : readFields(key, item);
      const refused = before?.round !== round;
      this.#items.onRequest('dynamodb', 'UpdateItem', { refused });
      if (before === undefined || refused) return false;
      this.#put(key, item, { ...before, delayed: { ...delayed, round } }, delayed.setAtMs);
      return true;
    });
  }

  #put(key: FanoutKey, item: StoredItem | undefined, fields: MarkerFields, nowMs: number): FanoutMarker {
    this.#items.put(fanoutKey(key), item, { body: fields, expiresAtMs: Math.ceil(nowMs + MARKER_KEPT_MS) });
    return { key: { ...key }, ...fields };
  }
}

/** An unreadable marker starts from the beginning. Nothing depends on its old values. */
function readOrBegin(
  key: FanoutKey,
  item: StoredItem | undefined,
): { before?: MarkerFields | undefined; unreadable?: string } {
  try {
    return { before: item === undefined ? undefined : readFields(key, item) };
  } catch (error) {
    if (!(error instanceof ItemError)) throw error;
    return { unreadable: error.message };
  }
}

/** @throws ItemError that names the marker. */
function readFields(key: FanoutKey, item: StoredItem): MarkerFields {
  try {
    const { incarnation, version, seen, round, roundAtMs, promptAtMs, doubtUntilMs, delayed } = parseBody(
      documentSchema,
      item,
    );
    return {
      incarnation,
      ...(version !== undefined && { version }),
      seen: seen as SeenVersion,
      round,
      ...(roundAtMs !== undefined && { roundAtMs }),
      ...(promptAtMs !== undefined && { promptAtMs }),
      ...(doubtUntilMs !== undefined && { doubtUntilMs }),
      ...(delayed !== undefined && { delayed }),
    };
  } catch (error) {
    if (!(error instanceof UnreadableItem)) throw error;
    const { pk, sk } = fanoutKey(key);
    throw new ItemError(
      `the marker ${pk} ${sk} cannot be read: ${error.message}. The next change of the object writes it again; or delete it`,
      { cause: error },
    );
  }
}
