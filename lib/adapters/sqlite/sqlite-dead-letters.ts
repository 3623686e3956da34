import type { DeadLetter, DeadLetterQueue, DeadLetters } from '../../ports/dead-letters.ts';
import { addMessage } from './fifo-groups.ts';
import { addDelayed } from './sqlite-delay-queue.ts';
import type { QueueParts, QueueType } from './sqlite-queues.ts';

interface LetterRow {
  readonly id: number;
  readonly message_id: string;
  readonly group_id: string | null;
  readonly body: string;
  readonly reason: string | null;
  readonly sent_at: number;
}

const QUEUES =
  'SELECT name, type, (SELECT count(*) FROM dead_letter WHERE dead_letter.queue = queue.name) AS count FROM queue ' +
  'WHERE name >= ? AND name < ? ORDER BY name';
const LETTERS =
  'SELECT id, message_id, group_id, body, reason, sent_at FROM dead_letter WHERE queue = ? AND id > ? AND id <= ? ORDER BY id LIMIT ?';
const LAST = 'SELECT max(id) AS id FROM dead_letter WHERE queue = ?';
const REMOVE = 'DELETE FROM dead_letter WHERE id = ?';

const DEAD = '-dead';
const SHOWN_AT_ONCE = 1_000;

interface SqliteDeadLetterQueue extends DeadLetterQueue {
  readonly source: string;
  readonly type: QueueType;
}

/** The dead letters in a state file. */
export class SqliteDeadLetters implements DeadLetters {
  readonly #parts: QueueParts;

  constructor(parts: QueueParts) {
    this.#parts = parts;
  }

  queues(stage: string): Promise<SqliteDeadLetterQueue[]> {
    const { connection } = this.#parts;
    const prefix = `evenkeel-${stage}-`;
    return connection.read(() =>
      connection
        .all<{ name: string; type: QueueType; count: number }>(QUEUES, prefix, `${prefix}\u{10ffff}`)
        .map(({ name, type, count }) => ({ name: name + DEAD, source: name, type, count })),
    );
  }

  peek({ source }: SqliteDeadLetterQueue): Promise<DeadLetter[]> {
    const { connection } = this.#parts;
    return connection.read(() =>
      connection.all<LetterRow>(LETTERS, source, 0, Number.MAX_SAFE_INTEGER, SHOWN_AT_ONCE).map(letterOf),
    );
  }

  /**
   * Each letter moves in one transaction.
   * @param choose is called for each letter before it is sent: `keep` leaves it, `end` leaves it and all later ones.
   */
  async redrive(
    { source, type }: SqliteDeadLetterQueue,
    onSent: (letter: DeadLetter) => void,
    choose: (letter: DeadLetter) => Promise<'send' | 'keep' | 'end'> = async () => 'send',
  ): Promise<void> {
    const { connection, arrivals } = this.#parts;
    const last = await connection.read(() => connection.get<{ id: number | null }>(LAST, source)?.id ?? 0);
    for (let after = 0; ; ) {
      const [next] = await connection.read(() => connection.all<LetterRow>(LETTERS, source, after, last, 1));
      if (next === undefined) return;
      const { id } = next;
      after = id;
      const choice = await choose(letterOf(next));
      if (choice === 'end') return;
      if (choice === 'keep') continue;
      const isSent = await connection.write(() => {
        // Another process may have sent it since the read.
        const [row] = connection.all<LetterRow>(LETTERS, source, id - 1, id, 1);
        if (row === undefined) return false;
        if (type === 'fifo') addMessage(this.#parts, source, row.group_id ?? '', row.body);
        else addDelayed(this.#parts, source, row.body, 0);
        connection.run(REMOVE, id);
        return true;
      });
      if (!isSent) continue;
      arrivals.announce(source);
      onSent(letterOf(next));
    }
  }
}

function letterOf({ message_id, body, reason, sent_at }: LetterRow): DeadLetter {
  return { messageId: message_id, body, ...(reason !== null && { reason }), sentAtMs: sent_at };
}
