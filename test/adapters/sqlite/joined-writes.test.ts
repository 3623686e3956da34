import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { InfrastructureError } from '../../../lib/core/errors.ts';
import { openTestState, type TestState, temporaryDirectory } from './test-state.ts';
import { dump, NOW } from './workload.ts';

const MESSAGE = { body: 'x', messageGroupId: 'g', deduplicationId: 'd' };

let folder: string;
const opened: TestState[] = [];
beforeEach(() => {
  folder = temporaryDirectory();
});
afterEach(() => {
  for (const { state } of opened.splice(0)) state.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A state with a queue. `statements` are the later ones; each can be made to fail. */
async function open() {
  const statements: string[] = [];
  const faults = { before: (_statement: string) => {} };
  const test = await openTestState({
    directory: join(folder, 'state'),
    onStatement: (statement) => {
      statements.push(statement);
      faults.before(statement);
    },
  });
  opened.push(test);
  const { state } = test;
  const queue = await state.fifoQueue('evenkeel-local-events');
  const count = (id: string) => state.store.countFailure(id, NOW);
  await count('first');
  // The first use of a queue searches for times that a wrong clock wrote.
  await queue.receive({ maxMessages: 1, waitSeconds: 0, visibilitySeconds: 1 });
  statements.length = 0;
  const writes = () => statements.filter((statement) => /^(BEGIN|COMMIT|SAVEPOINT|ROLLBACK)/.test(statement));
  return { state, queue, count, statements, writes, faults };
}

it('R-5.11 writes of one turn share a commit, in their order, when nothing fails', async () => {
  const { count, writes } = await open();
  expect(await Promise.all([count('a'), count('b'), count('a')])).toEqual([1, 1, 2]);
  expect(writes()).toEqual(['BEGIN IMMEDIATE', ...Array(3).fill('SAVEPOINT one'), 'COMMIT']);
});

it('R-5.11 write has no savepoint when it is alone', async () => {
  const { count, writes } = await open();
  await count('a');
  expect(writes()).toEqual(['BEGIN IMMEDIATE', 'COMMIT']);
});

it('R-5.5 write that fails undoes no other write when they share a commit', async () => {
  const { state, queue, count, writes } = await open();
  const broken = new DatabaseSync(state.path);
  broken.exec("CREATE TRIGGER broken BEFORE INSERT ON fifo_group BEGIN SELECT RAISE(ABORT, 'no'); END");
  broken.close();
  const results = await Promise.allSettled([count('a'), queue.send([MESSAGE]), count('a')]);
  expect(results).toMatchObject([{ value: 1 }, { reason: expect.any(InfrastructureError) }, { value: 2 }]);
  expect(writes().filter((statement) => statement === 'COMMIT')).toHaveLength(1);
  // Its message was added before its message group was refused.
  expect(await queue.waiting()).toBe(0);
  expect(await count('a')).toBe(3);
});

it('R-5.5 none of the writes is done when the commit that they share fails', async () => {
  const { state, count, faults } = await open();
  const before = dump(state.path);
  faults.before = (statement) => {
    if (statement === 'COMMIT') throw Object.assign(new Error('disk I/O error'), { errcode: 10 });
  };
  const failures = await Promise.all(['a', 'b'].map((id) => count(id).catch((error: unknown) => error)));
  expect(failures).toEqual([expect.any(InfrastructureError), expect.any(InfrastructureError)]);
  expect(dump(state.path)).toBe(before);
  faults.before = () => {};
  expect(await count('a')).toBe(1);
});

it('R-5.5 writes are made when the signal of one that shares their commit has ended', async () => {
  const { queue, count } = await open();
  const abort = new AbortController();
  const reason = new Error('the worker stops');
  const results = Promise.allSettled([count('a'), queue.send([MESSAGE], abort.signal), count('b')]);
  abort.abort(reason);
  expect(await results).toEqual([
    { status: 'fulfilled', value: 1 },
    { status: 'rejected', reason },
    { status: 'fulfilled', value: 1 },
  ]);
  expect(await queue.waiting()).toBe(0);
});

it('R-5.21 writes are on the disk when one that shares their commit must be', async () => {
  const { state, count, statements } = await open();
  const hold = await leaseOf(state);
  statements.length = 0;
  await Promise.all([count('a'), state.store.saveValues(hold, { step: 1 })]);
  expect(
    statements.filter((statement) => statement.startsWith('PRAGMA synchronous') || statement === 'COMMIT'),
  ).toEqual(['PRAGMA synchronous = FULL', 'COMMIT']);
});

it('R-5.5 a state file holds all the writes of a commit or none when its process ends before any statement', async () => {
  const { state, count, faults } = await open();
  const images: string[] = [];
  const before = dump(state.path);
  faults.before = () => {
    const image = join(folder, `image-${images.length}`);
    cpSync(join(folder, 'state'), image, { recursive: true });
    images.push(image);
  };
  await Promise.all(['a', 'b', 'c'].map(count));
  faults.before = () => {};
  expect(images.length).toBeGreaterThan(10);
  for (const image of images) {
    const killed = await openTestState({ directory: image });
    opened.push(killed);
    expect(dump(killed.state.path)).toBe(before);
  }
});

async function leaseOf({ store }: TestState['state']) {
  const target = { cluster: 'local', kind: 'widgets', uid: 'u', namespace: 'default', name: 'one' };
  const times = { nowMs: NOW, leaseUntilMs: NOW + 30_000, latestUntilMs: NOW + 34_000 };
  const acquired = await store.acquire({ target, owner: 'worker-1', attempt: 'a', ...times });
  if (acquired.type === 'refused') throw new Error('the target was not free');
  return { target, owner: 'worker-1', epoch: acquired.state.epoch };
}
