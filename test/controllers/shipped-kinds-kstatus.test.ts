import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { Gateways, ManagedDatabases } from '../../lib/controllers/control-plane/kinds.ts';
import { SecretContracts } from '../../lib/controllers/secret-contract/kinds.ts';
import { secretContractController } from '../../lib/controllers/secret-contract/secret-contract-controller.ts';
import { T4ClusterHosts, T4Sessions, T4Workspaces } from '../../lib/controllers/t4/kinds.ts';
import { readConditions } from '../../lib/core/conditions.ts';
import type { KubeObject } from '../../lib/core/kube-object.ts';
import { Secrets } from '../../lib/core/resource-type.ts';
import { World } from '../../lib/testing/world.ts';
import { kstatus } from '../support/kstatus.ts';
import { controlPlaneWorld, createDatabase, createGateway, settle } from './control-plane/control-plane-world.ts';
import { DIGEST_KEY } from './secret-contract/pass.ts';
import { hostSpec, workspaceSpec } from './t4/objects.ts';
import { T4Fixture } from './t4/t4-fixture.ts';

const NAMESPACE = 'default';

async function contractWorld(): Promise<World> {
  const world = new World({ controllers: [secretContractController({ allowMutation: true, digestKey: DIGEST_KEY })] });
  const crd = (plural: string) => new URL(`../../infra/kubernetes/crds/${plural}.evenkeel.dev.yaml`, import.meta.url);
  await world.install(
    ['secretcontracts', 'secretcontractgrants'].map((plural) => parse(readFileSync(crd(plural), 'utf8')) as object),
  );
  return world;
}

function createContract(world: World, spec: object = {}): Promise<KubeObject> {
  const whole = { secretRef: { name: 'db' }, keys: [{ name: 'password' }], ...spec };
  return world.create(SecretContracts, { metadata: { namespace: NAMESPACE, name: 'db' }, spec: whole });
}

/** Whether the object is `Current`, and which of the two conditions shows it. */
function shown(object: KubeObject): string {
  const progress = readConditions(object.status).filter(({ type }) => type === 'Reconciling' || type === 'Stalled');
  return [kstatus(object), ...progress.map(({ type, reason }) => `${type} ${reason}`)].join(' ');
}

describe('kstatus of the shipped kinds', () => {
  it('R-6.13 every kind is in progress when no pass has looked at it', async () => {
    const world = await contractWorld();
    const t4 = await T4Fixture.embedded();
    const control = await controlPlaneWorld();
    const fresh = [
      await createContract(world),
      await t4.create(T4ClusterHosts, 'host', { spec: hostSpec(t4.place.storageClass) }),
      await createDatabase(control),
      await createGateway(control),
    ];
    expect(fresh.map((object) => `${object.kind} ${shown(object)}`)).toEqual([
      'SecretContract InProgress',
      'T4ClusterHost InProgress',
      'ManagedDatabase InProgress',
      'Gateway InProgress',
    ]);
  });

  it('R-6.13 a contract fails while only another Secret helps, with a timer due too, and is current then', async () => {
    const world = await contractWorld();
    const contract = await createContract(world, { maxAge: '24h' });
    const pass = async () => {
      const { outcome } = await world.worker().handle(world.event(SecretContracts, contract, { cause: 'requested' }));
      return `${outcome} ${shown(await world.read(SecretContracts, contract))}`;
    };
    expect(await pass()).toBe('settled Failed Stalled SecretNotFound');
    const secret = { metadata: { namespace: NAMESPACE, name: 'db' }, stringData: { user: 'x' } };
    await world.create(Secrets, secret);
    expect(await pass()).toBe('checkAt Failed Stalled KeyMissing');
    await world.edit(Secrets, await world.read(Secrets, secret as never), { stringData: { password: 'x' } });
    expect(await pass()).toBe('checkAt Current');
  });

  it('R-6.13 a session is in progress while its Pod starts, current then, fails when revoked, and ends', async () => {
    const t4 = await T4Fixture.embedded();
    await t4.prepare();
    const session = await t4.createSession();
    const now = async () => shown(await t4.read(T4Sessions, session));
    expect(await now()).toBe('InProgress');
    await t4.pass(T4Sessions, session);
    expect(await now()).toBe('InProgress Reconciling PodNotReady');
    await t4.ready(session);
    await t4.pass(T4Sessions, session);
    expect(await now()).toBe('Current');
    const host = await t4.find(T4ClusterHosts, 'host');
    if (host !== undefined) await t4.remove(T4ClusterHosts, host);
    await t4.pass(T4Sessions, session);
    expect(await now()).toBe('Failed Stalled HostNotFound');
    await t4.edit(T4Sessions, session, { metadata: { finalizers: ['example.com/hold'] } });
    await t4.remove(T4Sessions, session);
    expect(await now()).toMatch(/^Terminating/);
  });

  it('R-6.13 a workspace is in progress while its claim waits for a volume, and current when that is bound', async () => {
    const t4 = await T4Fixture.embedded();
    await t4.createStorageClass();
    const host = await t4.create(T4ClusterHosts, 'host', { spec: hostSpec(t4.place.storageClass) });
    await t4.pass(T4ClusterHosts, host);
    expect(shown(await t4.read(T4ClusterHosts, host))).toBe('Current');
    const workspace = await t4.create(T4Workspaces, 'ws', { spec: workspaceSpec({}) });
    expect(shown(workspace)).toBe('InProgress');
    await t4.pass(T4Workspaces, workspace);
    expect(shown(await t4.read(T4Workspaces, workspace))).toBe('InProgress Reconciling PVCPending');
    await t4.bind(workspace);
    await t4.pass(T4Workspaces, workspace);
    expect(shown(await t4.read(T4Workspaces, workspace))).toBe('Current');
  });

  it('R-6.13 a gateway fails without its database, is in progress with one, and current when it runs', async () => {
    const control = await controlPlaneWorld();
    const gateway = await createGateway(control);
    const now = async () => shown(await control.world.read(Gateways, gateway));
    await settle(control);
    expect(await now()).toBe('Failed Stalled DatabaseNotFound');
    const database = await createDatabase(control);
    await settle(control);
    expect(await now()).toBe('Current');
    expect(shown(await control.world.read(ManagedDatabases, database))).toBe('Current');
  });
});
