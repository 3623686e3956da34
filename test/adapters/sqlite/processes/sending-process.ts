import { writeSync } from 'node:fs';
import { openSqliteState } from '../../../../lib/adapters/sqlite/open-sqlite-state.ts';
import { ManualClock } from '../../../../lib/testing/manual-clock.ts';
import { NOW } from '../workload.ts';

/*
 * A process that joins, sends a message for each line that it reads, and runs until it is killed. Arguments: directory,
 * name.
 */
const [directory = '', name = ''] = process.argv.slice(2);
const { processes, fifoQueue } = await openSqliteState({
  directory,
  clock: new ManualClock(NOW),
  entropy: { id: () => name },
  receiver: name,
});
await processes.join(name);
const events = await fifoQueue('evenkeel-local-secret-contract-events');
await events.send([{ messageGroupId: name, body: `of ${name}`, deduplicationId: name }]);
writeSync(1, 'sent\n');
setInterval(() => {}, 1_000_000);
