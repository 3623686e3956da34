import { statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { openSqliteState } from '../../../../lib/adapters/sqlite/open-sqlite-state.ts';
import { SystemClock } from '../../../../lib/adapters/system/system-clock.ts';
import { EvenkeelError, InfrastructureError } from '../../../../lib/core/errors.ts';
import { SeededEntropy } from '../../../../lib/testing/seeded-entropy.ts';
import { takeLease } from '../../../support/take-lease.ts';

/*
 * Passes of a few objects. A pass raises a durable value, and only then has its effect: a line of output with the
 * object, the value, `new` or `again`, and how much of the log is on the disk at that time. The next pass repeats the
 * effect unless the commit recorded it. Responses get lost: a call has done its work, and its caller gets an error. The
 * process kills itself before a statement. Arguments: directory, seed, killAt.
 */
const [directory = '', seed = '0', killAt = '0'] = process.argv.slice(2);
const OBJECTS = 3;
const PASSES = 40;
const LOST_ANSWERS = 0.03;
const LOST = 'the answer was lost';
const DAY_MS = 86_400_000;
const clock = new SystemClock();
const entropy = new SeededEntropy(Number(seed));
const owner = `${process.pid}`;

let statements = 0;
let isSynced = false;
let hasCommitted = false;
let syncedBytes = 0;
const { store, fifoQueue } = await openSqliteState({
  directory,
  clock,
  entropy: { id: () => owner },
  onStatement(sql) {
    noteSynced();
    if (sql.startsWith('PRAGMA synchronous')) isSynced = sql.endsWith('FULL');
    hasCommitted = isSynced && sql.startsWith('COMMIT');
    statements += 1;
    if (statements === Number(killAt)) process.kill(process.pid, 'SIGKILL');
  },
}).catch(endIfFull);
const queue = await fifoQueue('evenkeel-local-events').catch(endIfFull);

for (let pass = 0; pass < PASSES; pass += 1) {
  try {
    await runPass(`u-${Math.floor(entropy.random() * OBJECTS)}`, pass);
  } catch (error) {
    if (!(error instanceof InfrastructureError)) throw error;
    writeSync(1, `fault ${error.message === LOST ? 'lost' : 'full'}\n`);
  }
}

/** After a commit with synchronous=FULL the whole log is on the disk, whether or not the caller got a response. */
function noteSynced(): void {
  if (hasCommitted) syncedBytes = statSync(join(directory, 'evenkeel.db-wal')).size;
  hasCommitted = false;
}

async function runPass(uid: string, pass: number): Promise<void> {
  const target = { cluster: 'local', kind: 'widgets.evenkeel.dev', uid, namespace: 'default', name: uid };
  const message = { body: uid, messageGroupId: uid, deduplicationId: `${seed}:${pass}` };
  await answered(queue.send([message]));
  const received = await answered(queue.receive({ maxMessages: 10, waitSeconds: 0, visibilitySeconds: 0 }));
  // Leases of former processes have expired: this process runs with a later time.
  const nowMs = clock.now() + DAY_MS * Number(seed) + 10 * pass;
  const times = { nowMs, leaseUntilMs: nowMs + 1, latestUntilMs: Number.MAX_SAFE_INTEGER };
  const state = await answered(takeLease(store, { target, owner, attempt: 'a', ...times }));
  if (state === undefined) return;
  const hold = { target, owner, epoch: state.epoch };
  const { count: before = 0, done = 0 } = state.values;
  const isNew = before === done;
  const count = Number(before) + (isNew ? 1 : 0);
  if (isNew && !(await answered(store.saveValues(hold, { count, done })))) throw new Error('the lease was lost');
  noteSynced();
  writeSync(1, `${uid} ${count} ${isNew ? 'new' : 'again'} ${syncedBytes}\n`);
  const record = {
    incarnation: 1,
    failures: 0,
    bucket: { tokens: 1, atMs: nowMs },
    values: { count, done: count },
    wakeSent: false,
    versions: {},
    edges: [],
    reconcilerVersion: '1',
    lastOutcome: { type: 'settled', reason: '', message: '', atMs: nowMs, durationMs: 1, cause: 'updated' },
  } as const;
  if (!(await answered(store.commit(hold, record)))) throw new Error('the lease was lost');
  await answered(queue.delete(received.map(({ receiptHandle }) => receiptHandle)));
}

/** The response of a call that has done its work, unless the response gets lost. */
async function answered<Answer>(call: Promise<Answer>): Promise<Answer> {
  const answer = await call;
  if (entropy.random() < LOST_ANSWERS) throw new InfrastructureError(LOST);
  return answer;
}

/** The disk is full from the start. Prints that and ends, because nothing was begun. */
function endIfFull(error: unknown): never {
  if (!(error instanceof EvenkeelError)) throw error;
  writeSync(1, 'fault full\n');
  process.exit(0);
}
