import { InfrastructureError } from '../../core/errors.ts';
import type { PollKey, PollState, PollStore } from '../../ports/state-store.ts';
import { dueShard, pollKey } from '../state-keys.ts';
import { boolean, number, readBoolean, readNumber } from './attribute-values.ts';
import { deadlineValues, readDeadline, SET_DEADLINE } from './deadline-attributes.ts';
import type { DynamoDbTable } from './dynamodb-table.ts';

/** Leaves a deadline that is soon enough where it is. */
const DUE_SOON_ENOUGH = 'dueAt <= :dueAt';

/** For a new poll, and one whose deadline is later than its new interval asks for. */
const DUE_TOO_LATE = '(attribute_not_exists(dueAt) OR dueAt > :dueAt)';

/** Keeps a poll from recording what it read before a pass touched it: a change in between would never be seen. */
const UNTOUCHED = 'pollCounter = :counter';

const TOUCH = 'SET pollCounter = if_not_exists(pollCounter, :zero) + :one, pollInterval = :interval';

/** How often the two ways of touching are tried in turn: each fails only when another touch came in between. */
const TOUCH_ROUNDS = 4;

/**
 * Attributes of a poll: seenVersion (absent: unknown), pollCounter, pollInterval, dueAt with dueShard, dueSetAt and dueLength
 * (as of a target), wakeSent (absent: no).
 */
export class DynamoDbPollStore implements PollStore {
  readonly #table: DynamoDbTable;
  readonly #shards: number;

  constructor(table: DynamoDbTable, shards: number) {
    this.#table = table;
    this.#shards = shards;
  }

  /** One request for a poll whose deadline stays, which is most of them; two for one whose deadline is set. */
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
    const version = readNumber(item, 'seenVersion');
    return {
      poll: { ...poll },
      ...(version !== undefined && { version }),
      counter: readNumber(item, 'pollCounter') ?? 0,
      intervalMs: readNumber(item, 'pollInterval') ?? 0,
      dueAtMs: 0,
      ...readDeadline(item),
      wakeSent: readBoolean(item, 'wakeSent') ?? false,
    };
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
