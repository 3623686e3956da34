import { afterEach, describe, expect, it } from 'vitest';
import { Gateways } from '../../../lib/controllers/control-plane/kinds.ts';
import { InfrastructureError } from '../../../lib/core/errors.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
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

/** A process that dies at, or gets no answer to, each of its writes, on any API server. */
export function describeWriteFaults(name: string, open: OpenCluster): void {
  describe(`writes that fail on ${name}`, { timeout: 1_200_000 }, () => {
    let cluster: TestedCluster | undefined;

    afterEach(async () => {
      await cluster?.close();
    });

    it.each(['crash-before', 'crash-after', 'lose-answer'] as const)(
      'R-1.15 R-1.20 R-5.5 a %s at every write of a Gateway, made and deleted: it converges, and nothing is twice or left over',
      async (fault) => {
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
        const hits = { made: 0, deleted: 0 };
        for (let at = 0; ; at += 1) {
          const gateway = await createGateway(run.control, {}, `edge-${at}`);
          const making = await runFaulty(run, armed, new CallFaults(at, fault), gateway);
          await expectWhole(run, gateway, database);
          await run.remove(Gateways, gateway);
          const deleting = await runFaulty(run, armed, new CallFaults(at, fault), gateway);
          await expectGone(run, gateway, database);
          if (making !== undefined) hits.made += 1;
          if (deleting !== undefined) hits.deleted += 1;
          if (making === undefined && deleting === undefined) break;
        }
        // Every object is created and let go of by an apply, and the route, the client and the finalizer are besides.
        expect(hits.made).toBeGreaterThan(20);
        expect(hits.deleted).toBeGreaterThan(8);
      },
    );
  });
}

const WRITES = /^(create|patch|delete|update)/;

/** The port with its writes counted, and a fault at one of them; once the process died, nothing works any more. */
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
 * Passes of a worker with a fault at one of its writes, with the operators' turns between, then of a healthy one after the
 * dead one's lease, until nothing is written any more.
 * @returns the write that the fault fell on.
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
  for (let pass = 0; pass < 8 && faults.hit === undefined; pass += 1) {
    const before = run.writes().length;
    try {
      await worker.handle(world.event(Gateways, gateway, { cause: 'requested' }));
    } catch (error) {
      if (!(error instanceof CrashedError || error instanceof InfrastructureError)) throw error;
    }
    await world.clock.advance(PASS_MS);
    const played = await playOperators(user);
    if (run.writes().length === before && played === 0) break;
  }
  delete armed.faults;
  await world.clock.advance(LEASE_MS);
  run.targets.splice(1, 1, [Gateways, gateway]);
  await run.settle();
  return faults.hit;
}

async function expectWhole(run: ClusterRun, gateway: KubeObject, database: KubeObject): Promise<void> {
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
    expect((await control.user.list(type, { namespace })).items, type.kind).toHaveLength(1);
  }
  expect(clientOf(control, gateway.metadata.uid)?.protocolMappers).toHaveLength(2);
  expect(control.keycloak.realms.get('shop')?.clients.size).toBe(1);
}

async function expectGone(run: ClusterRun, gateway: KubeObject, database: KubeObject): Promise<void> {
  await run.settleUntil(() => run.isGone(run.placeOf(Gateways, gateway)));
  for (const object of gatewayObjects(gateway.metadata.uid, database.metadata.uid)) {
    expect(await run.isGone(object), object.type.kind).toBe(true);
  }
  expect(run.control.keycloak.realms.get('shop')?.clients.size).toBe(0);
  for (const object of databaseObjects(database.metadata.uid)) expect(await run.isGone(object)).toBe(false);
}
