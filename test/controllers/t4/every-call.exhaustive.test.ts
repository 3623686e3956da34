import { describe, expect, it } from 'vitest';
import {
  PersistentVolumeClaims,
  Pods,
  Services,
  T4ClusterHosts,
  T4Sessions,
  T4Workspaces,
} from '../../../lib/controllers/t4/kinds.ts';
import { InfrastructureError } from '../../../lib/core/errors.ts';
import type { SkinnyEvent } from '../../../lib/core/event.ts';
import { type ResourceType, StorageClasses } from '../../../lib/core/resource-type.ts';
import { ApiError } from '../../../lib/ports/cluster-api.ts';
import { type CallFault, CallFaults } from '../../../lib/testing/call-faults.ts';
import { hostSpec, workspaceSpec } from './objects.ts';
import { T4Fixture } from './t4-fixture.ts';

interface Scenario {
  readonly name: string;
  /** The kinds whose objects must all have settled; by default workspaces and sessions. */
  readonly rests?: readonly ResourceType[];
  /** Prepares the cluster for the faulty pass, and returns the event that the pass handles. */
  prepare(t4: T4Fixture): Promise<SkinnyEvent>;
  /** Checks the final state. */
  check(t4: T4Fixture): Promise<void>;
}

const count = async (t4: T4Fixture, type: ResourceType) =>
  (await t4.user.list(type, { namespace: 'default' })).items.length;
const get = (t4: T4Fixture, type: ResourceType, name: string) => t4.user.get(type, { namespace: 'default', name });

const SCENARIOS: Scenario[] = [
  {
    name: 'a host that loses its StorageClass',
    rests: [T4ClusterHosts],
    prepare: async (t4) => {
      const storageClass = await t4.createStorageClass();
      const host = await t4.create(T4ClusterHosts, 'host', { spec: hostSpec('shared') });
      await t4.pass(T4ClusterHosts, host);
      expect(await t4.shown(T4ClusterHosts, host)).toMatchObject({ Available: 'True HostAvailable' });
      await t4.remove(StorageClasses, storageClass);
      const changed = { type: StorageClasses, object: storageClass, deleted: true };
      return t4.world.dependencyEvent({ type: T4ClusterHosts, object: host }, changed);
    },
    check: async (t4) => {
      const host = await get(t4, T4ClusterHosts, 'host');
      expect(await t4.shown(T4ClusterHosts, host)).toMatchObject({ Available: 'False StorageClassNotFound' });
      expect(host.metadata.finalizers).toBeUndefined();
    },
  },
  {
    name: 'a session that starts',
    prepare: async (t4) => {
      await t4.prepare();
      return t4.world.event(T4Sessions, await t4.createSession());
    },
    check: async (t4) => {
      const session = await get(t4, T4Sessions, 'session');
      expect(await t4.shown(T4Sessions, session)).toMatchObject({ Available: 'False PodNotReady' });
      const [pod, service] = [await t4.podOf(session), await t4.serviceOf(session)];
      expect(session.status).toMatchObject({ podName: pod?.metadata.name, serviceName: service?.metadata.name });
      expect([await count(t4, Pods), await count(t4, Services)]).toEqual([1, 1]);
    },
  },
  {
    name: 'a session that is revoked',
    prepare: async (t4) => {
      await t4.prepare();
      const session = await t4.runningSession();
      return t4.world.event(T4Sessions, await t4.edit(T4Sessions, session, { spec: { runtimeProfile: 'huge' } }));
    },
    check: async (t4) => {
      const session = await get(t4, T4Sessions, 'session');
      expect(await t4.shown(T4Sessions, session)).toMatchObject({ Available: 'False RuntimeProfileNotAllowed' });
      expect(session.status).toMatchObject({ phase: 'Failed', observedGeneration: 2 });
      expect(session.status).not.toHaveProperty('podName');
      expect([await count(t4, Pods), await count(t4, Services)]).toEqual([0, 0]);
    },
  },
  {
    name: 'a Pod that is replaced',
    prepare: async (t4) => {
      await t4.prepare();
      const session = await t4.runningSession();
      return t4.world.event(T4Sessions, await t4.edit(T4Sessions, session, { spec: { runtimeProfile: 'large' } }));
    },
    check: async (t4) => {
      const session = await get(t4, T4Sessions, 'session');
      const pod = await t4.podOf(session);
      expect(JSON.stringify(pod?.spec)).toContain('{"name":"T4_RUNTIME_PROFILE","value":"large"}');
      expect([await count(t4, Pods), await count(t4, Services)]).toEqual([1, 1]);
    },
  },
  {
    name: 'a session that is deleted',
    prepare: async (t4) => {
      await t4.prepare();
      const session = await t4.runningSession();
      await t4.remove(T4Sessions, session);
      return t4.world.event(T4Sessions, await t4.read(T4Sessions, session));
    },
    check: async (t4) => {
      expect([await count(t4, T4Sessions), await count(t4, Pods), await count(t4, Services)]).toEqual([0, 0, 0]);
    },
  },
  ...(['Retain', 'Delete'] as const).flatMap((retentionPolicy): Scenario[] => [
    {
      name: `a workspace that begins under ${retentionPolicy}`,
      prepare: async (t4) => {
        await t4.prepare();
        const workspace = await t4.create(T4Workspaces, 'new', { spec: workspaceSpec({ retentionPolicy }) });
        return t4.world.event(T4Workspaces, workspace);
      },
      check: async (t4) => {
        const workspace = await get(t4, T4Workspaces, 'new');
        const claim = await t4.claimOf(workspace);
        expect(workspace.status).toMatchObject({ phase: 'Pending', pvcUID: claim?.metadata.uid });
        expect(await count(t4, PersistentVolumeClaims)).toBe(2);
      },
    },
    {
      name: `a workspace that is deleted under ${retentionPolicy}`,
      prepare: async (t4) => {
        const workspace = await t4.prepare({ retentionPolicy });
        await t4.remove(T4Workspaces, workspace);
        return t4.world.event(T4Workspaces, await t4.read(T4Workspaces, workspace));
      },
      check: async (t4) => {
        expect(await count(t4, T4Workspaces)).toBe(0);
        const { items } = await t4.user.list(PersistentVolumeClaims, { namespace: 'default' });
        expect(items.map(({ metadata }) => metadata.annotations?.['cluster.t4.dev/retained'])).toEqual(
          retentionPolicy === 'Retain' ? ['true'] : [],
        );
      },
    },
  ]),
];

async function runScenario(scenario: Scenario, faults: CallFaults): Promise<T4Fixture> {
  const t4 = await T4Fixture.embedded();
  const event = await scenario.prepare(t4);
  const { world } = t4;
  const unanswered = (method: string) => new InfrastructureError(`${method} was not answered`);
  const faulty = world.worker('faulty', {
    store: faults.wrap(world.memory, 'store', unanswered),
    wakes: faults.wrap(world.wakes, 'wakes', unanswered),
    clusters: {
      api: () => faults.wrap(world.api, 'api', (method) => new ApiError('Timeout', `${method} was not answered`)),
    },
  });
  // The faulty worker handles the event once. If it did not acknowledge the event, the queue delivers it again.
  await world.sender.sendAll('events', [event]);
  await world.drain(faulty);
  await world.run(5 * 60_000, undefined, 5_000);
  return t4;
}

for (const scenario of SCENARIOS) {
  describe(`${scenario.name}, with a fault at every call`, async () => {
    const probe = new CallFaults();
    await scenario.check(await runScenario(scenario, probe));
    const cases = (['crash-before', 'crash-after', 'lose-answer', 'fail'] as CallFault[]).flatMap((fault) =>
      Array.from({ length: probe.calls }, (_, at) => ({ fault, at })),
    );

    it.each(cases)(
      'R-5.5 R-4.3 R-4.5 everything converges without another event, and then writes nothing, when $fault hits call $at',
      async ({ fault, at }) => {
        const faults = new CallFaults(at, fault);
        const t4 = await runScenario(scenario, faults);
        expect(faults.hit).toBeDefined();
        await scenario.check(t4);
        t4.forgetRequests();
        for (const type of scenario.rests ?? [T4Workspaces, T4Sessions]) {
          for (const object of (await t4.user.list(type, { namespace: 'default' })).items) await t4.pass(type, object);
        }
        expect(t4.writes).toEqual([]);
      },
    );
  });
}
