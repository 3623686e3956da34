import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteState } from '../lib/adapters/sqlite/open-sqlite-state.ts';
import { SystemClock } from '../lib/adapters/system/system-clock.ts';
import { SystemEntropy } from '../lib/adapters/system/system-entropy.ts';

export interface StateFileFigures {
  readonly passesPerSecond: number;
  readonly cpuMsPerPass: number;
  readonly statementsPerPass: number;
}

/**
 * The requests of a pass to the state file, and nothing else: send, receive, acquire, commit, delete.
 * @param durable whether the pass changes a durable value, which is on the disk before the commit resolves.
 */
export async function measureStateFile(count: number, durable: boolean): Promise<StateFileFigures> {
  const directory = mkdtempSync(join(tmpdir(), 'evenkeel-bench-'));
  const clock = new SystemClock();
  let statements = 0;
  const onStatement = () => {
    statements += 1;
  };
  const state = await openSqliteState({ directory, clock, entropy: new SystemEntropy(), onStatement });
  try {
    const queue = await state.fifoQueue('evenkeel-bench-events');
    const pass = async (index: number) => {
      const uid = `3f0c7a52-0000-4000-8000-${String(index % 1_000).padStart(12, '0')}`;
      const target = { cluster: 'bench', kind: 'secretcontracts.evenkeel.dev', uid, namespace: 'default', name: uid };
      await queue.send([{ body: JSON.stringify(target), messageGroupId: uid, deduplicationId: `rv:${index}` }]);
      const messages = await queue.receive({ maxMessages: 10, waitSeconds: 0, visibilitySeconds: 60 });
      const nowMs = clock.now();
      const times = { nowMs, leaseUntilMs: nowMs + 30_000, latestUntilMs: nowMs + 34_000 };
      const lease = await state.store.acquire({ target, owner: 'bench', attempt: 'a', ...times });
      if (lease.type === 'refused') throw new Error('the target was not free');
      await state.store.commit(
        { target, owner: 'bench', epoch: lease.state.epoch },
        {
          incarnation: 1,
          observedVersion: index,
          failures: 0,
          bucket: { tokens: 30, atMs: nowMs },
          values: durable ? { step: index } : {},
          dueAtMs: nowMs + 3_600_000 + index,
          dueSetAtMs: nowMs,
          wakeSent: false,
          versions: { [`secrets/default/${uid}`]: index, 'namespaces//default': 1 },
          edges: [`secrets/default/${uid}`, 'namespaces//default'],
          reconcilerVersion: '1',
          lastOutcome: { type: 'settled', reason: '', message: '', atMs: nowMs, durationMs: 1, cause: 'updated' },
        },
      );
      await queue.delete(messages.map(({ receiptHandle }) => receiptHandle));
    };
    for (let index = 0; index < 100; index += 1) await pass(index);
    statements = 0;
    const cpuBefore = process.cpuUsage();
    const started = performance.now();
    for (let index = 100; index < 100 + count; index += 1) await pass(index);
    const cpu = process.cpuUsage(cpuBefore);
    return {
      passesPerSecond: (count / (performance.now() - started)) * 1_000,
      cpuMsPerPass: (cpu.user + cpu.system) / 1_000 / count,
      statementsPerPass: statements / count,
    };
  } finally {
    state.close();
    rmSync(directory, { recursive: true, force: true });
  }
}
