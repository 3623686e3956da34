import { beforeEach, describe, expect, it } from 'vitest';
import { Pods, Services, T4Sessions } from '../../../../lib/controllers/t4/kinds.ts';
import type { KubeObject } from '../../../../lib/core/kube-object.ts';
import { ConfigMaps } from '../../../../lib/core/resource-type.ts';
import { withCalls } from '../interposed-api.ts';
import { T4Fixture } from '../t4-fixture.ts';

let t4: T4Fixture;
beforeEach(async () => {
  t4 = await T4Fixture.embedded();
  await t4.prepare();
});

describe('somebody else under the name', () => {
  const conditions = {
    HostReady: 'True HostVerified',
    WorkspaceReady: 'True WorkspaceVerified',
    RuntimeConfigured: 'True RuntimeVerified',
    Available: 'False ResourceOwnershipConflict',
  };

  it.each([
    ['Pod', Pods],
    ['Service', Services],
  ])(
    'R-4.9 R-1.21 session leaves a foreign %s, starts nothing next to it, and keeps the prerequisites as validated',
    async (_, type) => {
      const session = await t4.createSession();
      const foreign = await t4.createForeign(type, session);
      expect(await t4.pass(T4Sessions, session)).toMatchObject({ outcome: 'settled' });
      expect(await t4.shown(T4Sessions, session)).toEqual(conditions);
      expect((await t4.read(T4Sessions, session)).status).toMatchObject({ phase: 'Failed' });
      expect(await t4.read(type, foreign)).toEqual(foreign);
      expect(type === Pods ? await t4.serviceOf(session) : await t4.podOf(session)).toBeUndefined();

      // It lacks the label, so no watch covers it. The poll of its name finds that it is gone.
      await t4.remove(type, foreign);
      await t4.world.run(70_000);
      expect(await t4.podOf(session)).toBeDefined();
      expect(await t4.serviceOf(session)).toBeDefined();
    },
  );

  it.each([
    ['Pod', Pods, Services],
    ['Service', Services, Pods],
  ])('R-4.9 session keeps the sibling when its %s is taken over while it runs', async (_, type, other) => {
    const session = await t4.runningSession();
    const { pod, service } = await t4.childrenOf(session);
    const [child, sibling] = type === Pods ? [pod, service] : [service, pod];
    const owner = await t4.create(ConfigMaps, 'owner', {});
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid };
    await t4.edit(type, child, {
      metadata: { ownerReferences: [...(child.metadata.ownerReferences ?? []), reference] },
    });
    const taken = await t4.read(type, child);
    await t4.pass(T4Sessions, session);
    expect(await t4.shown(T4Sessions, session)).toEqual(conditions);
    expect([await t4.read(type, taken), await t4.read(other, sibling)]).toEqual([taken, sibling]);
    const names = type === Pods ? { serviceName: service.metadata.name } : { podName: pod.metadata.name };
    const { status } = await t4.read(T4Sessions, session);
    expect(status).toMatchObject(names);
    expect(Object.keys(status as object)).not.toContain(type === Pods ? 'podName' : 'serviceName');
  });

  it.each([
    ['Pod', Pods, Services],
    ['Service', Services, Pods],
  ])('R-4.3 R-1.18 revocation leaves a foreign %s, and deletes its own sibling', async (_, type, other) => {
    const session = await t4.runningSession();
    const { pod, service } = await t4.childrenOf(session);
    const [child, sibling] = type === Pods ? [pod, service] : [service, pod];
    await t4.erase(type, child);
    const foreign = await t4.createForeign(type, session);
    await t4.edit(T4Sessions, session, { spec: { runtimeProfile: 'huge' } });
    await t4.pass(T4Sessions, session);
    expect(await t4.shown(T4Sessions, session)).toEqual({
      HostReady: 'False RuntimeProfileNotAllowed',
      WorkspaceReady: 'Unknown NotEvaluated',
      RuntimeConfigured: 'Unknown NotEvaluated',
      Available: 'False ResourceOwnershipConflict',
    });
    expect(await t4.read(type, foreign)).toEqual(foreign);
    expect(await t4.find(other, sibling.metadata.name)).toBeUndefined();
    const { status } = await t4.read(T4Sessions, session);
    expect(status).not.toHaveProperty('podName');
    expect(status).not.toHaveProperty('serviceName');
  });

  const wrongOwners: [string, (session: KubeObject) => object[]][] = [
    ['of an earlier session of the name', () => [{ uid: '00000000-0000-4000-8000-00000000dead' }]],
    ['that is no controller', () => [{ controller: false }]],
    ['of another kind', () => [{ kind: 'T4Workspace' }]],
    ['of another group', () => [{ apiVersion: 'example.com/v1' }]],
  ];
  it.each(wrongOwners)('R-1.20 R-1.21 a Pod with an owner reference %s is foreign', async (_, change) => {
    t4.world.server.garbageCollector.enabled = false;
    const session = await t4.createSession();
    const { name, uid } = session.metadata;
    const own = { apiVersion: 'cluster.t4.dev/v1alpha1', kind: 'T4Session', name, uid, controller: true };
    const ownerReferences = change(session).map((changes) => ({ ...own, ...changes }));
    const foreign = await t4.createForeign(Pods, session, { ownerReferences });
    await t4.pass(T4Sessions, session);
    expect(await t4.shown(T4Sessions, session)).toEqual(conditions);
    expect(await t4.podOf(session)).toEqual(foreign);
  });

  it('R-1.21 session does not treat a Pod as its own when the Pod appears during the creation', async () => {
    const session = await t4.createSession();
    const { api } = t4.world;
    const create: typeof api.create = async (type, object, options) => {
      if (type === Pods) await t4.createForeign(Pods, session);
      return await api.create(type, object, options);
    };
    await t4.pass(
      T4Sessions,
      session,
      t4.world.worker('racing', { clusters: { api: () => withCalls(api, { create }) } }),
    );
    expect(await t4.shown(T4Sessions, session)).toEqual(conditions);
    expect((await t4.podOf(session))?.metadata.ownerReferences).toBeUndefined();
  });

  it('R-1.25 session retries after about 5 s when the name was taken only for a short time and nothing is watched', async () => {
    const session = await t4.createSession();
    const { api } = t4.world;
    const create: typeof api.create = async (type, object, options) => {
      const foreign = type === Services ? await t4.createForeign(Services, session) : undefined;
      try {
        return await api.create(type, object, options);
      } finally {
        if (foreign !== undefined) await t4.remove(Services, foreign);
      }
    };
    const report = await t4.pass(
      T4Sessions,
      session,
      t4.world.worker('racing', { clusters: { api: () => withCalls(api, { create }) } }),
    );
    expect(report.outcome).toBe('checkAt');
    const inMs = (report.dueAtMs ?? 0) - t4.world.clock.now();
    expect(inMs).toBeGreaterThanOrEqual(4_000);
    expect(inMs).toBeLessThanOrEqual(6_000);
    await t4.world.run(10_000);
    expect(await t4.serviceOf(session)).toBeDefined();
  });
});
