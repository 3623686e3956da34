import { describe, expect, it } from 'vitest';
import { MemoryStateStore } from '../../../lib/adapters/memory/memory-state-store.ts';
import type { SkinnyEvent } from '../../../lib/core/event.ts';
import type { Target, TargetKey } from '../../../lib/core/target.ts';
import { selectEvents } from '../../../lib/engine/fanout/wakeup.ts';
import type { TargetState } from '../../../lib/ports/state-store.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { RecordedMetrics, SilentLogger } from '../../../lib/testing/recorders.ts';
import { takeLease } from '../../support/take-lease.ts';

const TARGET: Target = {
  cluster: 'test',
  kind: 'widgets.test.evenkeel.dev',
  uid: 'u',
  namespace: 'default',
  name: 'one',
};
const SECRET = 'secrets/default/s';

async function committedAt(version: number, secretVersion: number) {
  const requests: string[] = [];
  const store = new MemoryStateStore({
    clock: new ManualClock(),
    onRequest: (_, operation) => requests.push(operation),
  });
  const state = await takeLease(store, {
    target: TARGET,
    owner: 'o',
    attempt: 'a',
    nowMs: 0,
    leaseUntilMs: 30_000,
    latestUntilMs: 30_000 + 4_000,
  });
  await store.commit(
    { target: TARGET, owner: 'o', epoch: state?.epoch ?? 0 },
    {
      incarnation: 1,
      observedVersion: version,
      failures: 0,
      bucket: { tokens: 1, atMs: 0 },
      values: {},
      wakeSent: false,
      versions: { [SECRET]: secretVersion },
      edges: [SECRET],
      reconcilerVersion: '1',
      lastOutcome: { type: 'settled', reason: '', message: '', atMs: 0, durationMs: 0, cause: 'updated' },
    },
  );
  requests.length = 0;
  return { store, requests };
}

const reporting = (store: MemoryStateStore) => ({
  store,
  logger: new SilentLogger(),
  metrics: new RecordedMetrics(),
});

const wakeup = (event: Partial<SkinnyEvent>) => ({
  event: { v: 1, ...TARGET, incarnation: 1, cause: 'updated', at: 0, ...event } as SkinnyEvent,
  onlyIfKnown: false,
});
const changed = (resourceVersion: string, deleted?: boolean) => ({
  kind: 'secrets',
  namespace: 'default',
  name: 's',
  resourceVersion,
  ...(deleted === undefined ? {} : { deleted }),
});

describe('selectEvents', () => {
  it('R-5.11 an event that a committed pass has seen costs no message and no write, and many events share one read', async () => {
    const { store, requests } = await committedAt(10, 20);
    const wakeups = [
      wakeup({ resourceVersion: '9' }),
      wakeup({ resourceVersion: '10' }),
      wakeup({ cause: 'dependency', changed: changed('20') }),
    ];
    expect(await selectEvents(reporting(store), wakeups)).toEqual([]);
    expect(requests).toEqual(['BatchGetItem']);
  });

  it.each<[string, Partial<SkinnyEvent>]>([
    ['a newer version', { resourceVersion: '11' }],
    ['a version of another incarnation', { resourceVersion: '9', incarnation: 2 }],
    ['a deletion', { cause: 'deleted', resourceVersion: '10' }],
    ['a newer version of what was read', { cause: 'dependency', changed: changed('21') }],
    ['a deletion of what was read', { cause: 'dependency', changed: changed('20', true) }],
    ['an object that was not read', { cause: 'dependency', changed: { ...changed('20'), name: 'other' } }],
    ['another target', { uid: 'other', resourceVersion: '9' }],
  ])('R-1.8 %s is sent', async (_, event) => {
    const { store } = await committedAt(10, 20);
    expect(await selectEvents(reporting(store), [wakeup(event)])).toHaveLength(1);
  });

  it('R-1.8 an event is sent during a pass, because the pass has not committed yet', async () => {
    const { store } = await committedAt(10, 20);
    await store.acquire({
      target: TARGET,
      owner: 'o',
      attempt: 'b',
      nowMs: 40_000,
      leaseUntilMs: 70_000,
      latestUntilMs: 70_000 + 4_000,
    });
    expect(await selectEvents(reporting(store), [wakeup({ resourceVersion: '11' })])).toHaveLength(1);
  });
});

describe('selectEvents, of a target whose item cannot be read', () => {
  const OTHER = { ...TARGET, uid: 'other', name: 'other' };
  const spoilt = async () => {
    const { store } = await committedAt(10, 20);
    const unreadable = 'the item cannot be read';
    const logger = new SilentLogger();
    const metrics = new RecordedMetrics();
    const readTargets = async (keys: readonly TargetKey[]): Promise<TargetState[]> =>
      (await store.readTargets([TARGET]))
        .filter(() => keys.some(({ uid }) => uid === TARGET.uid))
        .map((state) => ({ ...state, epoch: 0, versions: {}, unreadable }));
    return { deps: { store: { readTargets }, logger, metrics }, logger, metrics };
  };

  it.each<[string, Partial<SkinnyEvent>, boolean]>([
    ['its own change', { resourceVersion: '11' }, false],
    ['a change of what it read', { cause: 'dependency', changed: changed('21') }, false],
    ['a change of what it owns', { cause: 'dependency', changed: changed('21') }, true],
  ])('R-5.19 selectEvents drops %s, and names the target once', async (_, event, onlyIfKnown) => {
    const { deps, logger, metrics } = await spoilt();
    const wakeups = [
      { ...wakeup(event), onlyIfKnown },
      { ...wakeup({ ...event, incarnation: 2 }), onlyIfKnown },
      wakeup({ ...OTHER, resourceVersion: '11' }),
    ];
    expect(await selectEvents(deps, wakeups)).toMatchObject([{ uid: 'other' }]);
    expect(metrics.total('Unreadable', { Cluster: 'test', Kind: TARGET.kind })).toBe(1);
    expect(logger.lines).toMatchObject([{ level: 'warn', fields: { uid: 'u' } }]);
  });
});
