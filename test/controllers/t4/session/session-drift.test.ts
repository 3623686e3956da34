import { beforeEach, describe, expect, it } from 'vitest';
import {
  PersistentVolumeClaims,
  Pods,
  Services,
  T4ClusterHosts,
  T4Sessions,
  T4Workspaces,
} from '../../../../lib/controllers/t4/kinds.ts';
import type { T4Settings } from '../../../../lib/controllers/t4/settings.ts';
import { t4Controllers } from '../../../../lib/controllers/t4/t4-controllers.ts';
import type { JsonObject, KubeObject } from '../../../../lib/core/kube-object.ts';
import { ConfigMaps, kindId, type ResourceType, Secrets } from '../../../../lib/core/resource-type.ts';
import { passesByResync } from '../../../support/passes-by-resync.ts';
import { changing, containersOf } from '../admission.ts';
import { DIGEST_KEY, IMAGE, SECRET_VALUES, SETTINGS } from '../objects.ts';
import { T4Fixture } from '../t4-fixture.ts';

let t4: T4Fixture;
beforeEach(async () => {
  t4 = await T4Fixture.embedded();
  await t4.prepare();
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

  it.each(drifts)('R-1.4 session repairs %s in place while it is healthy', async (_, type, drift) => {
    const session = await t4.runningSession();
    const childOf = async () => {
      const { pod, service } = await t4.childrenOf(session);
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

  it('R-1.13 session keeps labels that others set', async () => {
    const session = await t4.runningSession();
    const { service } = await t4.childrenOf(session);
    await t4.edit(Services, service, { metadata: { labels: { theirs: 'x' } }, spec: { selector: { more: 'y' } } });
    await t4.pass(T4Sessions, session);
    expect((await t4.childrenOf(session)).service.metadata.labels).toMatchObject({ theirs: 'x' });
  });

  it('R-1.4 session keeps containers that the cluster injected, without a write', async () => {
    t4.world.server.admit(
      changing('pods', ['CREATE'], (pod) => containersOf(pod).unshift({ name: 'proxy', image: 'proxy' })),
    );
    const session = await t4.createSession();
    await t4.pass(T4Sessions, session);
    expect(containersOf((await t4.childrenOf(session)).pod as never)).toHaveLength(2);
    t4.forgetRequests();
    await t4.pass(T4Sessions, session);
    expect(t4.writes).toEqual([]);
  });

  it.each([
    ['a load balancer', { type: 'LoadBalancer' }],
    ['a node port', { type: 'NodePort' }],
    ['a name outside', { type: 'ExternalName', externalName: 'example.com' }],
    ['external addresses', { externalIPs: ['192.0.2.1'] }],
  ])('R-1.4 session deletes its Service and creates it again when it was turned into %s', async (_, spec) => {
    const session = await t4.runningSession();
    const { service } = await t4.childrenOf(session);
    await t4.edit(Services, service, { spec });
    await t4.pass(T4Sessions, session);
    const after = (await t4.childrenOf(session)).service;
    expect(after.metadata.uid).not.toBe(service.metadata.uid);
    expect(after.spec).toMatchObject({ type: 'ClusterIP' });
    expect(after.spec).not.toHaveProperty('externalIPs');
    expect(await t4.shown(T4Sessions, session)).toMatchObject({ Available: 'True PodReady' });
  });

  it('R-1.4 R-1.17 session repairs its Service in place, and deletes and creates none, while something cannot be read', async () => {
    const session = await t4.runningSession();
    const injected = t4.world.server.inject({
      match: { verb: 'get', resource: 'secrets', userAgent: 'evenkeel' },
      fault: { status: 504 },
    });
    const { service } = await t4.childrenOf(session);
    await t4.edit(Services, service, { spec: { selector: { more: 'y' } } });
    await t4.pass(T4Sessions, session);
    expect((await t4.childrenOf(session)).service.spec).toEqual(service.spec);
    await t4.edit(Services, service, { spec: { type: 'NodePort' } });
    await t4.pass(T4Sessions, session);
    expect((await t4.childrenOf(session)).service.metadata.uid).toBe(service.metadata.uid);
    await t4.remove(Services, service);
    await t4.pass(T4Sessions, session);
    expect(await t4.serviceOf(session)).toBeUndefined();
    injected.remove();
    await t4.world.run(60_000);
    expect((await t4.childrenOf(session)).service.spec).toMatchObject({ type: 'ClusterIP' });
  });

  it.each([
    ['Pod', Pods],
    ['Service', Services],
  ])('R-1.4 session creates its %s again when it was deleted', async (_, type) => {
    const session = await t4.runningSession();
    const { pod, service } = await t4.childrenOf(session);
    const child = type === Pods ? pod : service;
    await t4.remove(type, child);
    await t4.pass(T4Sessions, session);
    const { pod: podNow, service: serviceNow } = await t4.childrenOf(session);
    expect((type === Pods ? podNow : serviceNow).metadata.uid).not.toBe(child.metadata.uid);
  });

  const inputs: [string, () => Promise<unknown>][] = [
    [
      'the profile',
      async () => t4.edit(T4Sessions, await t4.named(T4Sessions, 'session'), { spec: { runtimeProfile: 'large' } }),
    ],
    [
      'the origins of the host',
      async () =>
        t4.edit(T4ClusterHosts, await t4.named(T4ClusterHosts, 'host'), { spec: { allowedOrigins: ['https://a.b'] } }),
    ],
    [
      'the OMP ConfigMap',
      async () =>
        t4.edit(ConfigMaps, await t4.named(ConfigMaps, 'omp-config'), { data: { 'settings.yml': 'theme: light' } }),
    ],
    [
      'the OMP Secret',
      async () => t4.edit(Secrets, await t4.named(Secrets, 'omp-credentials'), { stringData: { token: 'other' } }),
    ],
    [
      'the OMP Secret, replaced by one with other values',
      async () => {
        await t4.erase(Secrets, await t4.named(Secrets, 'omp-credentials'));
        await t4.create(Secrets, 'omp-credentials', { stringData: { ...SECRET_VALUES, second: 'other' } });
      },
    ],
  ];
  it.each(inputs)('R-4.4 session replaces its Pod once when %s changes', async (_, change) => {
    const session = await t4.runningSession();
    const { pod } = await t4.childrenOf(session);
    await change();
    await t4.pass(T4Sessions, session);
    const after = (await t4.childrenOf(session)).pod;
    expect(after.metadata.uid).not.toBe(pod.metadata.uid);
    await t4.pass(T4Sessions, session);
    expect((await t4.childrenOf(session)).pod.metadata.uid).toBe(after.metadata.uid);
  });

  it('R-4.6 session replaces its Pod when the workspace has another claim', async () => {
    const session = await t4.runningSession();
    const { pod } = await t4.childrenOf(session);
    const workspace = await t4.named(T4Workspaces, 'ws');
    const claim = await t4.claimOf(workspace);
    if (claim === undefined) throw new Error('no claim');
    await t4.erase(PersistentVolumeClaims, claim);
    await t4.edit(T4Workspaces, workspace, {
      metadata: { annotations: { 'cluster.t4.dev/rebuild': claim.metadata.uid } },
    });
    await t4.pass(T4Workspaces, workspace);
    await t4.world.run(5_000);
    await t4.bind(workspace);
    await t4.pass(T4Workspaces, workspace);
    await t4.pass(T4Sessions, session);
    expect(await t4.shown(T4Sessions, session)).toMatchObject({ WorkspaceReady: 'True WorkspaceVerified' });
    expect((await t4.childrenOf(session)).pod.metadata.uid).not.toBe(pod.metadata.uid);
  });

  it('R-1.3 session replaces nothing when the title or only the order of origins changes', async () => {
    const origins = ['https://a.b', 'https://c.d'];
    await t4.edit(T4ClusterHosts, await t4.named(T4ClusterHosts, 'host'), { spec: { allowedOrigins: origins } });
    const session = await t4.runningSession();
    const { pod } = await t4.childrenOf(session);
    await t4.edit(T4ClusterHosts, await t4.named(T4ClusterHosts, 'host'), {
      spec: { allowedOrigins: origins.reverse() },
    });
    await t4.edit(T4Sessions, session, { spec: { title: 'Other' } });
    await t4.pass(T4Sessions, session);
    expect((await t4.childrenOf(session)).pod).toEqual(pod);
  });

  it('R-4.2 session replaces its Pod when the settings have another image', async () => {
    const session = await t4.runningSession();
    const { pod } = await t4.childrenOf(session);
    const runtimeImage = IMAGE.replaceAll('ab', 'cd');
    await t4.pass(T4Sessions, session, t4.worker({ ...SETTINGS, runtimeImage }));
    const after = (await t4.childrenOf(session)).pod;
    expect(after.metadata.uid).not.toBe(pod.metadata.uid);
    expect(after.spec).toMatchObject({ containers: [{ image: runtimeImage }] });
  });

  const otherSettings: [string, T4Settings][] = [
    ['another image', { ...SETTINGS, runtimeImage: IMAGE.replaceAll('ab', 'cd') }],
    ['no image', { omp: SETTINGS.omp }],
    ['no OMP objects', { runtimeImage: IMAGE }],
    [
      'another ConfigMap',
      { ...SETTINGS, omp: { ...SETTINGS.omp, configMap: { ...SETTINGS.omp.configMap, name: 'other' } } },
    ],
    [
      'another key of models',
      { ...SETTINGS, omp: { ...SETTINGS.omp, configMap: { ...SETTINGS.omp.configMap, modelsKey: 'other' } } },
    ],
    [
      'another key of settings',
      { ...SETTINGS, omp: { ...SETTINGS.omp, configMap: { ...SETTINGS.omp.configMap, settingsKey: 'other' } } },
    ],
    ['another Secret', { ...SETTINGS, omp: { ...SETTINGS.omp, secret: { ...SETTINGS.omp.secret, name: 'other' } } }],
    ['fewer keys', { ...SETTINGS, omp: { ...SETTINGS.omp, secret: { ...SETTINGS.omp.secret, keys: ['token'] } } }],
  ];
  it.each(otherSettings)(
    'R-5.15 R-4.2 %s in the settings reaches every session, and nothing else, at the next resync',
    async (_, changed) => {
      await t4.pass(T4ClusterHosts, await t4.named(T4ClusterHosts, 'host'));
      await t4.pass(T4Workspaces, await t4.named(T4Workspaces, 'ws'));
      const { metadata } = await t4.runningSession();
      const deployed = (settings: T4Settings) => passesByResync(t4.world, t4Controllers(settings, DIGEST_KEY));
      expect(await deployed(structuredClone(SETTINGS))).toEqual([]);
      expect(await deployed(changed)).toEqual([`${kindId(T4Sessions)} ${metadata.name}`]);
    },
  );

  it('R-1.4 session waits for a Pod that is terminating, and replaces it when it is gone', async () => {
    t4.world.server.controllers.switchOn('pods');
    const session = await t4.createSession();
    await t4.pass(T4Sessions, session);
    await t4.world.server.idle();
    t4.world.server.controllers.switchOff('pods');
    const { pod } = await t4.childrenOf(session);
    await t4.edit(T4Sessions, session, { spec: { runtimeProfile: 'large' } });
    expect(await t4.pass(T4Sessions, session)).toMatchObject({ outcome: 'checkAt' });
    expect((await t4.childrenOf(session)).pod.metadata).toMatchObject({
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
    expect((await t4.childrenOf(session)).pod.metadata.uid).not.toBe(pod.metadata.uid);
  });
});
