import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemoryStateStore } from '../../../lib/adapters/memory/memory-state-store.ts';
import { PersistentVolumeClaims, T4ClusterHosts, T4Sessions, T4Workspaces } from '../../../lib/controllers/t4/kinds.ts';
import { t4Controllers } from '../../../lib/controllers/t4/t4-controllers.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { ConfigMaps, Secrets, StorageClasses } from '../../../lib/core/resource-type.ts';
import { Registry } from '../../../lib/engine/registry.ts';
import type { StateStore } from '../../../lib/ports/state-store.ts';
import { withCalls } from './interposed-api.ts';
import { DIGEST_KEY, hostSpec, sessionSpec } from './objects.ts';
import { HOST, ROWS, type Row, RUNTIME, WORKSPACE } from './session-check-rows.ts';
import { conditionsOf, type T4Fixture } from './t4-fixture.ts';

/** Every row of the ordered checks, on any API server. */
export function describeSessionChecks(
  server: string,
  newFixture: () => Promise<T4Fixture>,
  dispose: (t4: T4Fixture) => Promise<void> = async () => {},
): void {
  describe(`the session checks on ${server}`, () => {
    let t4: T4Fixture;
    let workspace: KubeObject;
    beforeEach(async () => {
      t4 = await newFixture();
      workspace = await t4.prepare();
    });
    afterEach(async () => {
      await dispose(t4);
    });

    /** One pass. The row may change the cluster in the middle of it. */
    const passOf = async (
      { settings, sees, beforeSecondLook, afterPass }: Row,
      session: KubeObject,
      store?: StateStore,
    ) => {
      let looks = 0;
      const { api: plain } = t4.world;
      const get: typeof plain.get = async (type, name, options) => {
        if (type === PersistentVolumeClaims && ++looks === 2) await beforeSecondLook?.(t4);
        const object = await plain.get(type, name, options);
        return sees?.(type, object) ?? object;
      };
      const api = withCalls(plain, { get });
      const runner = t4.world.worker('worker-1', {
        clusters: { api: () => api },
        ...(settings && { registry: new Registry(t4Controllers(settings, DIGEST_KEY)) }),
        ...(store && { store }),
      });
      const report = await t4.pass(T4Sessions, session, runner);
      await afterPass?.(t4);
      return report;
    };

    const expectRevoked = async ({ reason, shown }: Row, session: KubeObject) => {
      const now = await t4.read(T4Sessions, session);
      expect(await t4.shown(T4Sessions, session)).toEqual({
        HostReady: shown[0],
        WorkspaceReady: shown[1],
        RuntimeConfigured: shown[2],
        Available: `False ${reason}`,
      });
      expect(new Set(conditionsOf(now).map(({ observedGeneration }) => observedGeneration))).toEqual(
        new Set([now.metadata.generation]),
      );
      expect(now.status).toMatchObject({ phase: 'Failed', observedGeneration: now.metadata.generation });
      expect(now.status).not.toHaveProperty('podName');
      expect(now.status).not.toHaveProperty('serviceName');
      expect(await t4.podOf(session)).toBeUndefined();
      expect(await t4.serviceOf(session)).toBeUndefined();
    };

    it.each(ROWS)('R-4.2 R-4.3 R-1.14 a running session is revoked once with $reason when $how', async (row) => {
      const session = await t4.runningSession();
      expect(session.status).toMatchObject({ phase: 'Running' });
      expect(await t4.podOf(session)).toBeDefined();
      expect(await t4.serviceOf(session)).toBeDefined();

      await row.breaks?.(t4);
      // Then a status of the first generation cannot pass for one of this generation.
      const { metadata } = await t4.edit(T4Sessions, session, { spec: { title: 'Another' } });
      expect(metadata.generation).toBe(2);
      const report = await passOf(row, session);
      expect(report.outcome).toBe('settled');
      await expectRevoked(row, session);
      const revoked = await t4.read(T4Sessions, session);

      // Three more passes: a repeated one, one for a duplicate event, and one by a worker that knows nothing of the
      // session.
      t4.forgetRequests();
      await passOf(row, session);
      await passOf(row, session);
      const event = t4.world.event(T4Sessions, revoked);
      expect([(await t4.worker().handle(event)).end, (await t4.worker().handle(event)).end]).toEqual([
        'covered',
        'covered',
      ]);
      await passOf(row, session, new MemoryStateStore({ clock: t4.world.clock }));
      expect(t4.writes).toEqual([]);
      expect(await t4.read(T4Sessions, session)).toEqual(revoked);
    });

    it.each(ROWS)('R-4.2 a new session does not start and reports $reason when $how', async (row) => {
      await row.breaks?.(t4);
      const session = await t4.createSession();
      t4.forgetRequests();
      await passOf(row, session);
      await expectRevoked(row, session);
      expect(t4.writes.filter((write) => /\/(pods|services)/.test(write))).toEqual([]);
    });

    it('R-1.22 R-4.2 a session that may run shows each prerequisite True, and names its objects', async () => {
      const session = await t4.runningSession();
      expect(await t4.shown(T4Sessions, session)).toEqual({
        HostReady: HOST,
        WorkspaceReady: WORKSPACE,
        RuntimeConfigured: RUNTIME,
        Available: 'True PodReady',
      });
      const [pod, service] = [await t4.podOf(session), await t4.serviceOf(session)];
      expect(session.status).toMatchObject({ podName: pod?.metadata.name, serviceName: service?.metadata.name });
      expect(await t4.shown(T4Workspaces, workspace)).toMatchObject({ Ready: 'True WorkspaceReady' });
    });

    it('R-4.2 a session stays as it is when its host and StorageClass are replaced by equal ones', async () => {
      const session = await t4.runningSession();
      await t4.erase(StorageClasses, await t4.named(StorageClasses, t4.place.storageClass));
      await t4.createStorageClass();
      await t4.erase(T4ClusterHosts, await t4.named(T4ClusterHosts, 'host'));
      await t4.create(T4ClusterHosts, 'host', { spec: hostSpec(t4.place.storageClass) });
      t4.forgetRequests();
      await t4.pass(T4Sessions, session);
      expect(t4.writes).toEqual([]);
      expect(await t4.read(T4Sessions, session)).toEqual(session);
    });

    it.each([
      ['ConfigMap', ConfigMaps, 'omp-config'],
      ['Secret', Secrets, 'omp-credentials'],
    ])('R-4.2 R-4.13 a session keeps its Pod when its %s is replaced by an equal one', async (_, type, name) => {
      const session = await t4.runningSession();
      const before = await t4.childrenOf(session);
      const { data } = await t4.named(type, name);
      await t4.erase(type, await t4.named(type, name));
      await t4.create(type, name, { data });
      t4.forgetRequests();
      await t4.pass(T4Sessions, session);
      expect(t4.writes).toEqual([]);
      expect(await t4.childrenOf(session)).toEqual(before);
    });

    it('R-1.11 R-4.6 each session has its own Pod and claim when names of 253 characters are equal after the cut', async () => {
      const base = 'n'.repeat(252);
      const claims = new Map<string, string>();
      for (const last of ['a', 'b']) {
        const name = `${base}${last}`;
        await t4.create(T4ClusterHosts, name, { spec: hostSpec(t4.place.storageClass) });
        const workspace = await t4.createWorkspace(name, { hostRef: name, retentionPolicy: 'Retain' });
        const session = await t4.runningSession(name, sessionSpec({ hostRef: name, workspaceRef: name }));
        expect(await t4.shown(T4Sessions, session)).toMatchObject({ Available: 'True PodReady' });
        const { pod } = await t4.childrenOf(session);
        const claim = await t4.claimOf(workspace);
        expect(JSON.stringify(pod.spec)).toContain(`{"claimName":"${claim?.metadata.name}"}`);
        claims.set(pod.metadata.name, claim?.metadata.name ?? '');
      }
      expect([claims.size, new Set(claims.values()).size]).toEqual([2, 2]);
    });

    it('R-1.3 three passes of each kind without a change write nothing and leave every version as it is', async () => {
      const session = await t4.runningSession();
      const host = await t4.user.get(T4ClusterHosts, { namespace: t4.place.namespace, name: 'host' });
      await t4.pass(T4ClusterHosts, host);
      await t4.pass(T4Workspaces, workspace);
      const everything = async () => [
        await t4.read(T4ClusterHosts, host),
        await t4.read(T4Workspaces, workspace),
        await t4.read(T4Sessions, session),
        withoutOthersWork(await t4.claimOf(workspace)),
        await t4.podOf(session),
        await t4.serviceOf(session),
      ];
      const before = await everything();
      t4.forgetRequests();
      for (let repetition = 0; repetition < 3; repetition += 1) {
        await t4.pass(T4ClusterHosts, host);
        await t4.pass(T4Workspaces, workspace);
        await t4.pass(T4Sessions, session);
      }
      expect(t4.writes).toEqual([]);
      expect(await everything()).toEqual(before);
    });
  });
}

/** Leaves out what a real cluster writes to claims by itself, at a time of its own. */
function withoutOthersWork(claim: KubeObject | undefined) {
  if (claim === undefined) throw new Error('the workspace has no claim');
  const { resourceVersion: _, finalizers: __, managedFields, ...metadata } = claim.metadata;
  const ours = managedFields?.filter(({ manager }) => manager?.startsWith('evenkeel'));
  return { spec: claim.spec, metadata: { ...metadata, ours } };
}
