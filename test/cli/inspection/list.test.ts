import { describe, expect, it } from 'vitest';
import { Invocation } from '../../../cli/command.ts';
import { isFailing } from '../../../cli/inspection/explanation.ts';
import type { InventoryRow } from '../../../cli/inspection/inventory-table.ts';
import { readInventory } from '../../../cli/inspection/read-targets.ts';
import { printList } from '../../../cli/list.ts';
import { ConfigMaps, kindId } from '../../../lib/core/resource-type.ts';
import type { LastOutcomeType, StateStore, TargetState } from '../../../lib/ports/state-store.ts';
import { RecordedTerminal } from '../../deployment/terminal/recorded-terminal.ts';
import { type InspectedWorld, inspectedWorld } from './inspected-world.ts';

async function readAll(store: StateStore): Promise<TargetState[]> {
  const found: TargetState[] = [];
  for await (const state of readInventory(store, 'test', ConfigMaps)) found.push(state);
  return found;
}

/** A store whose inventory is this one, in the first shard. */
function storeWith(store: StateStore, items: readonly TargetState[]): StateStore {
  const inventory: StateStore['inventory'] = async (_cluster, _kind, shard) => ({ items: shard === 0 ? items : [] });
  return {
    shards: store.shards,
    inventory,
    readCluster: (cluster: string) => store.readCluster(cluster),
  } as StateStore;
}

async function list(inspected: InspectedWorld, options: Record<string, string | true> = {}) {
  const terminal = new RecordedTerminal();
  await printList(inspected.inspection, new Invocation([], new Map(Object.entries(options))), terminal);
  return { out: terminal.outLines, err: terminal.errLines };
}

describe('evenkeel list', () => {
  it('lists all in order, with outcome, failures, last pass and next deadline', async () => {
    const inspected = inspectedWorld();
    await inspected.reconcile('web');
    await inspected.reconcile('api', 'terminal');
    await inspected.reconcile('job', 'checkAt');
    await inspected.world.clock.advance(5_000);
    const { out, err } = await list(inspected);
    expect(out).toEqual([
      'KIND       NAMESPACE  NAME  STATE  READY  OUTCOME               FAILURES  LAST PASS  NEXT',
      'ConfigMap  default    api   idle   -      terminal InvalidSpec  0         5s ago     on a change',
      'ConfigMap  default    job   idle   -      checkAt               0         5s ago     in 59m55s',
      'ConfigMap  default    web   idle   -      settled               0         5s ago     on a change',
    ]);
    expect(err.at(-1)).toBe('3 known, 1 failing; evenkeel explain KIND/NAMESPACE/NAME shows why');
  });

  it('--failing leaves out what is well', async () => {
    const inspected = inspectedWorld();
    await inspected.reconcile('web');
    await inspected.reconcile('api', 'retry');
    const { out } = await list(inspected, { failing: true });
    expect(out).toHaveLength(2);
    expect(out[1]).toContain('retry ApiForbidden');
  });

  it('R-5.5 --failing shows a target whose passes end without a commit again and again, and why it waits', async () => {
    const inspected = inspectedWorld();
    const { world } = inspected;
    const uid = await inspected.reconcile('web');
    const object = { metadata: { namespace: 'default', name: 'web', uid, resourceVersion: '1' } };
    const target = world.event(ConfigMaps, object, { cause: 'requested' });
    for (let time = 0; time < 4; time += 1) {
      const nowMs = world.clock.now();
      await world.store.acquire({
        target,
        owner: 'dead',
        attempt: String(time),
        nowMs,
        leaseUntilMs: nowMs + 30_000,
        latestUntilMs: nowMs + 30_000 + 4_000,
      });
      await world.clock.advance(31_000);
    }
    await world.worker().handle(target);
    const { out } = await list(inspected, { failing: true, output: 'json' });
    const { items } = JSON.parse(out.join('\n')) as { items: InventoryRow[] };
    expect(items).toMatchObject([
      { name: 'web', outcome: 'crashing', nextWhy: 'its passes crash; it is tried again after the longest backoff' },
    ]);
  });

  const ends: Readonly<Record<LastOutcomeType, boolean>> = {
    settled: false,
    checkAt: false,
    retry: true,
    terminal: true,
    crashing: true,
    paused: false,
    unmanaged: false,
    deleting: false,
    rateLimited: false,
    clusterPaused: false,
    clusterThrottled: false,
    clusterUnreachable: false,
    anotherDeployment: false,
  };
  const target = { cluster: 'test', kind: kindId(ConfigMaps), namespace: 'default', name: 'web', uid: 'uid' };
  const endedIn = (type: LastOutcomeType): TargetState => ({
    target,
    epoch: 1,
    committedEpoch: 1,
    dirty: [],
    failures: 0,
    values: {},
    wakeSent: false,
    versions: {},
    edges: [],
    lastOutcome: { type, reason: '', message: '', atMs: 0, durationMs: 0, cause: 'updated' },
  });

  it.each(Object.entries(ends) as [LastOutcomeType, boolean][])(
    'a target that ended in %s is failing: %s',
    (type, is) => {
      expect(isFailing(endedIn(type), 1)).toBe(is);
    },
  );

  it('a target with failures is failing whatever put its next pass off, and so is one whose pass died', () => {
    expect(isFailing({ ...endedIn('clusterPaused'), failures: 1 }, 1)).toBe(true);
    expect(isFailing({ ...endedIn('settled'), epoch: 2 }, 1)).toBe(true);
    const lease = { owner: 'worker', attempt: 'a', untilMs: 10 };
    expect([9, 11].map((nowMs) => isFailing({ ...endedIn('settled'), epoch: 2, lease }, nowMs))).toEqual([false, true]);
  });

  it.each([
    ['anotherDeployment', {}, '1 known, 0 failing, 1 driven by another deployment'],
    ['deleting', {}, '1 known, 0 failing, 1 being deleted'],
    ['checkAt', { terminating: true }, '1 known, 0 failing, 1 being deleted'],
    [
      'retry',
      { terminating: true },
      '1 known, 1 failing, 1 being deleted; evenkeel explain KIND/NAMESPACE/NAME shows why',
    ],
    ['clusterPaused', {}, '2 known, 0 failing'],
  ] as const)('R-6.4 list counts outcome %s %j as %j', async (type, extra, summary) => {
    const inspected = inspectedWorld();
    await inspected.reconcile('web');
    await inspected.reconcile('other');
    const { store } = inspected.world;
    const found = await readAll(store);
    const other = found.find(({ target: { name } }) => name === 'other');
    const lastOutcome = { type, reason: 'Why', message: '', atMs: 0, durationMs: 0, cause: 'updated', ...extra };
    const items = found.map((state) => (state === other ? { ...state, lastOutcome } : state));
    const changed = { ...inspected.inspection, store: storeWith(store, items) };
    const { out, err } = await list({ ...inspected, inspection: changed });
    expect(out).toHaveLength(3);
    expect(err.at(-1)).toBe(summary);
  });

  it('R-6.4 an object that another deployment drives does not count as failing, even if its last pass failed', () => {
    expect(isFailing({ ...endedIn('anotherDeployment'), failures: 3 }, 1)).toBe(false);
    expect(isFailing({ ...endedIn('anotherDeployment'), epoch: 2 }, 1)).toBe(false);
  });

  it('-o json gives every field', async () => {
    const inspected = inspectedWorld();
    const uid = await inspected.reconcile('api', 'retry');
    const { out } = await list(inspected, { output: 'json' });
    const { items } = JSON.parse(out.join('\n')) as { items: InventoryRow[] };
    expect(items).toEqual([
      {
        kind: 'ConfigMap',
        namespace: 'default',
        name: 'api',
        uid,
        state: 'idle',
        outcome: 'retry',
        reason: 'ApiForbidden',
        message: 'the API server refused to read secrets',
        failures: 1,
        failing: true,
        lastPassAt: '2026-01-01T00:00:00.000Z',
        nextAt: expect.stringMatching(/^2026-01-01T00:00:0/),
        nextWhy: 'backoff after 1 failure',
      },
    ]);
  });

  it('R-6.7 says that a cluster is paused', async () => {
    const inspected = inspectedWorld();
    await inspected.world.store.setPaused('test', true);
    const { err } = await list(inspected);
    expect(err).toContain('cluster test is paused: no pass begins there until evenkeel resume');
    expect(err.at(-1)).toBe('0 known, 0 failing');
  });

  it('an empty inventory is no table', async () => {
    const { out, err } = await list(inspectedWorld());
    expect(out).toEqual([]);
    expect(err.at(-1)).toBe('0 known, 0 failing');
  });

  it('more than one page of the inventory is read', async () => {
    const inspected = inspectedWorld();
    for (let index = 0; index < 120; index++) await inspected.reconcile(`web-${index}`);
    expect((await list(inspected)).out).toHaveLength(121);
  });

  it('R-6.4 an unknown kind is refused', async () => {
    await expect(list(inspectedWorld(), { kind: 'configmapz' })).rejects.toThrow('Did you mean "configmap');
  });
});
