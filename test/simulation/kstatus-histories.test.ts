import { describe, expect, it } from 'vitest';
import type { ReconcileResult } from '../../lib/core/controller.ts';
import type { KubeObject } from '../../lib/core/kube-object.ts';
import { checkAt, settled, terminal } from '../../lib/core/outcome.ts';
import type { ReconcileContext } from '../../lib/core/reconcile-context.ts';
import { kindId } from '../../lib/core/resource-type.ts';
import { drawPlan, planOptionsOf } from '../../lib/testing/simulation/plan.ts';
import { runPlan } from '../../lib/testing/simulation/run-plan.ts';
import type { Script } from '../../lib/testing/simulation/scenario-run.ts';
import type { Workload } from '../../lib/testing/simulation/workload.ts';
import { StatusHistory } from './status-history.ts';
import { websiteWorkload } from './website-workload.ts';
import { gateways } from './workload/gateways.ts';
import { secretContracts } from './workload/secret-contracts.ts';
import { t4 } from './workload/t4.ts';

const SEEDS = Array.from({ length: 20 }, (_, index) => index + 1);

/** Websites in a cluster whose Deployments get their replicas. */
const servedWebsites = (): Workload => ({ ...websiteWorkload(), standIns: ['deployments'] });

/**
 * A workload whose controllers' results, and whose objects at rest, the history sees.
 * @param failing the UIDs of objects whose last pass failed.
 */
function watched(workload: Workload, history: StatusHistory, failing: () => ReadonlySet<string>): Workload {
  const { controllers, check } = workload;
  return {
    ...workload,
    controllers: (host) =>
      (typeof controllers === 'function' ? controllers(host) : controllers).map((each) => history.watch(each)),
    check: (cluster) => {
      history.atRest(cluster, failing());
      return check?.(cluster) ?? [];
    },
  };
}

async function historyOf(seed: number, make: () => Workload): Promise<StatusHistory> {
  const history = new StatusHistory();
  let failing = () => new Set<string>();
  const workload = watched(make(), history, () => failing());
  // Users who write a status, and results that are none, show nothing about the engine's own statuses.
  const plan = drawPlan(seed, { ...planOptionsOf([workload]), without: ['status', 'nonsense'] });
  const script: Script = {
    play: async ({ simulation: { cluster, registry, store } }) => {
      failing = () => {
        const failed = store.contents().targets.filter(({ lastOutcome }) => lastOutcome?.type === 'retry');
        return new Set(failed.map(({ target }) => target.uid));
      };
      for (const { type } of registry.controllers)
        for (const object of cluster.list(type)) history.stored(kindId(type), undefined, object);
      cluster.onChange(({ kind, before, after }) => {
        if (after !== undefined) history.stored(kind, before, after);
      });
    },
  };
  const { violations } = await runPlan(plan, [workload], { script, silenceMs: 0 });
  expect({ seed, violations }).toEqual({ seed, violations: [] });
  return history;
}

const TYPE = { group: 'example.com', version: 'v1', plural: 'widgets', kind: 'Widget', namespaced: true };

/** A Widget as `2 1 Ready Stalled`: its generation, the observed one, and the conditions that are True. */
function widget(text: string, metadata: Partial<KubeObject['metadata']> = {}): KubeObject {
  const [generation, observed, ...types] = text.split(' ');
  const common = {
    status: 'True',
    reason: 'R',
    message: '',
    lastTransitionTime: '',
    observedGeneration: Number(observed),
  };
  const status = { observedGeneration: Number(observed), conditions: types.map((type) => ({ type, ...common })) };
  const named = { name: 'one', uid: 'u1', resourceVersion: '1', generation: Number(generation), ...metadata };
  return { apiVersion: 'example.com/v1', kind: 'Widget', metadata: named, status };
}

/** A history of a Widget, whose last pass ended so. */
async function historyOfWidget(end: ReconcileResult, conditions: readonly string[]): Promise<StatusHistory> {
  const history = new StatusHistory();
  const given = { name: 'w', group: 'w', type: TYPE, owns: [], reads: [], version: '1', conditions };
  const { reconcile } = history.watch({ ...given, reconcile: async () => end });
  await reconcile(widget('1 1'), {} as ReconcileContext);
  return history;
}

const STATUSES = ['InProgress', 'Failed', 'Current'];
const ALL = [...STATUSES, 'Terminating'];

describe('kstatus over the histories of the simulator', () => {
  it.each<[string, () => Workload, Readonly<Record<string, readonly string[]>>]>([
    ['a contract', secretContracts, { SecretContract: STATUSES }],
    [
      'a gateway and its database',
      gateways,
      { Gateway: ALL, ManagedDatabase: ['InProgress', 'Current', 'Terminating'] },
    ],
    ['a host, a workspace and a session', t4, { T4ClusterHost: STATUSES, T4Workspace: ALL, T4Session: ALL }],
    ['a Website', servedWebsites, { Website: ALL }],
  ])(
    'R-6.13 %s is in progress, failed, current or terminating as its passes ended when anything fails in between',
    async (_, make, shown) => {
      const counts = new Set<string>();
      for (const seed of SEEDS) {
        const history = await historyOf(seed, make);
        for (const each of history.shown) counts.add(each);
        expect({ seed, faults: history.faults }).toEqual({ seed, faults: [] });
      }
      const expected = Object.entries(shown).flatMap(([kind, statuses]) =>
        statuses.map((status) => `${kind} ${status}`),
      );
      expect([...counts]).toEqual(expect.arrayContaining(expected));
    },
  );
});

describe('the check of a history', () => {
  const READY = ['Ready', 'Reconciling', 'Stalled'];
  const AVAILABLE = ['Available', 'Reconciling', 'Stalled'];

  it.each([
    [
      'a new object is Current',
      undefined,
      '1 1 Ready',
      READY,
      /is Current instead of InProgress before its first pass/,
    ],
    ['both conditions are True', '1 -1', '1 1 Reconciling Stalled', READY, /shows Reconciling and Stalled/],
    ['an object that is not Ready shows neither', '1 -1', '1 1', READY, /is Current while Ready is not True/],
    ['a Ready object shows Stalled', '1 -1', '1 1 Ready Stalled', READY, /is Failed while Ready is True/],
    [
      'an Available object shows Stalled',
      '1 -1',
      '1 1 Available Stalled',
      AVAILABLE,
      /is Failed while Available is True/,
    ],
    [
      'an object without Available shows Ready',
      '1 -1',
      '1 1 Ready',
      AVAILABLE,
      /is Current while Available is not True/,
    ],
  ])('R-6.13 finds a wrong status when %s', async (_, before, after, conditions, fault) => {
    const history = await historyOfWidget({ outcome: settled() }, conditions);
    if (before !== undefined) history.stored(kindId(TYPE), undefined, widget(before));
    history.stored(kindId(TYPE), before === undefined ? undefined : widget(before), widget(after));
    expect(history.faults).toContainEqual(expect.stringMatching(fault));
  });

  it.each<[string, ReconcileResult, string, string]>([
    ['terminal', { outcome: terminal('Wrong', '') }, '1 1 Stalled', '1 1 Reconciling'],
    ['settled', { outcome: settled() }, '1 1 Stalled', '1 1 Reconciling'],
    ['on its way', { outcome: settled(), progressing: true }, '1 1 Reconciling', '1 1 Stalled'],
    ['a timer', { outcome: checkAt(1) }, '1 1 Reconciling', '1 1 Stalled'],
    ['a timer that does not help', { outcome: checkAt(1), progressing: false }, '1 1 Stalled', '1 1 Reconciling'],
  ])('R-6.13 finds a wrong status at rest when the last pass ended with %s', async (_, end, right, wrong) => {
    const faults = async (status: string) => {
      const history = await historyOfWidget(end, READY);
      history.atRest({ list: () => [widget(status)] });
      return history.faults;
    };
    expect(await faults(right)).toEqual([]);
    expect(await faults(wrong)).toEqual([expect.stringMatching(/ instead of /)]);
  });

  it('R-6.13 finds a wrong status at rest when an object that is being deleted shows Ready', async () => {
    const history = await historyOfWidget({ outcome: settled() }, READY);
    history.atRest({ list: () => [widget('1 1 Ready', { deletionTimestamp: '2026-01-01T00:00:00Z' })] });
    expect(history.faults).toEqual([expect.stringMatching(/shows Ready while it is deleted/)]);
  });
});
