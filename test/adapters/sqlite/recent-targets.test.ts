import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Target } from '../../../lib/core/target.ts';
import { takeLease } from '../../support/take-lease.ts';
import { changeFile, openTestState, type TestState } from './test-state.ts';

const target: Target = {
  cluster: 'local',
  kind: 'secretcontracts.evenkeel.dev',
  uid: 'uid-1',
  namespace: 'default',
  name: 'one',
};
const NOW = 1_000_000;
const request = (owner: string) => ({
  target,
  owner,
  attempt: 'a',
  nowMs: NOW,
  leaseUntilMs: NOW + 30_000,
  latestUntilMs: NOW + 34_000,
});

describe('items that a process read or wrote lately', () => {
  let first: TestState;
  let second: TestState;
  beforeEach(async () => {
    first = await openTestState();
    second = await openTestState({ directory: first.directory });
  });
  afterEach(async () => {
    second.state.close();
    await first.close();
  });

  it('R-1.5 a process sees the lease that another one took when it wrote the item itself before', async () => {
    const lease = await takeLease(first.state.store, request('first'));
    const hold = { target, owner: 'first', epoch: lease?.epoch ?? 0 };
    await first.state.store.defer(hold, {
      incarnation: 1,
      dueAtMs: NOW + 1,
      dueSetAtMs: NOW,
      bucket: { tokens: 1, atMs: NOW },
      lastOutcome: { type: 'deferred', reason: '', message: '', atMs: NOW, durationMs: 0, cause: 'updated' },
    } as never);
    await takeLease(second.state.store, request('second'));
    const answer = await first.state.store.acquire(request('first'));
    expect(answer.type).toBe('refused');
    expect((await first.state.store.readTarget(target))?.lease?.owner).toBe('second');
  });

  it('R-1.27 the next reader gets what is stored when a reader changed the values that it got', async () => {
    await takeLease(first.state.store, request('first'));
    const read = await first.state.store.readTarget(target);
    (read?.values as Record<string, unknown>).invented = true;
    expect((await first.state.store.readTarget(target))?.values).toEqual({});
  });

  it('R-5.19 an item is refused when somebody else damaged it after it was read', async () => {
    await takeLease(first.state.store, request('first'));
    await first.state.store.readTarget(target);
    changeFile(first.state.path, `UPDATE item SET body = '{"format":"one"}' WHERE sk = 'uid-1'`);
    await expect(first.state.store.readTarget(target)).rejects.toThrow(/cannot be read/);
  });
});
