import type { AttributeValue } from '@aws-sdk/client-dynamodb';
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
import { AttributeError, type Item, json, number, readJson, readNumber, text } from './attribute-values.ts';
import { type DynamoDbTable, EXPIRES_AT, type Update } from './dynamodb-table.ts';

/**
 * Prevents an observation from replacing one of a newer incarnation, or a newer one of the same incarnation. A stored
 * version that is absent or not a number is not compared, because it would refuse every observation for ever.
 */
const NOT_NEWER =
  '(NOT attribute_type(incarnation, :numeric) OR incarnation < :incarnation OR (incarnation = :incarnation AND (NOT attribute_type(seenVersion, :numeric) OR seenVersion <= :version)))';

/**
 * For an observation without a version: the stored version of the same incarnation stays, and later ones are compared
 * with it.
 */
const SAME_INCARNATION = 'incarnation = :incarnation';

/**
 * For an observation without a version that starts an incarnation: the stored version of the older incarnation is
 * removed, because it would refuse the observations of the new one.
 */
const OLDER_INCARNATION = '(NOT attribute_type(incarnation, :numeric) OR incarnation < :incarnation)';

/** A number that recordChange keeps has another type, so the marker cannot be read. */
const SPOILT = ['fanoutRound', 'roundAt', 'promptAt', 'doubtUntil']
  .map((name) => `(attribute_exists(${name}) AND NOT attribute_type(${name}, :numeric))`)
  .join(' OR ');

/**
 * Repairs such a marker: its round starts from the clock, as in a new marker. Its version counts as doubtful, because
 * nothing is known of it.
 */
const MEND = 'SET fanoutRound = :now, doubtUntil = :doubt REMOVE roundAt, promptAt';

/** Prevents two handlers from starting the same round, and a put-off from being stored after its round has started. */
const ROUND_AS_READ = 'fanoutRound = :round';

const RECORD = `SET incarnation = :incarnation, seen = :seen, fanoutRound = if_not_exists(fanoutRound, :now), ${EXPIRES_AT} = :expires`;

/**
 * Attributes of a marker: incarnation, seenVersion (absent: not comparable), seen (JSON), fanoutRound, roundAt,
 * promptAt, doubtUntil, delayed (JSON), and expiresAt, after which the table removes the marker.
 */
export class DynamoDbFanoutStore implements FanoutStore {
  readonly #table: DynamoDbTable;

  constructor(table: DynamoDbTable) {
    this.#table = table;
  }

  async recordChange(key: FanoutKey, observation: Observation, nowMs: number): Promise<FanoutMarker | undefined> {
    const { incarnation, version, seen } = observation;
    const values = {
      ':incarnation': number(incarnation),
      ':seen': json(seen),
      ':now': number(nowMs),
      ':expires': expiry(nowMs),
    };
    if (version !== undefined) {
      const versioned = { ...values, ':version': number(version), ':numeric': NUMERIC };
      return await this.#record(key, `${RECORD}, seenVersion = :version`, NOT_NEWER, versioned, nowMs);
    }
    const doubtful = { ...values, ':doubt': number(nowMs + DOUBT_MS) };
    const update = `${RECORD}, doubtUntil = :doubt`;
    const attempt = async () =>
      (await this.#record(key, update, SAME_INCARNATION, doubtful, nowMs)) ??
      (await this.#record(
        key,
        `${update} REMOVE seenVersion`,
        OLDER_INCARNATION,
        { ...doubtful, ':numeric': NUMERIC },
        nowMs,
      ));
    // Another observation may start the incarnation between the two writes. Then the first write succeeds at the second
    // attempt.
    return (await attempt()) ?? (await attempt());
  }

  async readMarker(key: FanoutKey): Promise<FanoutMarker | undefined> {
    const item = await this.#table.get(fanoutKey(key));
    return item === undefined ? undefined : readMarker(key, item);
  }

  async beginRound({ key, round }: FanoutMarker, nowMs: number, prompt: boolean): Promise<FanoutMarker | undefined> {
    const update = `SET fanoutRound = fanoutRound + :one, roundAt = :now, ${EXPIRES_AT} = :expires${prompt ? ', promptAt = :now' : ''}`;
    return await this.#write(key, update, ROUND_AS_READ, {
      ':round': number(round),
      ':one': number(1),
      ':now': number(nowMs),
      ':expires': expiry(nowMs),
    });
  }

  async recordDelayed({ key, round }: FanoutMarker, delayed: Omit<DelayedRound, 'round'>): Promise<boolean> {
    const written = await this.#table.update({
      key: fanoutKey(key),
      update: 'SET delayed = :delayed',
      condition: ROUND_AS_READ,
      values: { ':round': number(round), ':delayed': json({ ...delayed, round }) },
    });
    return written.accepted;
  }

  /**
   * Writes an observation. If the rest of the marker cannot be read, that rest is replaced: nothing depends on its old
   * values.
   */
  async #record(
    ...[key, update, condition, values, nowMs]: [...Write, nowMs: number]
  ): Promise<FanoutMarker | undefined> {
    try {
      return await this.#write(key, update, condition, values);
    } catch (error) {
      if (!(error instanceof UnreadableMarker)) throw error;
      // MEND does not change the observation, because another handler may have recorded a newer one since.
      const mended = await this.#write(key, MEND, SPOILT, {
        ':now': number(nowMs),
        ':doubt': number(nowMs + DOUBT_MS),
        ':numeric': NUMERIC,
      });
      return mended === undefined ? await this.readMarker(key) : { ...mended, unreadable: error.message };
    }
  }

  /** @throws UnreadableMarker after the write. */
  async #write(...[key, update, condition, values]: Write): Promise<FanoutMarker | undefined> {
    const written = await this.#table.update({
      key: fanoutKey(key),
      update,
      condition,
      values,
      returns: 'ALL_NEW',
    });
    return written.accepted ? readMarker(key, written.item) : undefined;
  }
}

type Write = [key: FanoutKey, update: Update['update'], condition: string, values: Record<string, AttributeValue>];

/** The type of a number, for `attribute_type`. */
const NUMERIC = text('N');

const delayedSchema = z.object({ round: z.number(), setAtMs: z.number(), dueAtMs: z.number(), bulk: z.boolean() });

class UnreadableMarker extends ItemError {}

/** In seconds, as the table's expiry attribute requires. */
function expiry(nowMs: number): AttributeValue {
  return number(Math.ceil((nowMs + MARKER_KEPT_MS) / 1_000));
}

/** @throws ItemError that names the marker. */
function readMarker(key: FanoutKey, item: Item): FanoutMarker {
  try {
    return readAttributes(key, item);
  } catch (error) {
    if (!(error instanceof AttributeError)) throw error;
    const { pk, sk } = fanoutKey(key);
    throw new UnreadableMarker(
      `the marker ${pk} ${sk} cannot be read: ${error.message}. The next change of the object writes it again; or delete it`,
    );
  }
}

function readAttributes(key: FanoutKey, item: Item): FanoutMarker {
  const version = readNumber(item, 'seenVersion');
  const roundAtMs = readNumber(item, 'roundAt');
  const promptAtMs = readNumber(item, 'promptAt');
  const doubtUntilMs = readNumber(item, 'doubtUntil');
  const delayed = readDelayed(item);
  return {
    key: { ...key },
    incarnation: readNumber(item, 'incarnation') ?? 0,
    ...(version !== undefined && { version }),
    seen: readJson<SeenVersion>(item, 'seen') ?? {},
    round: readNumber(item, 'fanoutRound') ?? 0,
    ...(roundAtMs !== undefined && { roundAtMs }),
    ...(promptAtMs !== undefined && { promptAtMs }),
    ...(doubtUntilMs !== undefined && { doubtUntilMs }),
    ...(delayed !== undefined && { delayed }),
  };
}

/** @returns undefined also for an unreadable value: then a round is put off once more than needed. */
function readDelayed(item: Item): DelayedRound | undefined {
  try {
    return delayedSchema.safeParse(readJson(item, 'delayed')).data;
  } catch (error) {
    if (error instanceof AttributeError) return undefined;
    throw error;
  }
}
