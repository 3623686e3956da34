import { rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SystemClock } from '../../../lib/adapters/system/system-clock.ts';
import { InfrastructureError } from '../../../lib/core/errors.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { openTestState, type TestState, temporaryDirectory } from './test-state.ts';
import { NOW, queuesOf, STEPS } from './workload.ts';

describe('a connection to the state file', () => {
  let directory: string;
  const opened: TestState[] = [];
  beforeEach(() => {
    directory = temporaryDirectory();
  });
  afterEach(async () => {
    for (const { state } of opened.splice(0)) state.close();
    rmSync(directory, { recursive: true, force: true });
  });

  async function open(options: Parameters<typeof openTestState>[0] = {}) {
    const test = await openTestState({ directory, ...options });
    opened.push(test);
    return test.state;
  }

  it('R-1.10 writes wait for the lock of another process without blocking the thread, and keep their order', async () => {
    const state = await open({ clock: new SystemClock() });
    const holder = new DatabaseSync(state.path, { timeout: 0 });
    holder.exec('BEGIN IMMEDIATE');
    const done: number[] = [];
    const writes = [1, 2, 3].map(async (count) => {
      await state.store.countFailure('message', NOW);
      done.push(count);
    });
    for (let turn = 0; turn < 200; turn += 1) await nextTurn();
    expect(done).toEqual([]);
    holder.exec('COMMIT');
    holder.close();
    // The lock is released before the waiting ones try again.
    const last = state.store.countFailure('message', NOW).then(() => done.push(4));
    await Promise.all([...writes, last]);
    expect(done).toEqual([1, 2, 3, 4]);
    expect(await state.store.countFailure('message', NOW)).toBe(5);
  });

  it('R-1.10 a process opens the file when another one has released the lock of the whole file', async () => {
    const first = await openTestState({ directory });
    await first.state.store.setPaused('local', true);
    const holder = new DatabaseSync(first.state.path, { timeout: 0 });
    // The log stays, as after a crash.
    holder.prepare('SELECT count(*) FROM item').get();
    first.state.close();
    holder.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; COMMIT');
    let isOpen = false;
    const opening = open({ clock: new SystemClock() }).then((state) => {
      isOpen = true;
      return state;
    });
    for (let turn = 0; turn < 100; turn += 1) await nextTurn();
    expect(isOpen).toBe(false);
    holder.close();
    expect((await (await opening).store.readCluster('local')).paused).toBe(true);
  });

  it('R-1.10 readers read while another process holds the lock', async () => {
    const state = await open();
    await state.store.setPaused('local', true);
    const holder = new DatabaseSync(state.path, { timeout: 0 });
    holder.exec('BEGIN IMMEDIATE');
    expect((await state.store.readCluster('local')).paused).toBe(true);
    holder.exec('ROLLBACK');
    holder.close();
  });

  it('R-6.4 a write names the process that holds the lock for too long, and works when it is free', async () => {
    const clock = new ManualClock();
    const state = await open({ clock });
    const holder = new DatabaseSync(state.path, { timeout: 0 });
    holder.exec('BEGIN IMMEDIATE');
    const write = state.store.setPaused('local', true);
    const failed = expect(write).rejects.toThrow(/was locked by another process for 10 s/);
    await clock.advance(11_000);
    await failed;
    holder.exec('ROLLBACK');
    holder.close();
    await state.store.setPaused('local', true);
    expect((await state.store.readCluster('local')).paused).toBe(true);
  });

  it('R-5.5 a write that waits for a lock ends with the reason of its signal', async () => {
    const state = await open({ clock: new SystemClock() });
    const queue = await state.delayQueue('evenkeel-local-wakes');
    const holder = new DatabaseSync(state.path, { timeout: 0 });
    holder.exec('BEGIN IMMEDIATE');
    const abort = new AbortController();
    const reason = new Error('the worker stops');
    const sending = queue.sendDelayed({ body: 'x', delaySeconds: 0 }, abort.signal);
    abort.abort(reason);
    await expect(sending).rejects.toBe(reason);
    holder.exec('ROLLBACK');
    holder.close();
    expect(await queue.receive({ maxMessages: 10, waitSeconds: 0, visibilitySeconds: 60 })).toEqual([]);
  });

  it('R-5.5 a write is not made when its signal aborted before it', async () => {
    const state = await open();
    const queue = await state.delayQueue('evenkeel-local-wakes');
    const reason = new Error('the worker stops');
    await expect(queue.sendDelayed({ body: 'x', delaySeconds: 0 }, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(await queue.receive({ maxMessages: 10, waitSeconds: 0, visibilitySeconds: 60 })).toEqual([]);
  });

  it('R-5.5 a write that fails in the middle leaves nothing behind', async () => {
    const state = await open();
    const queue = await state.fifoQueue('evenkeel-local-events');
    const broken = new DatabaseSync(state.path);
    broken.exec("CREATE TRIGGER broken BEFORE INSERT ON fifo_group BEGIN SELECT RAISE(ABORT, 'no'); END");
    const message = { body: 'x', messageGroupId: 'g', deduplicationId: 'd' };
    await expect(queue.send([message])).rejects.toThrow(InfrastructureError);
    broken.exec('DROP TRIGGER broken');
    broken.close();
    expect(await queue.waiting()).toBe(0);
    expect(await queue.send([message])).toEqual([{ accepted: true }]);
    expect(await queue.waiting()).toBe(1);
  });

  it('R-1.24 an error of SQLite is not repeated in the message', async () => {
    const state = await open();
    const broken = new DatabaseSync(state.path);
    broken.exec("CREATE TRIGGER broken BEFORE INSERT ON item BEGIN SELECT RAISE(ABORT, 'hunter2'); END");
    broken.close();
    const error = await state.store.setPaused('local', true).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(InfrastructureError);
    expect(String(error)).not.toContain('hunter2');
    expect(String(error)).toContain('refused a statement with SQLite code 19');
  });

  it('R-5.11 each statement is prepared once', async () => {
    const prepared: string[] = [];
    const prepare = DatabaseSync.prototype.prepare;
    const spy = vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function (this: DatabaseSync, sql) {
      prepared.push(sql);
      return prepare.call(this, sql);
    });
    try {
      const state = await open({ clock: new ManualClock(NOW) });
      const queues = queuesOf(state);
      for (let round = 0; round < 2; round += 1) for (const step of STEPS) await step.run(state, queues);
    } finally {
      spy.mockRestore();
    }
    expect(prepared.length).toBeGreaterThan(20);
    expect(prepared).toEqual([...new Set(prepared)]);
  });
});
