import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { SystemClock } from '../../../lib/adapters/system/system-clock.ts';
import type { DesiredObject } from '../../../lib/core/kube-object.ts';
import { installDefinitions } from '../../../lib/deployment/kubernetes/install-definitions.ts';
import { eventually } from '../../e2e/support/eventually.ts';
import { STAGE, type UserCluster } from '../support/cloud-world.ts';
import { readItem, targetNamed } from '../support/targets.ts';
import { CONTRACTS_A_CLUSTER, contractNames, type Deployed, LIMIT_MS, right } from './deployed.ts';
import { setSynced } from './polled.ts';

const CRD = 'infra/kubernetes/crds/secretcontracts.evenkeel.dev.yaml';
const GATEWAY_CONTROLLER = 'lib/controllers/control-plane/gateway/gateway-controller.ts';
const PARTS = 'infra/serverless-parts.ts';
const REFUSED = "{ Refused: { Type: 'AWS::SQS::Queue', Properties: { VisibilityTimeout: 99_999 } } }";

/** A release after the first. */
export function upgrade(deployed: () => Deployed): void {
  it('R-6.4 a deployment fails with the resource and the reason, and the previous one continues, when AWS refuses a resource', async () => {
    const { world, east, west } = deployed();
    world.copy.edit(PARTS, '    ...dashboard(stage),', `    ...dashboard(stage),\n    ...${REFUSED},`);
    const ran = await world.copy.serverless('deploy', '--stage', STAGE);
    world.copy.edit(PARTS, `\n    ...${REFUSED},`, '');
    expect(ran.code).toBe(1);
    expect(ran.output).toMatch(
      /UPDATE_FAILED: Refused \(AWS::SQS::Queue\)\s+Invalid value for the parameter VisibilityTimeout/,
    );
    await world.relieve();
    await east.edits.toggleSecret('web-10');
    await west.edits.toggleSecret('web-10');
    await Promise.all([right(east, ['web-10']), right(west, ['web-10'])]);
  });

  it('R-6.4 a deployment is refused while a cluster has the CRD of the previous release, and continues when it has the new one', async () => {
    const { world, east, west } = deployed();
    world.copy.edit(
      CRD,
      `                findings:\n`,
      `                novelty:\n                  type: string\n                findings:\n`,
    );
    const refused = await world.copy.serverless('deploy', '--stage', STAGE);
    expect(refused.code, refused.output).toBe(1);
    for (const name of ['east', 'west']) {
      expect(refused.output).toContain(
        `cluster ${name}: CRD secretcontracts.evenkeel.dev in the cluster is older than this release: it lacks status.novelty,`,
      );
    }
    expect(refused.output).toContain('kubectl apply --server-side -f infra/kubernetes/crds');
    const definition = parse(world.copy.read(CRD)) as DesiredObject;
    const published = (cluster: UserCluster) =>
      eventually('published schema', async () => ((await hasNovelty(cluster)) ? true : undefined));
    for (const cluster of [east, west]) {
      await installDefinitions(cluster.cluster.user, [definition], new SystemClock(), () => {});
      await published(cluster);
    }
    // The deployment of the next test goes on.
    await world.relieve();
  });

  it('R-5.15 R-5.5 a deployment of changed code while events flow loses nothing, and every target gets a pass by it', async () => {
    const { world, east, west } = deployed();
    world.copy.edit(
      'lib/controllers/secret-contract/secret-contract-controller.ts',
      "reconcilerVersion('1'",
      "reconcilerVersion('2'",
    );
    world.copy.edit('lib/controllers/t4/cluster-host/cluster-host-controller.ts', "version: '1',", "version: '2',");
    world.copy.edit(GATEWAY_CONTROLLER, "reconcilerVersion('3'", "reconcilerVersion('4'");
    world.copy.edit('stages/emulator.yml', 'deletionProtection: false', 'deletionProtection: true');
    const redeployed = world.deploy();
    let done = false;
    void redeployed.finally(() => {
      done = true;
    });
    for (let edit = 0; !done; edit += 1) {
      const before = world.gatekeeper.calls.length;
      await east.edits.toggleSecret(`web-${edit % CONTRACTS_A_CLUSTER}`);
      await west.edits.toggleContract(`web-${(7 * edit) % CONTRACTS_A_CLUSTER}`);
      // As fast as they are handled, and no faster.
      await eventually('work', async () => (done || world.gatekeeper.calls.length > before + 10 ? true : undefined));
    }
    await redeployed;
    await world.relieve();
    await right(east);
    await right(west);
    await world.call('resync', true);
    for (const cluster of [east, west]) {
      for (const name of contractNames(CONTRACTS_A_CLUSTER)) {
        const target = await targetNamed(cluster, name);
        await eventually(`pass of ${name} by the new code`, async () =>
          (await readItem(world, target)).reconcilerVersion.startsWith('2-') ? true : undefined,
        );
      }
    }
  });

  it('R-6.8 the release before runs again when it is deployed over the new one, on its table and with the new CRD', async () => {
    const { world, east, west } = deployed();
    world.copy.edit(
      'lib/controllers/secret-contract/secret-contract-controller.ts',
      "reconcilerVersion('2'",
      "reconcilerVersion('1'",
    );
    const own = `                novelty:\n                  type: string\n`;
    world.copy.edit(CRD, own, '');
    await world.deploy();
    await world.relieve();
    const names = contractNames(10, 60);
    for (const name of names) await east.edits.toggleSecret(name);
    for (const name of names) await west.edits.toggleContract(name);
    await Promise.all([right(east, names), right(west, names)]);
    for (const name of names) {
      const target = await targetNamed(east, name);
      await eventually(`pass of ${name} by the release before`, async () =>
        (await readItem(world, target)).reconcilerVersion.startsWith('1-') ? true : undefined,
      );
    }
    // The CRDs go back last.
    const definition = parse(world.copy.read(CRD)) as DesiredObject;
    for (const { cluster } of [east, west]) {
      await installDefinitions(cluster.user, [definition], new SystemClock(), () => {});
    }
  });

  it('R-2.5 a polled object that changed starts a pass of its reader', async () => {
    const { east } = deployed();
    await setSynced(east, true);
    await eventually(
      'contract that saw it',
      async () => ((await east.edits.contracts.condition('polled', 'Synced'))?.startsWith('True') ? true : undefined),
      LIMIT_MS,
    );
  });
}

/** The API server publishes the schema of a changed CRD some time after it took it. */
async function hasNovelty({ cluster }: UserCluster): Promise<boolean> {
  const path = '/openapi/v3/apis/evenkeel.dev/v1alpha1';
  const { text } = await cluster.server.request({ method: 'GET', path });
  return text.includes('"novelty"');
}
