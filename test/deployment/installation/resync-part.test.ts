import { describe, expect, it } from 'vitest';
import { Namespaces } from '../../../lib/core/resource-type.ts';
import { claimGroups } from '../../../lib/deployment/installation/deployment.ts';
import { createInstallation } from '../../../lib/deployment/installation/installation.ts';
import { runParts } from '../../../lib/deployment/installation/parts.ts';
import { defaultSettings } from '../../../lib/deployment/settings/load-settings.ts';
import { TEST_CLUSTER, World } from '../../../lib/testing/world.ts';
import { WIDGET_DEFINITION, widgetController } from '../../support/widget.ts';

const RESYNC_MS = 60_000;

/** Two deployments of one cluster; the second has taken over from the first. */
async function takenOver() {
  const world = new World({ controllers: [widgetController()] });
  await world.install([WIDGET_DEFINITION]);
  await world.create(Namespaces, { metadata: { name: 'evenkeel-system' } });
  const { store, wakes, api, clock, entropy, logger, metrics, registry } = world;
  const base = defaultSettings();
  const settings = { ...base, cluster: TEST_CLUSTER, intervals: { ...base.intervals, resyncMs: RESYNC_MS } };
  const replaced: string[] = [];
  const deploymentOf = (deployment: string) =>
    createInstallation(
      { store, queues: {}, wakes, api, clock, entropy, logger, metrics },
      { settings, registry, owner: deployment, deployment, onReplaced: ({ holder }) => replaced.push(holder) },
    );
  const [before, after] = [deploymentOf('before'), deploymentOf('after')];
  await claimGroups(before, false);
  await claimGroups(after, true);
  const resyncOnce = async (installation: typeof before) => {
    const abort = new AbortController();
    const running = runParts(installation, ['resync'], abort.signal);
    await clock.advance(RESYNC_MS);
    abort.abort();
    await running;
  };
  const faults = () => logger.lines.filter(({ level }) => level === 'error');
  return { before, after, replaced, resyncOnce, faults };
}

describe('the resync of a deployment', () => {
  it('R-1.10 a resync that finds the deployment replaced says so at once, and is no failure', async () => {
    const { before, replaced, resyncOnce, faults } = await takenOver();
    await resyncOnce(before);
    expect(replaced).toEqual(['after']);
    expect(faults()).toEqual([]);
  });

  it('R-1.10 a resync of the deployment that takes over waits for the handover, and is no failure', async () => {
    const { after, replaced, resyncOnce, faults } = await takenOver();
    await resyncOnce(after);
    expect(replaced).toEqual([]);
    expect(faults()).toEqual([]);
  });
});
