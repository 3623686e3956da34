import { expect, it } from 'vitest';
import { eventually } from '../../e2e/support/eventually.ts';
import { STAGE } from '../support/cloud-world.ts';
import { readItem, requestPass, setDeadline, targetNamed, WAKES_QUEUE } from '../support/targets.ts';
import {
  contractNames,
  type Deployed,
  LIMIT_MS,
  type PassLine,
  passesOf,
  quiet,
  RECONCILE,
  right,
} from './deployed.ts';

/** What goes wrong around it. */
export function trouble(deployed: () => Deployed): void {
  it('R-1.25 R-1.26 a timer starts its pass even if its wake was lost, and waits if its wake is early', async () => {
    const { world, east } = deployed();
    const overdue = await targetNamed(east, 'web-3');
    const near = await targetNamed(east, 'web-4');
    const early = await targetNamed(east, 'web-5');
    const before = await Promise.all([overdue, near].map((target) => readItem(world, target)));
    await setDeadline(world, overdue, Date.now() - 60_000);
    await setDeadline(world, near, Date.now() + 5_000);
    await world.call('sweep', true);
    for (const [index, target] of [overdue, near].entries()) {
      await eventually(`pass of ${target.name}`, async () => {
        const { epoch, committedEpoch } = await readItem(world, target);
        return epoch > (before[index]?.epoch ?? 0) && committedEpoch === epoch ? true : undefined;
      });
    }
    const { dueAt, epoch } = await readItem(world, early);
    const sends = () =>
      world.gatekeeper.calls.filter(({ functionKey, action }) => functionKey === 'wake' && action === 'sqs:SendMessage')
        .length;
    const sent = sends();
    await world.aws.json('sqs', 'AmazonSQS.SendMessage', {
      QueueUrl: world.queueUrl(WAKES_QUEUE),
      MessageBody: JSON.stringify({ v: 1, type: 'target', target: early, dueAtMs: dueAt }),
    });
    await eventually('second wake', async () => (sends() > sent ? true : undefined));
    expect(await readItem(world, early)).toMatchObject({ dueAt, epoch });
  });

  it('R-5.14 a cluster that hangs delays no pass of the other', async () => {
    const { world, east, west } = deployed();
    const targets = await Promise.all(contractNames(60).map((name) => targetNamed(west, name)));
    process.kill(west.cluster.server.pid, 'SIGSTOP');
    const stoppedAtMs = Date.now();
    try {
      await Promise.all(targets.map((target, index) => requestPass(world, target, `hang-${index}`)));
      const edited = contractNames(40, 50);
      for (const name of edited) await east.edits.toggleSecret(name);
      await right(east, edited);
      await quiet(world);
      const passes = (cluster: string, matches: Partial<PassLine>) =>
        passesOf(world, cluster, stoppedAtMs).filter((line) =>
          Object.entries(matches).every(([field, value]) => line[field as keyof PassLine] === value),
        ).length;
      const come = (cluster: string, matches: Partial<PassLine>) =>
        eventually(`40 passes of ${cluster}`, async () => (passes(cluster, matches) >= 40 ? true : undefined));
      await come('east', { end: 'committed' });
      // Each process of the function finds out for itself, with one batch; all others are put off at once.
      await come('west', { outcome: 'clusterUnreachable' });
      expect(passes('west', { outcome: 'retry' })).toBeLessThanOrEqual(20);
      expect(passes('west', { outcome: 'settled' })).toBe(0);
      await world.measures('BreakerOpen', { Cluster: 'west' });
    } finally {
      process.kill(west.cluster.server.pid, 'SIGCONT');
    }
    await west.edits.toggleSecret('web-0');
  });

  it('R-6.4 R-5.16 a parameter that cannot be used is named with its field, and holds up no other cluster', async () => {
    const { world, east } = deployed();
    await world.putCluster(
      'broken',
      '{"server": 5, "certificateAuthority": "x", "auth": {"type": "token", "secret": "y"}}',
    );
    await world.putCluster(
      'plain',
      JSON.stringify({
        server: 'http://127.0.0.1:1',
        certificateAuthority: east.cluster.server.caPem,
        auth: { type: 'token' },
      }),
    );
    await world.call('resync', true);
    const faults = await eventually('line that names the fault', async () =>
      world
        .logged<{ failure: { message: string }; cluster: string }>('a cluster cannot be used')
        .filter(({ cluster }) => cluster === 'broken')
        .map(({ failure }) => failure.message)
        .at(0),
    );
    expect(faults).toContain('parameter /evenkeel/emulator/clusters/broken: server: it has the wrong type.');
    expect(faults).toContain('auth.secret: there is no such field.');
    await world.measures('ClusterRefused', { Cluster: 'broken' });
    const looked = await world.copy.evenkeel('doctor', '--stage', STAGE);
    expect(looked).toMatchObject({ code: 1 });
    expect(looked.output).toContain(
      'TROUBLE  broken: parameter /evenkeel/emulator/clusters/broken: server: it has the wrong type.',
    );
    await world.unlist('broken');
    await world.unlist('plain');
    await east.edits.toggleSecret('web-6');
    await right(east, ['web-6']);
  });

  it('R-5.7 an expired token is reported, and the next one is read without a deployment', async () => {
    const { world, east } = deployed();
    const token = await east.cluster.token('secret-contract');
    await world.putToken('east', 'secret-contract', 'ended');
    try {
      world.kill(RECONCILE);
      await east.edits.toggleSecret('web-7');
      const put = 'passes are put off: the cluster does not say which deployment drives it';
      await eventually('refusal', async () =>
        world
          .logged<{ failure: { message: string } }>(put)
          .find(({ failure }) =>
            failure.message.includes('the credentials of this connection were not accepted. Renew them.'),
          ),
      );
      await world.measures('ClusterRefused', { Cluster: 'east', Reason: 'API_UNAUTHORIZED' });
    } finally {
      await world.putToken('east', 'secret-contract', token);
    }
    await right(east, ['web-7']);
    expect(world.emulator.log()).not.toContain(token);
  });

  it('R-5.14 a cluster that answers again gets its passes by itself, including those that were put off', async () => {
    const { world, west } = deployed();
    const targets = await Promise.all(contractNames(60).map((name) => targetNamed(west, name)));
    for (const target of targets) {
      const check = async () => ((await readItem(world, target)).lastOutcome === 'settled' ? true : undefined);
      await eventually(`pass of ${target.name}`, check, LIMIT_MS);
    }
    await right(west, ['web-0']);
  });
}
