import { InfrastructureError, ItemError } from '../../core/errors.ts';
import type { PollKey, PollState, PollStore } from '../../ports/state-store.ts';
import { dueShard, pollKey } from '../state-keys.ts';
import { AttributeError, boolean, type Item, number, readBoolean, readNumber } from './attribute-values.ts';
import { deadlineValues, readDeadline, SET_DEADLINE } from './deadline-attributes.ts';
import type { DynamoDbTable } from './dynamodb-table.ts';

/** Keeps a timer that is due soon enough. */
const DUE_SOON_ENOUGH = 'dueAt <= :dueAt';

/** Sets a timer for a new poll, and moves a timer that is later than the new interval allows. */
const DUE_TOO_LATE = '(attribute_not_exists(dueAt) OR dueAt > :dueAt)';

/**
 * Prevents a poll from storing what it read before a pass touched it: a change between the two would never be found.
 */
const UNTOUCHED = 'pollCounter = :counter';

const TOUCH = 'SET pollCounter = if_not_exists(pollCounter, :zero) + :one, pollInterval = :interval';

/** How often the two updates are tried in turn. One of them fails only when another touch came in between. */
const TOUCH_ROUNDS = 4;

/**
 * Attributes of a poll: seenVersion (absent: unknown), pollCounter, pollInterval, wakeSent (absent: no), and dueAt,
 * dueShard, dueSetAt and dueLength as in a target's item.
 */
export class DynamoDbPollStore implements PollStore {
  readonly #table: DynamoDbTable;
  readonly #shards: number;

  constructor(table: DynamoDbTable, shards: number) {
    this.#table = table;
    this.#shards = shards;
  }

  /** One request when the poll's timer stays, which is the usual case; two when the timer is set. */
  async touchPoll(poll: PollKey, nowMs: number, intervalMs: number): Promise<void> {
    const key = pollKey(poll);
    const values = {
      ':zero': number(0),
      ':one': number(1),
      ':interval': number(intervalMs),
      ':dueAt': number(nowMs + intervalMs),
    };
    const keep = { key, update: `${TOUCH} REMOVE seenVersion`, condition: DUE_SOON_ENOUGH, values };
    const move = {
      key,
      update: `${TOUCH}, ${SET_DEADLINE} REMOVE seenVersion, wakeSent`,
      condition: DUE_TOO_LATE,
      values: { ...values, ...deadlineValues(nowMs + intervalMs, nowMs, this.#dueShard(poll)) },
      deadline: true,
    };
    for (let round = 0; round < TOUCH_ROUNDS; round += 1) {
      if ((await this.#table.update(keep)).accepted || (await this.#table.update(move)).accepted) return;
    }
    throw new InfrastructureError(
      `the poll of ${key.sk} in ${key.pk} was changed by others each time it was touched: it is tried again when the message is delivered again`,
    );
  }

  async readPoll(poll: PollKey): Promise<PollState | undefined> {
    const item = await this.#table.get(pollKey(poll));
    if (item === undefined) return undefined;
    try {
      return readPollItem(poll, item);
    } catch (error) {
      if (!(error instanceof AttributeError)) throw error;
      const { pk, sk } = pollKey(poll);
      throw new ItemError(
        `the item of poll ${pk} ${sk} cannot be read: ${error.message}. Correct it, or delete the item and request a pass of a reader`,
      );
    }
  }

  async savePoll(read: PollState, version: number | undefined, dueAtMs: number, nowMs: number): Promise<boolean> {
    const sameVersion = read.version === undefined ? 'attribute_not_exists(seenVersion)' : 'seenVersion = :read';
    const seen = version === undefined ? ' REMOVE seenVersion' : ', seenVersion = :version';
    const result = await this.#table.update({
      key: pollKey(read.poll),
      update: `SET ${SET_DEADLINE}, wakeSent = :wakeSent${seen}`,
      condition: `${UNTOUCHED} AND ${sameVersion}`,
      values: {
        ...deadlineValues(dueAtMs, nowMs, this.#dueShard(read.poll)),
        ':wakeSent': boolean(true),
        ':counter': number(read.counter),
        ...(read.version !== undefined && { ':read': number(read.version) }),
        ...(version !== undefined && { ':version': number(version) }),
      },
      deadline: true,
    });
    return result.accepted;
  }

  deletePoll(poll: PollKey, counter: number): Promise<boolean> {
    const values = { ':counter': number(counter) };
    return this.#table.delete({ key: pollKey(poll), condition: UNTOUCHED, values, deadline: true });
  }

  #dueShard(poll: PollKey) {
    return dueShard(pollKey(poll), this.#shards);
  }
}

function readPollItem(poll: PollKey, item: Item): PollState {
  const required = (name: string): number => {
    const value = readNumber(item, name);
    if (value === undefined) throw new AttributeError(name);
    return value;
  };
  const version = readNumber(item, 'seenVersion');
  return {
    poll: { ...poll },
    ...(version !== undefined && { version }),
    counter: required('pollCounter'),
    intervalMs: required('pollInterval'),
    dueAtMs: required('dueAt'),
    ...readDeadline(item),
    wakeSent: readBoolean(item, 'wakeSent') ?? false,
  };
}
