import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ExternalSecrets } from '../../lib/controllers/secret-contract/kinds.ts';
import { apiVersion } from '../../lib/core/resource-type.ts';
import { messageGroupId } from '../../lib/core/target.ts';
import { SeededEntropy } from '../../lib/testing/seeded-entropy.ts';
import { eventually } from '../e2e/support/eventually.ts';
import { CloudWorld, STAGE, type UserCluster } from './support/cloud-world.ts';
import {
  EVENTS_DEAD,
  EVENTS_QUEUE,
  RESYNC_DEAD,
  RESYNC_QUEUE,
  readItem,
  requestPass,
  setDeadline,
  targetNamed,
  WAKES_QUEUE,
} from './support/targets.ts';

const CONTRACTS_A_CLUSTER = 100;
const RECONCILE = 'reconcile-secret-contract';
const LIMIT_MS = 120_000;

let world: CloudWorld;
let east: UserCluster;
let west: UserCluster;

beforeAll(async () => {
  world = await CloudWorld.start();
  [, east, west] = await Promise.all([world.deploy(), world.startCluster('east'), world.startCluster('west')]);
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

/** A few at a time, so that looking does not slow down what is looked at. */
async function right({ edits }: UserCluster, names = edits.names): Promise<void> {
  for (let from = 0; from < names.length; from += 10) await edits.right(names.slice(from, from + 10));
}

function names(count: number, first = 0): string[] {
  return Array.from({ length: count }, (_, index) => `web-${first + index}`);
}

interface PassLine {
  readonly cluster: string;
  readonly name: string;
  readonly end: string;
  readonly outcome: string;
  readonly cause: string;
  readonly durationMs: number;
}

function passes(cluster: string): PassLine[] {
  return world.logged<PassLine>('pass').filter((line) => line.cluster === cluster);
}

async function quiet(): Promise<void> {
  await eventually(
    'empty queue',
    async () => {
      const waiting = await Promise.all([world.messagesIn(EVENTS_QUEUE), world.messagesIn(RESYNC_QUEUE)]);
      return waiting.every((count) => count === 0) ? true : undefined;
    },
    LIMIT_MS,
  );
}

describe('a deployment on an emulator of AWS, with two API servers', () => {
  it('R-6.3 R-5.5 R-1.10 200 contracts in clusters that were only listed come right while functions are killed at random', async () => {
    await world.list(east);
    await world.list(west);
    await world.call('relay');
    await prepareExternalSecret(east);
    for (const name of names(CONTRACTS_A_CLUSTER))
      await Promise.all([east, west].map(({ edits }) => edits.create(name)));
    const entropy = new SeededEntropy(6);
    const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(entropy.random() * items.length)] as Item;
    for (let round = 0; round < 12; round += 1) {
      for (let edit = 0; edit < 10; edit += 1) {
        const { edits } = pick([east, west]);
        const name = pick(names(CONTRACTS_A_CLUSTER));
        const choice = entropy.random();
        if (choice < 0.5) await edits.toggleSecret(name);
        else if (choice < 0.9) await edits.toggleContract(name);
        else await edits.recreateContract(name);
      }
      // In the middle of something.
      const before = world.gatekeeper.calls.length;
      await eventually('work', async () => (world.gatekeeper.calls.length > before + 20 ? true : undefined), LIMIT_MS);
      world.kill(pick([RECONCILE, RECONCILE, 'relay', 'wake']));
    }
    await world.relieve();
    await right(east);
    await right(west);
  });

  it('R-6.4 the doctor finds nothing wrong with it', async () => {
    await quiet();
    const looked = await world.copy.evenkeel('doctor', '--stage', STAGE);
    expect(looked.output).not.toContain('TROUBLE');
    expect(looked.output).toContain('relay may do all');
    expect(looked.code).toBe(0);
  });

  it('R-6.4 list, explain and requeue find the settings and the clusters of the deployment', async () => {
    const stage = ['--stage', STAGE];
    const ambiguous = await world.copy.evenkeel('list', ...stage);
    expect(ambiguous).toMatchObject({ code: 2 });
    expect(ambiguous.output).toContain('several clusters: east, west. Name one with --cluster.');
    const listed = await world.copy.evenkeel('list', ...stage, '--cluster', 'west');
    expect(listed.output).toContain(`${CONTRACTS_A_CLUSTER} known`);
    const explained = await world.copy.evenkeel('explain', 'secon/default/web-1', ...stage, '--cluster', 'west');
    expect(explained.output).toContain('cluster    west (incarnation 1; relay ');
    const asked = await world.copy.evenkeel('requeue', 'secon/default/web-1', ...stage, '--cluster', 'west');
    expect(asked).toMatchObject({ code: 0 });
  });

  it('R-5.4 R-5.3 a poisoned message is a dead letter with its reason, its group goes on, and redrive brings it back', async () => {
    const target = await targetNamed(east, 'web-2');
    const group = messageGroupId(target);
    const stranger = { v: 1, ...target, cluster: 'north', incarnation: 1, cause: 'requested', at: 1 };
    await world.sendRaw(EVENTS_QUEUE, 'no JSON', group, 'poison-1');
    await world.sendRaw(RESYNC_QUEUE, '{"v":7}', group, 'poison-2');
    await world.sendRaw(EVENTS_QUEUE, JSON.stringify(stranger), group, 'poison-3');
    await east.edits.toggleSecret('web-2');
    await right(east, ['web-2']);
    await eventually('dead letters', async () =>
      (await world.messagesIn(EVENTS_DEAD)) === 2 && (await world.messagesIn(RESYNC_DEAD)) === 1 ? true : undefined,
    );
    const dry = await world.copy.evenkeel('redrive', '--stage', STAGE, '--dry-run');
    expect(dry.output).toContain('NotJson: the body is not JSON');
    expect(dry.output).toContain('UnknownVersion: event version 7');
    expect(dry.output).toContain('Unknown: cluster north is not configured here');
    expect(dry.output).toContain('3 would be sent again');
    expect(await world.messagesIn(EVENTS_DEAD)).toBe(2);

    // Once its cluster is listed, the stranger can be handled; the other two cannot.
    await world.list({ ...west, name: 'north' });
    await world.copyTokens(west, 'north');
    const redriven = await world.copy.evenkeel('redrive', '--stage', STAGE);
    expect(redriven.output).toMatch(
      /requested secretcontracts\.evenkeel\.dev default\/web-2 of cluster north .*: sent to its queue again/,
    );
    await eventually('pass of the stranger', async () => (passes('north').length > 0 ? true : undefined));
    await quiet();
    expect([await world.messagesIn(EVENTS_DEAD), await world.messagesIn(RESYNC_DEAD)]).toEqual([1, 1]);
    expect(world.measured('DeadLetter').map(({ dimensions }) => dimensions.Reason)).toEqual(
      expect.arrayContaining(['NotJson', 'UnknownVersion', 'Unknown']),
    );
    await world.unlist('north');
  });

  it('R-1.25 R-1.26 a deadline whose wake was lost comes all the same, and one whose wake is early waits', async () => {
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
    const targets = await Promise.all(names(60).map((name) => targetNamed(west, name)));
    const [eastBefore, westBefore] = [passes('east').length, passes('west').length];
    process.kill(west.cluster.server.pid, 'SIGSTOP');
    try {
      await Promise.all(targets.map((target, index) => requestPass(world, target, `hang-${index}`)));
      const edited = names(40, 50);
      for (const name of edited) await east.edits.toggleSecret(name);
      await right(east, edited);
      await quiet();
      const westPasses = passes('west').slice(westBefore);
      expect(
        passes('east')
          .slice(eastBefore)
          .filter(({ end }) => end === 'committed').length,
      ).toBeGreaterThanOrEqual(40);
      expect(westPasses.filter(({ outcome }) => outcome === 'settled')).toEqual([]);
      // Each process of the function finds out for itself, with one batch; all others are put off at once.
      expect(westPasses.filter(({ outcome }) => outcome === 'retry').length).toBeLessThanOrEqual(20);
      expect(westPasses.filter(({ outcome }) => outcome === 'clusterUnreachable').length).toBeGreaterThanOrEqual(40);
      expect(world.measured('BreakerOpen').length).toBeGreaterThan(0);
    } finally {
      process.kill(west.cluster.server.pid, 'SIGCONT');
    }
    await west.edits.toggleSecret('web-0');
    await right(west, ['web-0']);
  });

  it('R-6.4 R-5.16 a parameter that cannot be used is named with its field, and holds up no other cluster', async () => {
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
    const refused = world.logged<{ failure: { message: string }; cluster: string }>('a cluster cannot be used');
    const faults = refused.filter(({ cluster }) => cluster === 'broken').map(({ failure }) => failure.message)[0];
    expect(faults).toContain('parameter /evenkeel/emulator/clusters/broken: server: it has the wrong type.');
    expect(faults).toContain('auth.secret: there is no such field.');
    expect(world.measured('ClusterRefused').map(({ dimensions }) => dimensions.Cluster)).toContain('broken');
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

  it('R-5.7 a token that ended is told, and the next one is read without a deployment', async () => {
    const token = await east.cluster.token('secret-contract');
    await world.putToken('east', 'secret-contract', 'ended');
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
    expect(world.measured('ClusterRefused').map(({ dimensions }) => dimensions.Reason)).toContain('API_UNAUTHORIZED');
    await world.putToken('east', 'secret-contract', token);
    await right(east, ['web-7']);
    expect(world.emulator.log()).not.toContain(token);
  });

  it('R-5.15 R-5.5 a deployment of changed code while events flow loses nothing, and every target gets a pass by it', async () => {
    world.copy.edit('lib/controllers/secret-contract/secret-contract-controller.ts', "version: '1',", "version: '2',");
    const deployed = world.deploy();
    let done = false;
    void deployed.finally(() => {
      done = true;
    });
    for (let edit = 0; !done; edit += 1) {
      const before = world.gatekeeper.calls.length;
      await east.edits.toggleSecret(`web-${edit % CONTRACTS_A_CLUSTER}`);
      await west.edits.toggleContract(`web-${(7 * edit) % CONTRACTS_A_CLUSTER}`);
      // As fast as they are handled, and no faster.
      await eventually('work', async () => (done || world.gatekeeper.calls.length > before + 10 ? true : undefined));
    }
    await deployed;
    await world.relieve();
    await right(east);
    await right(west);
    await world.call('resync', true);
    for (const cluster of [east, west]) {
      for (const name of names(CONTRACTS_A_CLUSTER)) {
        const target = await targetNamed(cluster, name);
        await eventually(`pass of ${name} by the new code`, async () =>
          (await readItem(world, target)).reconcilerVersion === '2' ? true : undefined,
        );
      }
    }
  });

  it('R-2.5 a polled object that changed wakes its reader', async () => {
    await setSynced(east, true);
    await eventually(
      'contract that saw it',
      async () => ((await east.edits.contracts.condition('polled', 'Synced'))?.startsWith('True') ? true : undefined),
      LIMIT_MS,
    );
  });

  it('R-5.12 no call was one that its role does not allow, and no permission was never used', () => {
    expect(
      world.gatekeeper.denied.map(({ action, resources, userAgent }) => ({ action, resources, userAgent })),
    ).toEqual([]);
    const unused = world.functionKeys.flatMap((key) =>
      world.gatekeeper.unused(key).map(({ action, resource }) => `${key}: ${action} on ${resource}`),
    );
    expect(unused.filter((line) => !isLambdas(line))).toEqual([]);
  });

  it('R-6.8 removing it leaves nothing of the stack', async () => {
    const removed = await world.copy.serverless('remove', '--stage', STAGE);
    expect(removed.code, removed.output).toBe(0);
    expect(await world.leftovers()).toEqual([]);
  });
});

/** What Lambda itself does in a function's name: receiving, deleting at the end of a batch, and logging. */
function isLambdas(line: string): boolean {
  return /sqs:(ReceiveMessage|GetQueueAttributes) |^wake: sqs:DeleteMessage |logs:(CreateLogStream|PutLogEvents) /.test(
    line,
  );
}

const WRITE = { fieldManager: 'test' };
const EXTERNAL_SECRET = { namespace: 'default', name: 'polled' };

/** A contract that waits for an ExternalSecret, which nobody watches. */
async function prepareExternalSecret({ edits, cluster }: UserCluster): Promise<void> {
  await cluster.user.create(
    ExternalSecrets,
    { apiVersion: apiVersion(ExternalSecrets), kind: ExternalSecrets.kind, metadata: EXTERNAL_SECRET, spec: {} },
    WRITE,
  );
  await edits.contracts.createSecret('polled', { one: 'x' });
  await edits.contracts.createContract('polled', ['one'], {
    externalSecretRef: { name: 'polled', pollInterval: '30s' },
  });
}

async function setSynced({ cluster }: UserCluster, ready: boolean): Promise<void> {
  const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False', reason: 'SecretSynced' }];
  await cluster.user.patch(
    ExternalSecrets,
    EXTERNAL_SECRET,
    { type: 'merge', patch: { status: { conditions } } },
    WRITE,
  );
}
