import { describe, expect, it } from 'vitest';
import { Leases, Namespaces } from '../../../lib/core/resource-type.ts';
import { defaultSettings } from '../../../lib/deployment/settings/load-settings.ts';
import { drawSettings, SHIPPED_SETTINGS } from '../../../lib/testing/simulation/draw-settings.ts';
import { quietPlan } from '../../../lib/testing/simulation/plan.ts';
import { runPlan } from '../../../lib/testing/simulation/run-plan.ts';
import type { ScenarioRun } from '../../../lib/testing/simulation/scenario-run.ts';
import type { Workload } from '../../../lib/testing/simulation/workload.ts';
import { TEST_CLUSTER } from '../../../lib/testing/world.ts';
import { WIDGET_DEFINITION, Widgets, widgetController } from '../../support/widget.ts';

const SEEDS = Array.from({ length: 300 }, (_, index) => index + 1);
const WIDGET = { namespace: 'default', name: 'one' };
const LEASE = { namespace: 'evenkeel-system', name: 'evenkeel-widgets' };
/** A process looks at the Lease again after a minute. */
const LOOKED_AGAIN_MS = 70_000;

const widgets: Workload = {
  controllers: [widgetController({})],
  definitions: [WIDGET_DEFINITION],
  namespaces: ['default'],
  actions: {},
};

async function direct(play: (run: ScenarioRun) => Promise<void>): Promise<void> {
  const { violations } = await runPlan(quietPlan(1), [widgets], { script: { play } });
  expect(violations).toEqual([]);
}

function writeWidget({ user }: ScenarioRun, size: number): Promise<unknown> {
  return user.put(Widgets, { metadata: WIDGET, spec: { size } });
}

/** The generation that the last pass has seen. */
function seen({ simulation }: ScenarioRun): unknown {
  return (simulation.cluster.get(Widgets, WIDGET)?.status as { seen?: number } | undefined)?.seen;
}

function drive({ simulation }: ScenarioRun, holderIdentity: string): Promise<unknown> {
  const patch = { type: 'merge', patch: { spec: { holderIdentity } } } as const;
  return simulation.direct.patch(Leases, LEASE, patch, { fieldManager: 'other' });
}

describe('a simulated deployment', () => {
  it('R-5.16 a simulated process registers the UID of the cluster before it asks anything of it', async () => {
    await direct(async (run) => {
      await writeWidget(run, 3);
      await run.until('a pass', () => seen(run) === 1);
      const kubeSystem = run.simulation.cluster.get(Namespaces, { namespace: '', name: 'kube-system' });
      const { clusterUid } = await run.simulation.store.readCluster(TEST_CLUSTER);
      expect(clusterUid).toBeDefined();
      expect(clusterUid).toBe(kubeSystem?.metadata.uid);
    });
  });

  it('R-1.10 a simulated worker begins no pass when another deployment drives the controller group', async () => {
    await direct(async (run) => {
      await writeWidget(run, 1);
      await run.until('a pass', () => seen(run) === 1);
      await drive(run, 'another');
      await run.sleep(LOOKED_AGAIN_MS);
      await writeWidget(run, 2);
      await run.until('a pass that is put off', () => {
        const { targets } = run.simulation.store.contents();
        return targets.some(({ lastOutcome }) => lastOutcome?.type === 'anotherDeployment');
      });
      expect(seen(run)).toBe(1);
      await drive(run, run.simulation.deployment.name);
      await run.until('a pass after that', () => seen(run) === 2);
    });
  });

  it('R-5.5 the simulator draws relay and worker settings on both sides of the shipped ones', () => {
    const drawn = SEEDS.map((seed) => drawSettings(seed));
    const { relay, concurrency } = SHIPPED_SETTINGS;
    for (const of of [
      ({ relay: { leaseMs } }: typeof SHIPPED_SETTINGS) => leaseMs / relay.leaseMs,
      ({ relay: { watchTimeoutMs } }: typeof SHIPPED_SETTINGS) => watchTimeoutMs / relay.watchTimeoutMs,
      ({ relay: { idleTimeoutMs } }: typeof SHIPPED_SETTINGS) => idleTimeoutMs / relay.idleTimeoutMs,
      ({ relay: { pageSize } }: typeof SHIPPED_SETTINGS) => pageSize / relay.pageSize,
      (settings: typeof SHIPPED_SETTINGS) => settings.concurrency.events / concurrency.events,
    ]) {
      const ratios = drawn.map(of);
      expect(Math.min(...ratios)).toBeLessThan(0.8);
      expect(Math.max(...ratios)).toBeGreaterThan(2);
      expect(Math.max(...ratios)).toBeLessThanOrEqual(3);
    }
    expect(drawSettings(7)).toEqual(drawSettings(7));
  });

  it('R-5.5 a scenario runs with the default settings of a deployment', () => {
    const { relay, concurrency, resyncConcurrency } = defaultSettings();
    expect(SHIPPED_SETTINGS).toEqual({ relay, concurrency: { events: concurrency, resync: resyncConcurrency } });
  });
});
