import { beforeEach, describe, expect, it } from 'vitest';
import { sessionChildName } from '../../../../lib/controllers/t4/child-name.ts';
import {
  PersistentVolumeClaims,
  Pods,
  Services,
  T4ClusterHosts,
  T4Sessions,
  T4Workspaces,
} from '../../../../lib/controllers/t4/kinds.ts';
import type { JsonObject, KubeObject } from '../../../../lib/core/kube-object.ts';
import { ConfigMaps, type ResourceType, Secrets } from '../../../../lib/core/resource-type.ts';
import { withCalls } from '../interposed-api.ts';
import { IMAGE, SECRET_VALUES, SETTINGS } from '../objects.ts';
import { conditionsOf, T4Fixture } from '../t4-fixture.ts';

let t4: T4Fixture;
beforeEach(async () => {
  t4 = await T4Fixture.embedded();
  await t4.prepare();
});

async function childrenOf(session: KubeObject): Promise<{ pod: KubeObject; service: KubeObject }> {
  const [pod, service] = [await t4.podOf(session), await t4.serviceOf(session)];
  if (pod === undefined || service === undefined) throw new Error('the session has no Pod or no Service');
  return { pod, service };
}

const named = (type: ResourceType, name: string) => t4.user.get(type, { namespace: 'default', name });

/** Somebody else's object under the name of a session's child. */
async function createForeign(type: ResourceType, session: KubeObject, metadata: object = {}): Promise<KubeObject> {
  const spec =
    type === Pods ? { containers: [{ name: 'a', image: 'b' }] } : { ports: [{ port: 80 }], selector: { app: 'x' } };
  return await t4.create(type, sessionChildName(session.metadata), { metadata, spec });
}

describe('what a session has', () => {
  it('R-4.2 a Pod that may do little: no token, no root, no privileges, a read-only root file system', async () => {
    const { pod } = await childrenOf(
      await t4.runningSession('session', { initialPromptSecretRef: { name: 'prompt' } }),
    );
    const claim = await t4.claimOf(await named(T4Workspaces, 'ws'));
    expect(pod.spec).toMatchObject({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: 45,
      securityContext: { runAsNonRoot: true, runAsUser: 10_001, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          image: IMAGE,
          ports: [{ name: 'host', containerPort: 8787 }],
          resources: { requests: { cpu: '500m', memory: '1Gi' }, limits: { cpu: '4', memory: '8Gi' } },
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
        },
      ],
    });
    const volumes = (pod.spec as { volumes: JsonObject[] }).volumes;
    expect(volumes).toMatchObject([
      { persistentVolumeClaim: { claimName: claim?.metadata.name } },
      { configMap: { name: 'omp-config' } },
      { secret: { secretName: 'omp-credentials' } },
      { secret: { secretName: 'prompt' } },
      { emptyDir: {} },
    ]);
  });

  it('R-1.24 what users wrote reaches the Pod as it is, not as a reference to something else', async () => {
    const ci = { repositoryId: 'a/$(T4_SESSION)', ref: '$$x', commit: '0123abc' };
    const { pod } = await childrenOf(await t4.runningSession('session', { ci, guiEnabled: true }));
    const [{ env }] = (pod.spec as { containers: [{ env: JsonObject[] }] }).containers;
    expect(env).toContainEqual({ name: 'T4_CI_REPOSITORY_ID', value: 'a/$$(T4_SESSION)' });
    expect(env).toContainEqual({ name: 'T4_CI_REF', value: '$$$$x' });
    expect(env).toContainEqual({ name: 'T4_GUI_ENABLED', value: 'true' });
  });

  it('R-1.20 a Pod and a Service that it owns alone, found by its UID', async () => {
    const session = await t4.runningSession();
    const { pod, service } = await childrenOf(session);
    for (const { metadata } of [pod, service]) {
      expect(metadata.ownerReferences).toEqual([
        {
          apiVersion: 'cluster.t4.dev/v1alpha1',
          kind: 'T4Session',
          name: 'session',
          uid: session.metadata.uid,
          controller: true,
        },
      ]);
      expect(metadata.labels).toMatchObject({ 'app.kubernetes.io/managed-by': 'evenkeel' });
    }
    expect(service.spec).toMatchObject({
      type: 'ClusterIP',
      selector: { 'cluster.t4.dev/session-uid': session.metadata.uid },
      ports: [{ name: 'host', port: 8787, targetPort: 'host', protocol: 'TCP' }],
    });
    expect(pod.metadata.labels).toMatchObject((service.spec as { selector: object }).selector);
  });

  it('R-1.22 phase and Available follow the Pod', async () => {
    const session = await t4.createSession();
    await t4.pass(T4Sessions, session);
    const shown = async () => {
      await t4.pass(T4Sessions, session);
      const { status } = await t4.read(T4Sessions, session);
      return [(status as { phase: string }).phase, (await t4.shown(T4Sessions, session)).Available];
    };
    expect(await shown()).toEqual(['Pending', 'False PodNotReady']);
    await t4.ready(session);
    expect(await shown()).toEqual(['Running', 'True PodReady']);
    await t4.ready(session, 'False');
    expect(await shown()).toEqual(['Pending', 'False PodNotReady']);
    await t4.ready(session, 'False', 'Failed');
    expect(await shown()).toEqual(['Failed', 'False PodFailed']);
  });

  it('R-1.23 a time of transition moves with its own condition only', async () => {
    const session = await t4.runningSession();
    const before = conditionsOf(session);
    await t4.world.clock.advance(60_000);
    await t4.edit(T4Sessions, session, { spec: { title: 'Other' } });
    await t4.ready(session, 'False');
    await t4.pass(T4Sessions, session);
    const after = conditionsOf(await t4.read(T4Sessions, session));
    expect(after.map(({ observedGeneration }) => observedGeneration)).toEqual([2, 2, 2, 2]);
    const times = (conditions: typeof before) => conditions.map(({ lastTransitionTime }) => lastTransitionTime);
    expect(times(after).slice(0, 3)).toEqual(times(before).slice(0, 3));
    expect(times(after)[3]).not.toBe(times(before)[3]);
  });

  it('R-1.24 no value of the Secret is anywhere but in the Secret', async () => {
    const session = await t4.runningSession();
    await t4.edit(Secrets, await named(Secrets, 'omp-credentials'), { data: { second: '' } });
    await t4.pass(T4Sessions, session);
    const events = await t4.user.list({
      group: 'events.k8s.io',
      version: 'v1',
      plural: 'events',
      kind: 'Event',
      namespaced: true,
    });
    const all = JSON.stringify([
      await t4.read(T4Sessions, session),
      events,
      t4.world.memory.contents(),
      t4.world.logger.lines,
      t4.world.metrics.recorded,
      t4.world.reports,
    ]);
    for (const value of Object.values(SECRET_VALUES)) {
      expect(all).not.toContain(value);
      expect(all).not.toContain(Buffer.from(value).toString('base64'));
    }
  });
});

describe('drift of what a session has', () => {
  const drifts: [string, ResourceType, (child: KubeObject) => Promise<unknown>][] = [
    [
      'a label of the Pod',
      Pods,
      (pod) => t4.edit(Pods, pod, { metadata: { labels: { 'cluster.t4.dev/session-uid': 'x' } } }),
    ],
    [
      'the managed-by label of the Pod',
      Pods,
      (pod) => t4.edit(Pods, pod, { metadata: { labels: { 'app.kubernetes.io/managed-by': null } } }),
    ],
    [
      'the image of the Pod',
      Pods,
      (pod) => {
        const [container] = (pod.spec as { containers: JsonObject[] }).containers;
        return t4.edit(Pods, pod, { spec: { containers: [{ ...container, image: 'other' }] } });
      },
    ],
    [
      'a label of the Service',
      Services,
      (service) => t4.edit(Services, service, { metadata: { labels: { 'app.kubernetes.io/managed-by': 'me' } } }),
    ],
    [
      'the selector of the Service',
      Services,
      (service) => t4.edit(Services, service, { spec: { selector: { 'cluster.t4.dev/session-uid': 'x', more: 'y' } } }),
    ],
    [
      'the ports of the Service',
      Services,
      (service) =>
        t4.edit(Services, service, {
          spec: {
            ports: [
              { name: 'host', port: 80 },
              { name: 'b', port: 81 },
            ],
          },
        }),
    ],
  ];

  it.each(drifts)('R-1.4 %s is repaired in place, while the session is healthy', async (_, type, drift) => {
    const session = await t4.runningSession();
    const childOf = async () => {
      const { pod, service } = await childrenOf(session);
      return type === Pods ? pod : service;
    };
    const before = await childOf();
    await drift(before);
    await t4.pass(T4Sessions, session);
    const after = await childOf();
    expect(after.metadata.uid).toBe(before.metadata.uid);
    expect([after.metadata.labels, after.spec]).toEqual([before.metadata.labels, before.spec]);
    t4.forgetRequests();
    await t4.pass(T4Sessions, session);
    expect(t4.writes).toEqual([]);
  });

  it('R-1.13 labels that others set stay', async () => {
    const session = await t4.runningSession();
    const { service } = await childrenOf(session);
    await t4.edit(Services, service, { metadata: { labels: { theirs: 'x' } }, spec: { selector: { more: 'y' } } });
    await t4.pass(T4Sessions, session);
    expect((await childrenOf(session)).service.metadata.labels).toMatchObject({ theirs: 'x' });
  });

  it('R-1.4 containers that the cluster injected are left, and cost no write', async () => {
    const session = await t4.createSession();
    await t4.pass(T4Sessions, session);
    const { pod } = await childrenOf(session);
    await t4.erase(Pods, pod);
    const { labels, annotations, ownerReferences } = pod.metadata;
    const spec = pod.spec as { containers: JsonObject[] };
    await t4.create(Pods, pod.metadata.name, {
      metadata: { labels, annotations, ownerReferences },
      spec: { ...spec, containers: [{ name: 'proxy', image: 'proxy' }, ...spec.containers] },
    });
    t4.forgetRequests();
    await t4.pass(T4Sessions, session);
    expect(t4.writes).toEqual([]);
  });

  it.each([
    ['a load balancer', { type: 'LoadBalancer' }],
    ['a node port', { type: 'NodePort' }],
    ['a name outside', { type: 'ExternalName', externalName: 'example.com' }],
    ['external addresses', { externalIPs: ['192.0.2.1'] }],
  ])('R-1.4 a Service that was turned into %s is deleted and created anew', async (_, spec) => {
    const session = await t4.runningSession();
    const { service } = await childrenOf(session);
    await t4.edit(Services, service, { spec });
    await t4.pass(T4Sessions, session);
    const after = (await childrenOf(session)).service;
    expect(after.metadata.uid).not.toBe(service.metadata.uid);
    expect(after.spec).toMatchObject({ type: 'ClusterIP' });
    expect(after.spec).not.toHaveProperty('externalIPs');
    expect(await t4.shown(T4Sessions, session)).toMatchObject({ Available: 'True PodReady' });
  });

  it('R-1.4 R-1.17 while something cannot be read a Service is repaired in place, and none is deleted or created', async () => {
    const session = await t4.runningSession();
    const injected = t4.world.server.inject({
      match: { verb: 'get', resource: 'secrets', userAgent: 'evenkeel' },
      fault: { status: 504 },
    });
    const { service } = await childrenOf(session);
    await t4.edit(Services, service, { spec: { selector: { more: 'y' } } });
    await t4.pass(T4Sessions, session);
    expect((await childrenOf(session)).service.spec).toEqual(service.spec);
    await t4.edit(Services, service, { spec: { type: 'NodePort' } });
    await t4.pass(T4Sessions, session);
    expect((await childrenOf(session)).service.metadata.uid).toBe(service.metadata.uid);
    await t4.remove(Services, service);
    await t4.pass(T4Sessions, session);
    expect(await t4.serviceOf(session)).toBeUndefined();
    injected.remove();
    await t4.world.run(60_000);
    expect((await childrenOf(session)).service.spec).toMatchObject({ type: 'ClusterIP' });
  });

  it.each([
    ['Pod', Pods],
    ['Service', Services],
  ])('R-1.4 a %s that is deleted comes back', async (_, type) => {
    const session = await t4.runningSession();
    const { pod, service } = await childrenOf(session);
    const child = type === Pods ? pod : service;
    await t4.remove(type, child);
    await t4.pass(T4Sessions, session);
    const { pod: podNow, service: serviceNow } = await childrenOf(session);
    expect((type === Pods ? podNow : serviceNow).metadata.uid).not.toBe(child.metadata.uid);
  });

  const inputs: [string, () => Promise<unknown>][] = [
    [
      'the profile',
      async () => t4.edit(T4Sessions, await named(T4Sessions, 'session'), { spec: { runtimeProfile: 'large' } }),
    ],
    [
      'the origins of the host',
      async () =>
        t4.edit(T4ClusterHosts, await named(T4ClusterHosts, 'host'), { spec: { allowedOrigins: ['https://a.b'] } }),
    ],
    [
      'the OMP ConfigMap',
      async () =>
        t4.edit(ConfigMaps, await named(ConfigMaps, 'omp-config'), { data: { 'settings.yml': 'theme: light' } }),
    ],
    [
      'the OMP Secret',
      async () => t4.edit(Secrets, await named(Secrets, 'omp-credentials'), { stringData: { token: 'other' } }),
    ],
    [
      'the OMP Secret, replaced by an equal one',
      async () => {
        await t4.erase(Secrets, await named(Secrets, 'omp-credentials'));
        await t4.create(Secrets, 'omp-credentials', { stringData: SECRET_VALUES });
      },
    ],
  ];
  it.each(inputs)('R-4.4 a change of %s replaces the Pod, once', async (_, change) => {
    const session = await t4.runningSession();
    const { pod } = await childrenOf(session);
    await change();
    await t4.pass(T4Sessions, session);
    const after = (await childrenOf(session)).pod;
    expect(after.metadata.uid).not.toBe(pod.metadata.uid);
    await t4.pass(T4Sessions, session);
    expect((await childrenOf(session)).pod.metadata.uid).toBe(after.metadata.uid);
  });

  it('R-4.6 a Pod does not go on with another claim than its own, although the workspace has it by now', async () => {
    const session = await t4.runningSession();
    const { pod } = await childrenOf(session);
    const workspace = await named(T4Workspaces, 'ws');
    const claim = await t4.claimOf(workspace);
    if (claim === undefined) throw new Error('no claim');
    await t4.erase(PersistentVolumeClaims, claim);
    await t4.pass(T4Workspaces, workspace);
    await t4.world.run(5_000);
    await t4.bind(workspace);
    await t4.pass(T4Workspaces, workspace);
    await t4.pass(T4Sessions, session);
    expect(await t4.shown(T4Sessions, session)).toMatchObject({ WorkspaceReady: 'True WorkspaceVerified' });
    expect((await childrenOf(session)).pod.metadata.uid).not.toBe(pod.metadata.uid);
  });

  it('R-1.3 another title, or the same origins in another order, replaces nothing', async () => {
    const origins = ['https://a.b', 'https://c.d'];
    await t4.edit(T4ClusterHosts, await named(T4ClusterHosts, 'host'), { spec: { allowedOrigins: origins } });
    const session = await t4.runningSession();
    const { pod } = await childrenOf(session);
    await t4.edit(T4ClusterHosts, await named(T4ClusterHosts, 'host'), { spec: { allowedOrigins: origins.reverse() } });
    await t4.edit(T4Sessions, session, { spec: { title: 'Other' } });
    await t4.pass(T4Sessions, session);
    expect((await childrenOf(session)).pod).toEqual(pod);
  });

  it('R-4.2 another image in the settings replaces the Pod', async () => {
    const session = await t4.runningSession();
    const { pod } = await childrenOf(session);
    const runtimeImage = IMAGE.replaceAll('ab', 'cd');
    await t4.pass(T4Sessions, session, t4.worker({ ...SETTINGS, runtimeImage }));
    const after = (await childrenOf(session)).pod;
    expect(after.metadata.uid).not.toBe(pod.metadata.uid);
    expect(after.spec).toMatchObject({ containers: [{ image: runtimeImage }] });
  });

  it('R-1.4 a Pod that still runs down is waited for, and replaced when it is gone', async () => {
    t4.world.server.controllers.switchOn('pods');
    const session = await t4.createSession();
    await t4.pass(T4Sessions, session);
    await t4.world.server.idle();
    t4.world.server.controllers.switchOff('pods');
    const { pod } = await childrenOf(session);
    await t4.edit(T4Sessions, session, { spec: { runtimeProfile: 'large' } });
    expect(await t4.pass(T4Sessions, session)).toMatchObject({ outcome: 'settled', dueAtMs: undefined });
    expect((await childrenOf(session)).pod.metadata).toMatchObject({
      uid: pod.metadata.uid,
      deletionTimestamp: expect.any(String),
    });
    expect(await t4.shown(T4Sessions, session)).toMatchObject({ Available: 'False PodNotReady' });
    t4.forgetRequests();
    await t4.pass(T4Sessions, session);
    expect(t4.writes).toEqual([]);
    t4.world.server.controllers.switchOn('pods');
    await t4.world.server.idle();
    await t4.pass(T4Sessions, session);
    expect((await childrenOf(session)).pod.metadata.uid).not.toBe(pod.metadata.uid);
  });
});

describe('revocation', () => {
  it('R-4.3 the names go from the status at once, also while the Pod runs down, and its end changes nothing', async () => {
    t4.world.server.controllers.switchOn('pods');
    const session = await t4.createSession();
    await t4.pass(T4Sessions, session);
    await t4.world.server.idle();
    t4.world.server.controllers.switchOff('pods');
    await t4.edit(T4Sessions, session, { spec: { runtimeProfile: 'huge' } });
    expect(await t4.pass(T4Sessions, session)).toMatchObject({ outcome: 'settled', dueAtMs: undefined });
    expect((await t4.podOf(session))?.metadata.deletionTimestamp).toBeDefined();
    const revoked = await t4.read(T4Sessions, session);
    expect(revoked.status).not.toHaveProperty('podName');
    expect(revoked.status).not.toHaveProperty('serviceName');
    t4.world.server.controllers.switchOn('pods');
    await t4.world.server.idle();
    t4.forgetRequests();
    await t4.pass(T4Sessions, session);
    expect(t4.writes).toEqual([]);
    expect(await t4.read(T4Sessions, session)).toEqual(revoked);
  });

  it('R-4.3 when the checks hold again, the session starts again', async () => {
    const session = await t4.runningSession();
    await t4.edit(T4Sessions, session, { spec: { runtimeProfile: 'huge' } });
    await t4.pass(T4Sessions, session);
    await t4.edit(T4Sessions, session, { spec: { runtimeProfile: 'small' } });
    await t4.pass(T4Sessions, session);
    await t4.ready(session);
    await t4.pass(T4Sessions, session);
    expect(await t4.shown(T4Sessions, session)).toMatchObject({ Available: 'True PodReady' });
  });

  it('R-4.3 R-1.18 a deletion carries the UID and the version that were judged', async () => {
    const session = await t4.runningSession();
    const { pod, service } = await childrenOf(session);
    await t4.edit(T4Sessions, session, { spec: { runtimeProfile: 'huge' } });
    await t4.pass(T4Sessions, session);
    const deletions = t4.requests.filter(({ method }) => method === 'DELETE');
    expect(deletions.map(({ body }) => (JSON.parse(body ?? '{}') as { preconditions: object }).preconditions)).toEqual(
      [pod, service].map(({ metadata: { uid, resourceVersion } }) => ({ uid, resourceVersion })),
    );
  });
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
    'R-4.9 R-1.21 a foreign %s is left, nothing is started beside it, and the prerequisites stay as validated',
    async (_, type) => {
      const session = await t4.createSession();
      const foreign = await createForeign(type, session);
      expect(await t4.pass(T4Sessions, session)).toMatchObject({ outcome: 'settled' });
      expect(await t4.shown(T4Sessions, session)).toEqual(conditions);
      expect((await t4.read(T4Sessions, session)).status).toMatchObject({ phase: 'Failed' });
      expect(await t4.read(type, foreign)).toEqual(foreign);
      expect(type === Pods ? await t4.serviceOf(session) : await t4.podOf(session)).toBeUndefined();

      // Without the label it is not watched: the poll of its name finds out that it went.
      await t4.remove(type, foreign);
      await t4.world.run(70_000);
      expect(await t4.podOf(session)).toBeDefined();
      expect(await t4.serviceOf(session)).toBeDefined();
    },
  );

  it.each([
    ['Pod', Pods, Services],
    ['Service', Services, Pods],
  ])('R-4.9 a %s that is taken over while the session runs: the sibling stays', async (_, type, other) => {
    const session = await t4.runningSession();
    const { pod, service } = await childrenOf(session);
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
  ])('R-4.3 R-1.18 revoked beside a foreign %s: that one is left, the own sibling goes', async (_, type, other) => {
    const session = await t4.runningSession();
    const { pod, service } = await childrenOf(session);
    const [child, sibling] = type === Pods ? [pod, service] : [service, pod];
    await t4.erase(type, child);
    const foreign = await createForeign(type, session);
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
    const foreign = await createForeign(Pods, session, { ownerReferences });
    await t4.pass(T4Sessions, session);
    expect(await t4.shown(T4Sessions, session)).toEqual(conditions);
    expect(await t4.podOf(session)).toEqual(foreign);
  });

  it('R-1.21 a Pod that appears under the name at the moment of the creation is not taken for the own one', async () => {
    const session = await t4.createSession();
    const { api } = t4.world;
    const create: typeof api.create = async (type, object, options) => {
      if (type === Pods) await createForeign(Pods, session);
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

  it('R-1.25 what took the name only for a moment, unwatched, is looked for again in about 5 s', async () => {
    const session = await t4.createSession();
    const { api } = t4.world;
    const create: typeof api.create = async (type, object, options) => {
      const foreign = type === Services ? await createForeign(Services, session) : undefined;
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

describe('a specification that slipped past admission', () => {
  it('R-4.2 R-6.4 is told with its field, revokes the session, and is not tried again', async () => {
    const session = await t4.runningSession();
    const { api } = t4.world;
    const get: typeof api.get = async (type, name, options) => {
      const object = await api.get(type, name, options);
      return type === T4Sessions
        ? { ...object, spec: { ...(object.spec as object), title: '', hostRef: 'A' } }
        : object;
    };
    const report = await t4.pass(
      T4Sessions,
      session,
      t4.world.worker('w', { clusters: { api: () => withCalls(api, { get }) } }),
    );
    expect(report).toMatchObject({ outcome: 'terminal', reason: 'InvalidSpec', dueAtMs: undefined });
    expect(await t4.shown(T4Sessions, session)).toEqual({
      HostReady: 'Unknown NotEvaluated',
      WorkspaceReady: 'Unknown NotEvaluated',
      RuntimeConfigured: 'Unknown NotEvaluated',
      Available: 'False InvalidSpec',
    });
    const [available] = conditionsOf(await t4.read(T4Sessions, session)).filter(({ type }) => type === 'Available');
    expect(available?.message).toContain('spec.hostRef must be');
    expect(available?.message).toContain('spec.title must be');
    expect([await t4.podOf(session), await t4.serviceOf(session)]).toEqual([undefined, undefined]);
  });
});

describe('the end of a session', () => {
  it('R-1.15 R-1.18 Pod and Service go first, then the session', async () => {
    const session = await t4.runningSession();
    await t4.remove(T4Sessions, session);
    await t4.pass(T4Sessions, session);
    expect([await t4.podOf(session), await t4.serviceOf(session)]).toEqual([undefined, undefined]);
    expect(await t4.find(T4Sessions, 'session')).toBeUndefined();
  });

  it('R-1.15 a Pod that runs down keeps the session, and its end lets it go', async () => {
    t4.world.server.controllers.switchOn('pods');
    const session = await t4.createSession();
    await t4.pass(T4Sessions, session);
    await t4.world.server.idle();
    t4.world.server.controllers.switchOff('pods');
    await t4.remove(T4Sessions, session);
    expect(await t4.pass(T4Sessions, session)).toMatchObject({ outcome: 'settled', dueAtMs: undefined });
    expect(await t4.shown(T4Sessions, session)).toEqual({
      HostReady: 'Unknown NotEvaluated',
      WorkspaceReady: 'Unknown NotEvaluated',
      RuntimeConfigured: 'Unknown NotEvaluated',
      Available: 'False Terminating',
    });
    expect((await t4.read(T4Sessions, session)).status).toMatchObject({ phase: 'Terminating' });
    t4.forgetRequests();
    await t4.pass(T4Sessions, session);
    expect(t4.writes).toEqual([]);
    t4.world.server.controllers.switchOn('pods');
    await t4.world.server.idle();
    await t4.pass(T4Sessions, session);
    expect(await t4.find(T4Sessions, 'session')).toBeUndefined();
  });

  it.each([
    ['Pod', Pods],
    ['Service', Services],
  ])('R-1.15 R-1.21 a foreign %s stays and keeps the session, until it is gone', async (_, type) => {
    const session = await t4.createSession();
    const foreign = await createForeign(type, session);
    await t4.pass(T4Sessions, session);
    await t4.remove(T4Sessions, session);
    expect(await t4.pass(T4Sessions, session)).toMatchObject({ outcome: 'settled' });
    expect(await t4.shown(T4Sessions, session)).toMatchObject({ Available: 'False CleanupOwnershipConflict' });
    expect(await t4.read(type, foreign)).toEqual(foreign);
    await t4.remove(type, foreign);
    await t4.world.run(70_000);
    expect(await t4.find(T4Sessions, 'session')).toBeUndefined();
  });

  it.each(['pods', 'services'])('R-1.17 a read of %s that fails completes nothing', async (resource) => {
    const session = await t4.runningSession();
    await t4.remove(T4Sessions, session);
    const injected = t4.world.server.inject({
      match: { verb: 'get', resource, userAgent: 'evenkeel' },
      fault: { status: 504 },
    });
    expect(await t4.pass(T4Sessions, session)).toMatchObject({ outcome: 'retry' });
    expect(await t4.shown(T4Sessions, session)).toMatchObject({
      Available: expect.stringMatching(/^Unknown .*ReadFailed$/),
    });
    injected.remove();
    await t4.world.run(10_000);
    expect(await t4.find(T4Sessions, 'session')).toBeUndefined();
  });

  it('R-1.11 a session recreated under the name has children of its own', async () => {
    const first = await t4.runningSession();
    const before = await childrenOf(first);
    await t4.erase(T4Sessions, first);
    const second = await t4.runningSession();
    const after = await childrenOf(second);
    expect(after.pod.metadata.name).not.toBe(before.pod.metadata.name);
    expect(await t4.podOf(first)).toBeUndefined();
  });
});
