import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { GIVE_BACK_STATEMENTS } from '../../../lib/adapters/sqlite/sqlite-processes.ts';
import { RARE_STATEMENTS } from '../../../lib/adapters/sqlite/sqlite-queues.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { openTestState } from './test-state.ts';
import { NOW, queuesOf, STEPS } from './workload.ts';

const RARE = [...RARE_STATEMENTS, ...GIVE_BACK_STATEMENTS];
const KIND = 'secretcontracts.evenkeel.dev';

/** Runs the queries that the workload does not run. */
async function askTheRest({ state }: Awaited<ReturnType<typeof openTestState>>): Promise<void> {
  const { store, deadLetters } = state;
  const key = { cluster: 'local', kind: KIND, uid: 'u-1' };
  await store.readTargets([key]);
  await store.readTarget(key);
  await store.due(0, NOW, JSON.stringify({ due_at: 1, pk: 'a', sk: 'b' }));
  await store.inventory('local', KIND, 0, 'a');
  await store.readers('local', 'secrets/default/a');
  await store.edges('local', 'secrets', 0);
  await store.readCheckpoint('local', KIND);
  const poll = { cluster: 'local', group: 't4', kind: 'configmaps', namespace: 'default', name: 'settings' };
  await store.deletePoll(poll, 1);
  const queues = await queuesOf(state)();
  await queues.events.waiting();
  await queues.wakes.receive({ maxMessages: 1, waitSeconds: 0, visibilitySeconds: 1 });
  for (const queue of await deadLetters.queues('local')) {
    await deadLetters.peek(queue);
    await deadLetters.redrive(queue, () => {});
  }
}

describe('the statements of the state file', () => {
  it('R-5.11 no statement reads a whole table, apart from those after a clock that was set back and when a process is gone', async () => {
    const clock = new ManualClock(NOW);
    const statements = new Set<string>();
    const test = await openTestState({ clock, maxReceiveCount: 1, onStatement: (sql) => statements.add(sql) });
    const queues = queuesOf(test.state);
    for (const step of STEPS) await step.run(test.state, queues);
    // Long enough for expired items to be removed, and for messages to become dead letters.
    await clock.advance(3_600_000);
    await askTheRest(test);
    const database = new DatabaseSync(test.state.path);
    const plans: [string, string][] = [];
    for (const sql of statements) {
      if (!/^(SELECT|INSERT|UPDATE|DELETE)/.test(sql) || RARE.includes(sql)) continue;
      const parameters = new Set(sql.match(/\?\d+/g) ?? []).size || (sql.match(/\?/g) ?? []).length;
      const values = Array.from({ length: parameters }, () => null);
      for (const { detail } of database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values)) {
        plans.push([sql, String(detail)]);
      }
    }
    database.close();
    await test.close();
    expect(plans.length).toBeGreaterThan(40);
    expect(plans.filter(([, detail]) => /^SCAN (?!CONSTANT ROW)/.test(detail))).toEqual([]);
    expect(plans.filter(([, detail]) => /TEMP B-TREE/.test(detail))).toEqual([]);
  });
});
