import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { SeenVersion } from '../../core/event.ts';
import {
  DOUBT_MS,
  type FanoutKey,
  type FanoutMarker,
  type FanoutStore,
  MARKER_KEPT_MS,
  type Observation,
} from '../../ports/fanout-store.ts';
import { fanoutKey } from '../state-keys.ts';
import { type Item, json, number, readJson, readNumber } from './attribute-values.ts';
import { type DynamoDbTable, EXPIRES_AT, type Update } from './dynamodb-table.ts';

/** Keeps an observation from replacing one of a newer incarnation, or a newer one of the same incarnation. */
const NOT_NEWER =
  '(attribute_not_exists(incarnation) OR incarnation < :incarnation OR (incarnation = :incarnation AND (attribute_not_exists(seenVersion) OR seenVersion <= :version)))';

/** For an observation without a version: the version of the same incarnation stays, and still orders those that have one. */
const SAME_INCARNATION = 'incarnation = :incarnation';

/** For one that begins an incarnation: a version of an older one would refuse those of this one. */
const OLDER_INCARNATION = '(attribute_not_exists(incarnation) OR incarnation < :incarnation)';

/** Keeps two handlers from beginning the same round. */
const ROUND_AS_READ = 'fanoutRound = :round';

const RECORD = `SET incarnation = :incarnation, seen = :seen, fanoutRound = if_not_exists(fanoutRound, :now), ${EXPIRES_AT} = :expires`;

/**
 * Attributes of a marker: incarnation, seenVersion (absent: not comparable), seen (JSON), fanoutRound, roundAt, promptAt,
 * doubtUntil, and expiresAt, by which the table removes it.
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
      return await this.#write(key, `${RECORD}, seenVersion = :version`, NOT_NEWER, {
        ...values,
        ':version': number(version),
      });
    }
    const doubtful = { ...values, ':doubt': number(nowMs + DOUBT_MS) };
    const update = `${RECORD}, doubtUntil = :doubt`;
    const attempt = async () =>
      (await this.#write(key, update, SAME_INCARNATION, doubtful)) ??
      (await this.#write(key, `${update} REMOVE seenVersion`, OLDER_INCARNATION, doubtful));
    // Between the two another observation may have begun the incarnation: then the first of them is right.
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

  async #write(
    key: FanoutKey,
    update: Update['update'],
    condition: string,
    values: Record<string, AttributeValue>,
  ): Promise<FanoutMarker | undefined> {
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

/** Seconds, as the table's expiry wants them. */
function expiry(nowMs: number): AttributeValue {
  return number(Math.ceil((nowMs + MARKER_KEPT_MS) / 1_000));
}

function readMarker(key: FanoutKey, item: Item): FanoutMarker {
  const version = readNumber(item, 'seenVersion');
  const roundAtMs = readNumber(item, 'roundAt');
  const promptAtMs = readNumber(item, 'promptAt');
  const doubtUntilMs = readNumber(item, 'doubtUntil');
  return {
    key: { ...key },
    incarnation: readNumber(item, 'incarnation') ?? 0,
    ...(version !== undefined && { version }),
    seen: readJson<SeenVersion>(item, 'seen') ?? {},
    round: readNumber(item, 'fanoutRound') ?? 0,
    ...(roundAtMs !== undefined && { roundAtMs }),
    ...(promptAtMs !== undefined && { promptAtMs }),
    ...(doubtUntilMs !== undefined && { doubtUntilMs }),
  };
}
