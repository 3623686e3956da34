import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { Gateways } from '../../../lib/controllers/control-plane/kinds.ts';
import { InfrastructureError } from '../../../lib/core/errors.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import type { ResourceType } from '../../../lib/core/resource-type.ts';
import { ApiError } from '../../../lib/ports/cluster-api.ts';
import { IdentityError } from '../../../lib/ports/identity-provider.ts';
import { CallFaults, CrashedError } from '../../../lib/testing/call-faults.ts';
import { playOperators } from '../../support/play-operators.ts';
import { ClusterRun, type OpenCluster, type TestedCluster } from './cluster-run.ts';
import {
  clientOf,
  createGateway,
  databaseObjects,
  find,
  gatewayObjects,
  phaseOf,
  shown,
} from './control-plane-world.ts';

const PASS_MS = 2_000;
const LEASE_MS = 60_000;
const LOOK_AGAIN_MS = 100;

/** A process that dies after each of its writes, on any API server. */
export function describeWriteFaults(name: string, open: OpenCluster): void {
  describe(`writes that fail on ${name}`, { timeout: 1_200_000 }, () => {
    let cluster: TestedCluster | undefined;

    afterEach(async () => {
      await cluster?.close();
    });

    it('R-1.15 R-1.20 R-5.5 a Gateway converges, and nothing is duplicated or left over, when the process dies after any of its writes', async () => {
      const fault = 'crash-after';
      const armed: { faults?: CallFaults } = {};
      cluster = await open({
        wrapIdentity: (provider) =>
          new Proxy(provider, {
            get: (_, property) => {
              const port = armed.faults === undefined ? provider : writesOf(armed.faults, provider, 'identity');
              const value: unknown = Reflect.get(port, property);
              return typeof value === 'function' ? value.bind(port) : value;
            },
          }),
      });
      const run = new ClusterRun(cluster);
      const database = await run.provisionDatabase();
      const gateways: KubeObject[] = [];
      for (let hit: string | undefined = 'the first'; hit !== undefined; ) {
        const gateway = await createGateway(run.control, {}, `edge-${gateways.length}`);
        hit = await runFaulty(run, armed, new CallFaults(gateways.length, fault), gateway);
        gateways.push(gateway);
        await expectWhole(run, gateway, database, gateways.length);
      }
      // An apply creates or releases most objects. The client, the statuses and the finalizer are additional writes.
      expect(gateways.length).toBeGreaterThan(20);

      let deleted = 0;
      for (const gateway of gateways) {
        await run.remove(Gateways, gateway);
        const hit = await runFaulty(run, armed, new CallFaults(deleted, fault), gateway);
        if (hit === undefined) break;
        deleted += 1;
      }
      expect(deleted).toBeGreaterThan(8);
      expect(deleted).toBeLessThan(gateways.length);
      for (const gateway of gateways.slice(deleted + 1)) await run.remove(Gateways, gateway);
      await expectAllGone(run, gateways, database);
    });
  });
}

const WRITES = /^(create|patch|delete|update)/;

/** Counts the writes of a port and injects a fault into one of them. After the process died, every call fails. */
function writesOf<Port extends object>(faults: CallFaults, port: Port, name: string): Port {
  const unanswered = (method: string) =>
    name === 'identity'
      ? new IdentityError('Timeout', `${method} was not answered`)
      : new ApiError('Timeout', `${method} was not answered`);
  const counted = faults.wrap(port, name, unanswered);
  return new Proxy(port, {
    get: (target, property) => {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== 'function' || typeof property !== 'string') return value;
      if (WRITES.test(property) || faults.crashed) return Reflect.get(counted, property);
      return value.bind(target);
    },
  });
}

/**
 * Runs passes of a worker with a fault in one of its writes, with the operators in between. Then runs a healthy worker
 * after the dead one's lease, until nothing is written any more.
 * @returns the write that had the fault.
 */
async function runFaulty(
  run: ClusterRun,
  armed: { faults?: CallFaults },
  faults: CallFaults,
  gateway: KubeObject,
): Promise<string | undefined> {
  const { world, user } = run.control;
  const clusters = { api: () => writesOf(faults, world.api, 'api') };
  const worker = world.worker('faulty', { clusters });
  armed.faults = faults;
  const isLeft = async () => !(await run.isGone(run.placeOf(Gateways, gateway)));
  while (faults.hit === undefined && (await isLeft())) {
    const before = run.writes().length;
    try {
      await worker.handle(world.event(Gateways, gateway, { cause: 'requested' }));
    } catch (error) {
      if (!(error instanceof CrashedError || error instanceof InfrastructureError)) throw error;
    }
    await world.clock.advance(PASS_MS);
    const played = await playOperators(user);
    if (run.writes().length > before || played > 0) continue;
    // Either no work is left, or the server's own controllers must act first.
    if ((await run.read(Gateways, gateway)).metadata.deletionTimestamp === undefined) break;
    await delay(LOOK_AGAIN_MS);
  }
  delete armed.faults;
  await world.clock.advance(LEASE_MS);
  run.targets.splice(1, 1, [Gateways, gateway]);
  await run.settle();
  return faults.hit;
}

async function expectWhole(run: ClusterRun, gateway: KubeObject, database: KubeObject, made: number): Promise<void> {
  const { control } = run;
  const now = await run.read(Gateways, gateway);
  expect(shown(now).Ready, JSON.stringify(now.status)).toBe('True AllSatisfied');
  expect(phaseOf(now)).toBe('Running');
  expect(now.metadata.finalizers).toEqual(['hypershell.evenkeel.dev/gateway']);
  const objects = gatewayObjects(gateway.metadata.uid, database.metadata.uid);
  const found = await Promise.all(objects.map((object) => find(control, object)));
  for (const [index, object] of found.entries()) expect(object, objects[index]?.type.kind).toBeDefined();
  expect(found[4]?.data).toEqual(found[1]?.data);
  for (const { type, namespace } of objects.slice(1, 4)) {
    expect((await control.user.list(type, { namespace })).items, type.kind).toHaveLength(made);
  }
  expect(clientOf(control, gateway.metadata.uid)?.protocolMappers).toHaveLength(2);
  expect(control.keycloak.realms.get('shop')?.clients.size).toBe(made);
}

async function expectAllGone(run: ClusterRun, gateways: readonly KubeObject[], database: KubeObject): Promise<void> {
  run.targets.splice(1, 1, ...gateways.map((gateway): [ResourceType, KubeObject] => [Gateways, gateway]));
  for (const gateway of gateways) await run.settleUntil(() => run.isGone(run.placeOf(Gateways, gateway)));
  for (const { metadata } of gateways) {
    for (const object of gatewayObjects(metadata.uid, database.metadata.uid)) {
      expect(await run.isGone(object), `${object.type.kind} of ${metadata.name}`).toBe(true);
    }
  }
  expect(run.control.keycloak.realms.get('shop')?.clients.size).toBe(0);
  for (const object of databaseObjects(database.metadata.uid)) expect(await run.isGone(object)).toBe(false);
}
