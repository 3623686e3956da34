import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Explanation } from '../../cli/inspection/explanation.ts';
import { createDeployment, revision } from './secret-contract/rollout.ts';
import { Contracts } from './support/contracts.ts';
import { Edits } from './support/edits.ts';
import { type EmbeddedCluster, embeddedCluster } from './support/embedded-cluster.ts';
import { EvenkeelFolder, type EvenkeelProcess } from './support/evenkeel-process.ts';
import { eventually } from './support/eventually.ts';

/** Resync and the targets' own deadlines are off, so that nothing hides what a restart loses. */
const SETTINGS = `
intervals: {sweep: 1s, resync: off, targetResync: off}
rateLimit: {burst: 1000}
relay: {pageSize: 2}
`;
const KILLS = 4;

async function startAt(folder: EvenkeelFolder, cluster: EmbeddedCluster, more = ''): Promise<EvenkeelProcess> {
  writeFileSync(join(folder.path, 'settings.yaml'), SETTINGS + more);
  return await folder.start(['--kubeconfig', cluster.kubeconfig, '--settings', 'settings.yaml', '--verbose']);
}

async function explained(folder: EvenkeelFolder, name: string): Promise<Explanation | undefined> {
  const { out } = await folder.run(['explain', `secon/default/${name}`, '-o', 'json']);
  return (JSON.parse(out) as { items: Explanation[] }).items[0];
}

describe('evenkeel start, killed and started again in the same state directory', () => {
  it('R-5.21 R-5.5 every status is right after each of four kills in a storm, and no kind is listed again', {
    timeout: 300_000,
  }, async () => {
    await using cluster = await embeddedCluster();
    await using folder = new EvenkeelFolder();
    await using contracts = await Contracts.connect(cluster.kubeconfig);
    let started = await startAt(folder, cluster);
    const edits = new Edits(contracts);
    for (let index = 0; index < 8; index += 1) await edits.create(`web-${index}`);
    await edits.right();
    const mark = await cluster.mark();
    // A round leaves the first four as it likes; these have a Secret at any time.
    const names = edits.names.slice(4);
    const storm = async () => {
      for (const name of names) await edits.toggleSecret(name);
      await edits.toggleContract(names[0] ?? '');
    };
    for (let kill = 0; kill < KILLS; kill += 1) {
      await storm();
      await started.kill();
      // While nothing runs: only the checkpoint tells of these.
      await edits.round();
      started = await startAt(folder, cluster);
      await storm();
      await edits.right();
    }
    // One small list of each kind at each start asks for the server's version. Listing the objects takes four pages.
    const lists = (await cluster.requestsSince(mark)).filter(({ verb }) => verb === 'list');
    const counts = Object.entries(Object.groupBy(lists, ({ resource }) => resource));
    expect(Object.fromEntries(counts.map(([resource, list]) => [resource, list?.length]))).toEqual({
      secrets: KILLS,
      'secretcontracts.evenkeel.dev': KILLS,
      'secretcontractgrants.evenkeel.dev': KILLS,
    });
  });

  it('R-5.21 failures, backoff and last outcomes are the same after a kill', { timeout: 300_000 }, async () => {
    await using cluster = await embeddedCluster();
    await using folder = new EvenkeelFolder();
    await using contracts = await Contracts.connect(cluster.kubeconfig);
    const started = await startAt(folder, cluster);
    const match = { verb: 'get', resource: 'secrets', name: 'broken' };
    const injected = cluster.server.inject({ match, fault: { status: 500 } });
    await contracts.createSecret('broken', { key: 'x' });
    await contracts.createSecret('whole', { key: 'x' });
    await contracts.createContract('whole', ['key']);
    await contracts.createContract('broken', ['key']);
    await contracts.becomes('whole', 'True AllSatisfied');
    const before = await eventually('three failures', async () => {
      const explanation = await explained(folder, 'broken');
      return explanation !== undefined && explanation.failures >= 3 ? explanation : undefined;
    });
    const whole = await explained(folder, 'whole');
    await started.kill();
    await startAt(folder, cluster);
    const after = await explained(folder, 'broken');
    expect(after?.failures).toBeGreaterThanOrEqual(before.failures);
    // Nothing happened to this one: no pass, and what is known of it is the same.
    const { epoch, committedEpoch, lastOutcome, observed, reads, failures } = whole ?? {};
    const known = { epoch, committedEpoch, lastOutcome, observed, reads, failures };
    expect(await explained(folder, 'whole')).toMatchObject(known);
    injected.remove();
    await contracts.becomes('broken', 'True AllSatisfied', 60_000);
    expect(await explained(folder, 'whole')).toMatchObject(known);
  });

  it('R-5.21 R-2.7 a Secret that changed while nothing ran is rolled out once, and its content is compared with that before', {
    timeout: 300_000,
  }, async () => {
    const allow = 'groups: {secret-contract: {mutation: {allow: true}}}\n';
    await using cluster = await embeddedCluster();
    await using folder = new EvenkeelFolder();
    await using contracts = await Contracts.connect(cluster.kubeconfig);
    const first = await startAt(folder, cluster, allow);
    await createDeployment(contracts, { 'evenkeel.dev/allow-mutation': 'true' });
    await contracts.createSecret('web', { one: 'x', other: 'x' });
    const targets = [{ kind: 'Deployment', name: 'web' }];
    await contracts.createContract('web', ['one'], { mutation: 'Annotate', targets });
    await contracts.becomes('web', 'True AllSatisfied');
    for (const [data, expected] of [
      [{ other: 'y' }, undefined],
      [{ one: 'y' }, '1'],
      [{ one: 'z', other: 'z' }, '2'],
    ] as const) {
      for (const process of folder.processes) if (process.isRunning) await process.kill();
      await contracts.patchSecret('web', data);
      await startAt(folder, cluster, allow);
      await eventually(`revision ${expected}`, async () =>
        (await revision(contracts)) === expected ? true : undefined,
      );
      await contracts.becomes('web', 'True AllSatisfied');
      expect(await revision(contracts)).toBe(expected);
    }
    expect(first.isRunning).toBe(false);
  });

  it('R-5.21 the embedded cluster is the same after a kill, and another one after --fresh', {
    timeout: 300_000,
  }, async () => {
    await using folder = new EvenkeelFolder();
    const first = await folder.start();
    const uids = async () => {
      await using contracts = await Contracts.connect(folder.kubeconfig);
      for (const name of ['checkout-database', 'payment-api']) await contracts.becomes(name, 'True AllSatisfied');
      return (await Promise.all(['checkout-database', 'payment-api'].map((name) => contracts.read(name)))).map(
        ({ metadata }) => metadata.uid,
      );
    };
    const before = await uids();
    {
      await using contracts = await Contracts.connect(folder.kubeconfig);
      await contracts.becomes('web-session', 'True AllSatisfied');
      await contracts.deleteContract('web-session');
    }
    await first.kill();
    const second = await folder.start();
    expect(await uids()).toEqual(before);
    {
      await using contracts = await Contracts.connect(folder.kubeconfig);
      await expect(contracts.read('web-session')).rejects.toMatchObject({ reason: 'NotFound' });
      await contracts.patchSecret('payment-api', undefined, ['api-key']);
    }
    await second.stop();
    const real = await folder.run(['start', '--kubeconfig', folder.kubeconfig]);
    expect(real).toMatchObject({ code: 1, err: expect.stringContaining('holds the state of the embedded cluster') });
    const third = await folder.start(['--fresh']);
    expect(await uids()).not.toEqual(before);
    await third.stop();
  });
});
