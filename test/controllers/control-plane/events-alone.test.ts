import { afterEach, describe, expect, it } from 'vitest';
import { isWrite } from '../../../lib/apiserver/request-log.ts';
import { Clusters, Gateways, ManagedDatabases } from '../../../lib/controllers/control-plane/kinds.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { Deployments, kindId, Namespaces, Secrets } from '../../../lib/core/resource-type.ts';
import { playOperators } from '../../support/play-operators.ts';
import {
  type ControlPlaneWorld,
  controlPlaneWorld,
  createDatabase,
  createGateway,
  databaseObjects,
  find,
  gatewayObjects,
  leftovers,
  phaseOf,
  shown,
} from './control-plane-world.ts';

let stop = new AbortController();
let running: Promise<void> | undefined;

afterEach(async () => {
  stop.abort();
  await running;
});

/** The whole loop with a relay. Resync and the targets' timers are off, and nobody requests a pass. */
async function withRelay(): Promise<ControlPlaneWorld> {
  const control = await controlPlaneWorld();
  await control.world.create(Namespaces, { metadata: { name: 'evenkeel-system' } });
  stop = new AbortController();
  running = control.world.relay().run(stop.signal);
  await control.world.run(3_000);
  return control;
}

/** Advances the clock while the operators work. */
async function pass(control: ControlPlaneWorld, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    await control.world.run(1_000);
    await control.world.server.idle();
    await playOperators(control.user, control.operators.options);
  }
}

describe('the control plane on events alone', () => {
  it.each([
    ['is deleted', 'deleted'],
    ['route is disabled', { route: { enabled: false } }],
    ['asks for another host', { route: { host: 'two.example.org' } }],
  ] as const)('R-3.8 R-1.4 a Gateway gets the host that it waits for when the holder %s', async (_, change) => {
    const control = await withRelay();
    await createDatabase(control);
    const asked = { identity: null, route: { host: 'one.example.org' } };
    const first = await createGateway(control, asked, 'first');
    await pass(control, 15);
    const second = await createGateway(control, asked, 'second');
    await pass(control, 15);
    expect(shown(await control.world.read(Gateways, first)).Ready).toBe('True AllSatisfied');
    expect(shown(await control.world.read(Gateways, second)).Ready).toBe('False HostConflict');
    if (change === 'deleted') await control.world.remove(Gateways, first);
    else await control.world.edit(Gateways, first, { spec: change });
    await pass(control, 15);
    expect(shown(await control.world.read(Gateways, second)).Ready).toBe('True AllSatisfied');
  });

  it.each([2, 4])(
    'R-3.8 an annotation of one of %d Gateways with different hosts starts one pass and one list of each kind, and no write',
    async (count) => {
      const control = await withRelay();
      await createDatabase(control);
      const gateways: KubeObject[] = [];
      for (let index = 0; index < count; index += 1) {
        gateways.push(await createGateway(control, { identity: null }, `host-${index}`));
      }
      const without = await createGateway(control, { identity: null, route: { enabled: false } }, 'no-route');
      await pass(control, 20);
      for (const gateway of [...gateways, without]) {
        expect(shown(await control.world.read(Gateways, gateway)).Ready).toBe('True AllSatisfied');
      }
      const { requests } = control.world.server;
      const [sentBefore, reportsBefore] = [requests.total, control.world.reports.length];
      await control.world.edit(Gateways, gateways[0]!, { metadata: { annotations: { note: 'seen' } } });
      await pass(control, 10);
      const passes = control.world.reports.slice(reportsBefore).filter(({ attempts }) => attempts > 0);
      const names = passes.flatMap(({ target }) => (target.kind === kindId(Gateways) ? [target.name] : []));
      expect(names.sort()).toEqual(gateways.map(({ metadata }) => metadata.name));
      const sent = requests.records
        .slice(sentBefore - requests.total)
        .filter(({ userAgent }) => userAgent === 'evenkeel');
      const everywhere = sent.filter(({ verb, namespace }) => verb === 'list' && namespace === '');
      expect(everywhere.map(({ resource }) => resource)).toEqual(Array(count).fill('gateways'));
      expect(sent.filter(isWrite)).toEqual([]);
    },
  );

  it('R-3.1 R-3.4 R-1.4 the control plane provisions, repairs and deletes within seconds of each change', async () => {
    const control = await withRelay();
    const { world } = control;
    const gateway = await createGateway(control);
    await pass(control, 3);
    expect(shown(await world.read(Gateways, gateway)).DatabaseReady).toBe('False DatabaseNotFound');
    const database = await createDatabase(control);
    await pass(control, 15);
    expect(phaseOf(await world.read(Gateways, gateway))).toBe('Running');
    expect(shown(await world.read(ManagedDatabases, database)).InUse).toBe('True Referenced');

    const objects = gatewayObjects(gateway.metadata.uid, database.metadata.uid);
    for (const object of objects.filter(({ type }) => type !== Namespaces && type !== Secrets)) {
      const before = (await find(control, object))!;
      await world.remove(object.type, before);
      await pass(control, 4);
      const after = await find(control, object);
      expect(after?.metadata.uid, object.type.kind).toBeDefined();
      expect(after?.metadata.uid, object.type.kind).not.toBe(before.metadata.uid);
    }

    control.operators.options = { idle: [Clusters] };
    const cluster = (await find(control, databaseObjects(database.metadata.uid)[1]!))!;
    await world.edit(Clusters, cluster, { status: { readyInstances: 0 } }, 'status');
    await pass(control, 4);
    expect(shown(await world.read(Gateways, gateway)).DatabaseReady).toBe('False DatabaseNotReady');
    control.operators.options = {};
    await pass(control, 4);
    expect(shown(await world.read(Gateways, gateway)).Ready).toBe('True AllSatisfied');

    await world.remove(ManagedDatabases, database);
    await pass(control, 3);
    expect(shown(await world.read(ManagedDatabases, database)).Ready).toBe('False GatewaysRemain');
    await world.remove(Gateways, gateway);
    await pass(control, 15);
    expect(await leftovers(control)).toEqual([]);
    expect(world.memory.contents().targets).toEqual([]);
  });

  it('R-1.4 a Secret that is not watched is restored at its next poll', async () => {
    const control = await withRelay();
    const { world } = control;
    const database = await createDatabase(control);
    const gateway = await createGateway(control);
    await pass(control, 15);
    expect(phaseOf(await world.read(Gateways, gateway))).toBe('Running');
    const secret = gatewayObjects(gateway.metadata.uid, database.metadata.uid)[4]!;
    await world.remove(Secrets, (await find(control, secret))!);
    await pass(control, 330);
    expect(await find(control, secret)).toBeDefined();
  });

  it('R-3.2 a Gateway reports a failing Deployment when the status of the Deployment changes', async () => {
    const control = await withRelay();
    const { world } = control;
    const database = await createDatabase(control);
    const gateway = await createGateway(control);
    await pass(control, 15);
    control.operators.options = { idle: [Deployments] };
    const deployment = gatewayObjects(gateway.metadata.uid, database.metadata.uid).find(
      ({ type }) => type === Deployments,
    )!;
    await world.edit(Deployments, (await find(control, deployment))!, { status: { readyReplicas: 1 } }, 'status');
    await pass(control, 3);
    expect(phaseOf(await world.read(Gateways, gateway))).toBe('Degraded');
  });
});
