import { writeSync } from 'node:fs';
import { openSqliteState } from '../../../../lib/adapters/sqlite/open-sqlite-state.ts';
import { ManualClock } from '../../../../lib/testing/manual-clock.ts';
import { NOW, queuesOf, STEPS } from '../workload.ts';

/*
 * Runs the steps of the workload from `first` on, and prints each one that was acknowledged. It kills itself before its
 * statement `killAt`, counted from 1. Arguments: directory, first, killAt.
 */
const [directory = '', first = '0', killAt = '0'] = process.argv.slice(2);

let statements = 0;
const state = await openSqliteState({
  directory,
  clock: new ManualClock(NOW),
  entropy: { id: () => String(process.pid) },
  onStatement() {
    statements += 1;
    if (statements === Number(killAt)) process.kill(process.pid, 'SIGKILL');
  },
});
const queues = queuesOf(state);
for (const [index, step] of STEPS.entries()) {
  if (index < Number(first)) continue;
  await step.run(state, queues);
  writeSync(1, `${index}\n`);
}
writeSync(1, `statements ${statements}\n`);
state.close();
