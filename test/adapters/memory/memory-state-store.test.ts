import { describe, expect, it } from 'vitest';
import { MemoryStateStore } from '../../../lib/adapters/memory/memory-state-store.ts';
import type { Target } from '../../../lib/core/target.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { takeLease } from '../../support/take-lease.ts';

const target: Target = { cluster: 'test', kind: 'widgets.dev', uid: 'uid-1', namespace: 'default', name: 'one' };

function setUp() {
  const clock = new ManualClock();
  const store = new MemoryStateStore({ clock, shards: 1 });
  const shown = async () => (await store.due(0, Number.MAX_SAFE_INTEGER)).items.map(({ dueAtMs }) => dueAtMs);
  const acquire = async () => {
    const nowMs = clock.now();
    const state = await takeLease(store, {
      target,
      owner: 'w',
      attempt: 'a',
      nowMs,
      leaseUntilMs: nowMs + 30_000,
      latestUntilMs: nowMs + 30_000 + 4_000,
    });
    if (state === undefined) throw new Error('not free');
    return { target, owner: 'w', epoch: state.epoch };
  };
  return { clock, store, shown, acquire };
}

describe('a state store in memory', () => {
  it('R-1.25 the index shows a timer only after its lag, while the item has it at once', async () => {
    const { clock, store, shown, acquire } = setUp();
    store.indexLagMs = 500;
    await store.markHeld(await acquire(), 'any', 7, 0);
    expect((await store.readTarget(target))?.dueAtMs).toBe(7);
    expect(await shown()).toEqual([]);
    await clock.advance(499);
    expect(await shown()).toEqual([]);
    await clock.advance(1);
    expect(await shown()).toEqual([7]);
  });

  it('R-1.25 the index shows a removed timer until its lag is over', async () => {
    const { clock, store, shown, acquire } = setUp();
    const hold = await acquire();
    await store.markHeld(hold, 'any', 7, 0);
    await store.renewAttempt(hold, 'a-2');
    store.indexLagMs = 500;
    await store.forget(hold, 3_600_000);
    expect(await store.readTarget(target)).toBeUndefined();
    expect(await shown()).toEqual([7]);
    await clock.advance(500);
    expect(await shown()).toEqual([]);
  });

  it('R-1.25 the index never shows an older timer after a newer one when the lag shrinks', async () => {
    const { clock, store, shown, acquire } = setUp();
    const hold = await acquire();
    store.indexLagMs = 500;
    await store.markHeld(hold, 'any', 7, 0);
    store.indexLagMs = 0;
    await store.markHeld(hold, 'any', 8, 0);
    expect(await shown()).toEqual([]);
    await clock.advance(500);
    expect(await shown()).toEqual([8]);
  });

  it('R-1.25 the index shows all writes after catchUp', async () => {
    const { store, shown, acquire } = setUp();
    store.indexLagMs = Number.POSITIVE_INFINITY;
    await store.markHeld(await acquire(), 'any', 7, 0);
    expect(await shown()).toEqual([]);
    store.catchUpIndex();
    expect(await shown()).toEqual([7]);
  });

  it('R-1.1 the store returns copies: neither side sees a later change of the other', async () => {
    const { store, acquire } = setUp();
    const hold = await acquire();
    const versions: Record<string, number> = { 'secrets/default/a': 1 };
    const values: Record<string, number> = { step: 1 };
    await store.saveValues(hold, values);
    values.step = 2;
    const before = await store.readTarget(target);
    await store.commit(hold, {
      incarnation: 1,
      failures: 0,
      bucket: { tokens: 1, atMs: 0 },
      values: before?.values ?? {},
      wakeSent: false,
      versions,
      edges: [],
      reconcilerVersion: '1',
      lastOutcome: { type: 'settled', reason: '', message: '', atMs: 0, durationMs: 0, cause: 'updated' },
    });
    versions['secrets/default/a'] = 2;
    expect(before?.versions).toEqual({});
    expect(await store.readTarget(target)).toMatchObject({ values: { step: 1 }, versions: { 'secrets/default/a': 1 } });
  });

  it('R-5.11 the store counts an index write only when a timer changed', async () => {
    const deadlines: boolean[] = [];
    const store = new MemoryStateStore({
      clock: new ManualClock(),
      onRequest: (_service, _operation, { deadline = false }) => deadlines.push(deadline),
    });
    await store.acquire({ target, owner: 'w', attempt: 'a', nowMs: 0, leaseUntilMs: 1, latestUntilMs: 1 + 4_000 });
    const hold = { target, owner: 'w', epoch: 1 };
    await store.markHeld(hold, 'any', 7, 0);
    await store.markHeld(hold, 'any', 7, 0);
    await store.markHeld(hold, 'any', 8, 0);
    expect(deadlines).toEqual([false, true, false, true]);
  });

  it('the store shows all its contents, without a request', async () => {
    const { store, acquire } = setUp();
    const { epoch } = await acquire();
    const edge = { cluster: 'test', key: 'secrets/default/a', reader: target, epoch };
    await store.putEdge(edge);
    const poll = { cluster: 'test', group: 'g', kind: 'secrets', namespace: 'default', name: 'a' };
    await store.touchPoll(poll, 0, 30_000);
    const contents = store.contents();
    expect(contents.targets.map((state) => state.target)).toEqual([target]);
    expect(contents.edges).toEqual([edge]);
    expect(contents.polls.map((state) => state.poll)).toEqual([poll]);
  });
});
