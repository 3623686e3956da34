import { describe, expect, it } from 'vitest';
import { declareRestored, pauseCluster, resumeCluster, resumeRollout } from '../../../cli/cluster-switches.ts';
import { ConfigMaps } from '../../../lib/core/resource-type.ts';
import { RecordedTerminal } from '../../deployment/terminal/recorded-terminal.ts';
import { inspectedWorld } from './inspected-world.ts';

describe('evenkeel pause and resume', () => {
  it('R-6.7 a paused cluster gets no pass, and what was put off runs once it is resumed', async () => {
    const { world, inspection, reconcile } = inspectedWorld();
    await pauseCluster(inspection, new RecordedTerminal());
    await reconcile('web');
    expect(world.reports).toMatchObject([{ end: 'deferred', reason: 'ClusterPaused' }]);
    await resumeCluster(inspection, new RecordedTerminal());
    await world.run(180_000);
    expect(world.reports.at(-1)).toMatchObject({ end: 'committed', target: { name: 'web' } });
  });
});

describe('evenkeel resume --rollout', () => {
  it('R-6.11 resume removes the halt of the kind when its new version was stopped, and reports when it was not', async () => {
    const { world, inspection } = inspectedWorld();
    const terminal = new RecordedTerminal();
    const halt = { version: '8', reason: 'OutsidePlan', message: 'configmaps default/web: a write', atMs: 0 };
    await world.store.haltRollout(inspection.cluster, 'configmaps', halt);
    await world.store.haltRollout(inspection.cluster, 'secrets', halt);
    await resumeRollout(inspection, 'configmap', terminal);
    expect((await world.store.readCluster(inspection.cluster)).halts).toEqual({ secrets: halt });
    expect(terminal.outLines).toEqual([
      expect.stringMatching(/^version 8 of configmaps goes on .*default\/web: a write$/),
    ]);
    await resumeRollout(inspection, 'configmap', terminal);
    expect(terminal.outLines.at(-1)).toMatch(/^no rollout of configmaps was stopped/);
  });
});

describe('evenkeel restored', () => {
  it('R-5.8 an event of a version that was seen before the restore does not count as seen', async () => {
    const { world, inspection, reconcile } = inspectedWorld();
    await reconcile('web');
    const object = await world.user.get(ConfigMaps, { namespace: 'default', name: 'web' });
    const terminal = new RecordedTerminal();
    await declareRestored(inspection, terminal);
    const { incarnation } = await world.store.readCluster(inspection.cluster);
    expect(terminal.outLines).toEqual([expect.stringContaining(`is now at epoch ${incarnation}`)]);
    await world.sender.sendAll('events', [world.event(ConfigMaps, object, { incarnation })]);
    await world.drain();
    expect(world.reports.map(({ end }) => end)).toEqual(['committed', 'committed']);
  });
});
