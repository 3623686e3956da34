import { writeSync } from 'node:fs';
import { openSqliteState } from '../../../../lib/adapters/sqlite/open-sqlite-state.ts';
import { ManualClock } from '../../../../lib/testing/manual-clock.ts';
import { NOW } from '../workload.ts';

/*
 * A process that joins, holds a message of each queue, a lease and the relay, and then does nothing until it is killed.
 * Arguments: directory, name.
 */
const [directory = '', name = ''] = process.argv.slice(2);
const KIND = 'secretcontracts.evenkeel.dev';
const receive = { maxMessages: 1, waitSeconds: 0, visibilitySeconds: 60 };
const clock = new ManualClock(NOW);
const { store, processes, fifoQueue, delayQueue } = await openSqliteState({
  directory,
  clock,
  entropy: { id: () => name },
  receiver: name,
});
await processes.join(name);
const events = await fifoQueue('evenkeel-local-secret-contract-events');
const wakes = await delayQueue('evenkeel-local-wakes');
const body = `of ${name}`;
await events.send([{ messageGroupId: name, body, deduplicationId: name }]);
await wakes.sendDelayed({ body, delaySeconds: 0 });
await events.receive(receive);
await wakes.receive(receive);
const times = { nowMs: NOW, leaseUntilMs: NOW + 30_000, latestUntilMs: NOW + 34_000 };
const target = { cluster: 'local', kind: KIND, uid: `uid-${name}`, namespace: 'default', name };
await store.acquire({ target, owner: name, attempt: 'a', ...times });
await store.holdRelay(`cluster-${name}`, `${name}/hold`, NOW, NOW + 30_000);
writeSync(1, 'holds all\n');
setInterval(() => {}, 1_000_000);
