import { statSync, writeSync } from 'node:fs';
import { openSqliteState } from '../../../../lib/adapters/sqlite/open-sqlite-state.ts';
import { SystemClock } from '../../../../lib/adapters/system/system-clock.ts';
import { SeededEntropy } from '../../../../lib/testing/seeded-entropy.ts';
import { takeLease } from '../../../support/take-lease.ts';

/*
 * Passes of a few objects. Each raises a durable value, and only then has the effect that rests on it, which is a line of
 * output: the object, the value, and how much of the log is on the disk by then. It kills itself before a statement.
 * Arguments: directory, seed, killAt.
 */
const [directory = '', seed = '0', killAt = '0'] = process.argv.slice(2);
const OBJECTS = 3;
const clock = new SystemClock();
const entropy = new SeededEntropy(Number(seed));

let statements = 0;
let isSynced = false;
let syncedBytes = 0;
const { path, store, fifoQueue } = await openSqliteState({
  directory,
  clock,
  entropy: { id: () => `${process.pid}` },
  onStatement(sql) {
    if (sql.startsWith('PRAGMA synchronous')) isSynced = sql.endsWith('FULL');
    statements += 1;
    if (statements === Number(killAt)) process.kill(process.pid, 'SIGKILL');
  },
});
const queue = await fifoQueue('evenkeel-local-events');

for (let pass = 0; pass < 40; pass += 1) {
  const uid = `u-${Math.floor(entropy.random() * OBJECTS)}`;
  const target = { cluster: 'local', kind: 'widgets.evenkeel.dev', uid, namespace: 'default', name: uid };
  const owner = `${process.pid}`;
  await queue.send([{ body: uid, messageGroupId: uid, deduplicationId: `${seed}:${pass}` }]);
  const nowMs = clock.now();
  // The leases of processes that are gone are over: this one lives in their future.
  const times = { nowMs: nowMs + 86_400_000 * Number(seed), leaseUntilMs: nowMs + 86_400_000 * Number(seed) + 1 };
  const state = await takeLease(store, {
    target,
    owner,
    attempt: 'a',
    latestUntilMs: Number.MAX_SAFE_INTEGER,
    ...times,
  });
  if (state === undefined) continue;
  const hold = { target, owner, epoch: state.epoch };
  const count = Number(state.values.count ?? 0) + 1;
  if (!(await store.saveValues(hold, { ...state.values, count }))) throw new Error('the lease was lost');
  if (isSynced) syncedBytes = statSync(`${path}-wal`).size;
  writeSync(1, `${uid} ${count} ${syncedBytes}\n`);
  await store.commit(hold, {
    incarnation: 1,
    failures: 0,
    bucket: { tokens: 1, atMs: nowMs },
    values: { count },
    wakeSent: false,
    versions: {},
    edges: [],
    reconcilerVersion: '1',
    lastOutcome: { type: 'settled', reason: 'Settled', message: '', atMs: nowMs, durationMs: 1, cause: 'updated' },
  });
}
