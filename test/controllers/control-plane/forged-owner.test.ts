import { afterEach, describe, expect, it } from 'vitest';
import { Gateways, Services } from '../../../lib/controllers/control-plane/kinds.ts';
import { apiVersion, ConfigMaps, kindId, Namespaces, type ResourceType } from '../../../lib/core/resource-type.ts';
import { playOperators } from '../../support/play-operators.ts';
import { startRelay } from '../../support/start-relay.ts';
import {
  type ControlPlaneWorld,
  controlPlaneWorld,
  createDatabase,
  createGateway,
  phaseOf,
} from './control-plane-world.ts';

let stopRelay: (() => Promise<void>) | undefined;

afterEach(async () => {
  await stopRelay?.();
  stopRelay = undefined;
});

async function pass(control: ControlPlaneWorld, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    await control.world.run(1_000);
    await control.world.server.idle();
    await playOperators(control.user, control.operators.options);
  }
}

const MANAGED = { 'app.kubernetes.io/managed-by': 'evenkeel' };

describe('a Gateway and an object that names it as its owner', () => {
  it.each<[string, ResourceType, { namespace?: string; name: string }, string, object]>([
    ['a ConfigMap of another team', ConfigMaps, { namespace: 'team-b', name: 'copy' }, 'edge', {}],
    [
      'a Service under another owner name',
      Services,
      { namespace: 'team-a', name: 'copy' },
      'nobody',
      { spec: { ports: [{ port: 80 }], selector: { a: 'b' } } },
    ],
    ['a Namespace, which lies in none', Namespaces, { name: 'copy' }, 'edge', {}],
  ])(
    'R-1.28 a Gateway keeps its state and no message becomes a dead letter when its UID is in the owner reference of %s',
    async (_, type, name, owner, body) => {
      const control = await controlPlaneWorld();
      const { world } = control;
      for (const other of ['evenkeel-system', 'team-b']) await world.create(Namespaces, { metadata: { name: other } });
      stopRelay = startRelay(world);
      await createDatabase(control);
      const gateway = await createGateway(control);
      await pass(control, 20);
      expect(phaseOf(await world.read(Gateways, gateway))).toBe('Running');
      const { uid } = gateway.metadata;
      const itemOf = () => world.memory.readTarget({ cluster: 'test', kind: kindId(Gateways), uid });
      const before = await itemOf();
      expect(before).toMatchObject({ target: { namespace: 'team-a', name: 'edge' } });

      const reference = { apiVersion: apiVersion(Gateways), kind: Gateways.kind, name: owner, uid, controller: true };
      await world.create(type, { metadata: { ...name, labels: MANAGED, ownerReferences: [reference] }, ...body });
      await pass(control, 5);
      expect(await itemOf()).toMatchObject({ target: before?.target, edges: before?.edges, values: before?.values });
      expect(world.reports.filter(({ end }) => end === 'forgotten')).toEqual([]);
      expect(world.metrics.total('DeadLetter')).toBe(0);
      expect(phaseOf(await world.read(Gateways, gateway))).toBe('Running');
    },
  );
});
