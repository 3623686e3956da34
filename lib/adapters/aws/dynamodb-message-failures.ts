import type { MessageFailures } from '../../ports/state-store.ts';
import { FAILURES_KEPT_MS, failuresKey } from '../state-keys.ts';
import { number, readNumber } from './attribute-values.ts';
import { type DynamoDbTable, EXPIRES_AT } from './dynamodb-table.ts';

const COUNT = `SET ${EXPIRES_AT} = :expiresAt ADD failureCount :one`;

/** Attributes of a message's failures: failureCount, and expiresAt, after which the table may remove the item. */
export class DynamoDbMessageFailures implements MessageFailures {
  readonly #table: DynamoDbTable;

  constructor(table: DynamoDbTable) {
    this.#table = table;
  }

  async countFailure(message: string, nowMs: number): Promise<number> {
    const result = await this.#table.update({
      key: failuresKey(message),
      update: COUNT,
      values: { ':one': number(1), ':expiresAt': number(Math.ceil((nowMs + FAILURES_KEPT_MS) / 1_000)) },
      returns: 'ALL_NEW',
    });
    return (result.accepted ? readNumber(result.item, 'failureCount') : undefined) ?? 1;
  }
}
