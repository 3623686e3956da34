import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../lib/apiserver/json.ts';
import { canonicalQuantity, compareQuantities } from '../../lib/apiserver/kinds/built-in/quantity.ts';
import { ApiClient, testServer } from './api-client.ts';

const core = '/api/v1/namespaces/default';
const deployments = '/apis/apps/v1/namespaces/default/deployments';

function client(): ApiClient {
  return new ApiClient(testServer());
}

function deployment(name: string, container: JsonObject = {}): JsonObject {
  return {
    metadata: { name },
    spec: {
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'main', image: 'example.com/main:1', ...container }] },
      },
    },
  };
}

function claim(name: string, spec: JsonObject = {}): JsonObject {
  return {
    metadata: { name },
    spec: {
      accessModes: ['ReadWriteMany'],
      storageClassName: 'shared',
      resources: { requests: { storage: '1Gi' } },
      ...spec,
    },
  };
}

describe('built-in kinds of the embedded API server', () => {
  it('R-2.2 a Secret keeps stringData as data, and no unknown field', async () => {
    const api = client();
    const { body } = await api.post(`${core}/secrets`, { metadata: { name: 's' }, stringData: { a: 'b' }, other: 1 });
    expect(body).toMatchObject({ kind: 'Secret', type: 'Opaque', data: { a: 'Yg==' } });
    expect(body).not.toHaveProperty('stringData');
    expect(body).not.toHaveProperty('other');
    const bad = await api.post(`${core}/secrets`, { metadata: { name: 't' }, data: { a: '***' } });
    expect(bad.body).toMatchObject({
      code: 400,
      message: 'Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte 0',
    });
    const key = await api.post(`${core}/secrets`, { metadata: { name: 't' }, stringData: { 'a b': 'c' } });
    expect(key.body).toMatchObject({ code: 422, details: { causes: [{ field: 'data[a b]' }] } });
  });

  it('R-2.2 an immutable Secret or ConfigMap keeps its content', async () => {
    const api = client();
    await api.post(`${core}/secrets`, { metadata: { name: 's' }, stringData: { a: 'b' }, immutable: true });
    const data = await api.merge(`${core}/secrets/s`, { stringData: { a: 'c' } });
    expect(data.body.message).toBe(
      'Secret "s" is invalid: data: Forbidden: field is immutable when `immutable` is set',
    );
    expect((await api.merge(`${core}/secrets/s`, { type: 'other' })).body.message).toContain('type: Invalid value');
    expect((await api.merge(`${core}/secrets/s`, { metadata: { labels: { a: 'b' } } })).status).toBe(200);
    await api.post(`${core}/configmaps`, { metadata: { name: 'c' }, data: { a: 'b' }, immutable: true });
    expect((await api.merge(`${core}/configmaps/c`, { data: { a: 'c' } })).status).toBe(422);
  });

  it('R-4.3 a Service gets a cluster address, defaults for its ports, and keeps the address', async () => {
    const api = client();
    const { body } = await api.post(`${core}/services`, {
      metadata: { name: 'web' },
      spec: { ports: [{ port: 8787, name: 'host' }] },
    });
    expect(body.spec).toMatchObject({
      type: 'ClusterIP',
      clusterIP: expect.stringMatching(/^10\.96\.\d+\.\d+$/),
      ports: [{ name: 'host', port: 8787, protocol: 'TCP', targetPort: 8787 }],
      sessionAffinity: 'None',
    });
    const replaced = await api.put(`${core}/services/web`, {
      metadata: { name: 'web' },
      spec: { ports: [{ port: 80 }] },
    });
    expect(replaced.body.spec.clusterIP).toBe(body.spec.clusterIP);
    const ports = [{ port: 80 }];
    await api.post(`${core}/services`, { metadata: { name: 'own' }, spec: { ports, clusterIP: '10.96.7.7' } });
    const own = await api.put(`${core}/services/own`, { metadata: { name: 'own' }, spec: { ports } });
    expect(own.body.spec.clusterIP).toBe('10.96.7.7');
    const moved = await api.merge(`${core}/services/web`, { spec: { clusterIP: '10.96.0.99' } });
    expect(moved.body).toMatchObject({ code: 422, message: expect.stringContaining('may not change once set') });
    const portless = await api.post(`${core}/services`, { metadata: { name: 'none' }, spec: {} });
    expect(portless.body.message).toBe('Service "none" is invalid: spec.ports: Required value');
  });

  it('R-3.1 a Deployment gets the defaults of the real server, quantities in canonical form', async () => {
    const api = client();
    const { body } = await api.post(
      deployments,
      deployment('web', { resources: { requests: { memory: '1024Mi', cpu: '0.5' } } }),
    );
    expect(body.metadata.generation).toBe(1);
    expect(body.spec).toMatchObject({
      replicas: 1,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
    });
    expect(body.spec.template.spec).toMatchObject({
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      containers: [{ imagePullPolicy: 'IfNotPresent', resources: { requests: { memory: '1Gi', cpu: '500m' } } }],
    });
    const same = await api.merge(`${deployments}/web`, { spec: { replicas: 1 } });
    expect(same.body.metadata.resourceVersion).toBe(body.metadata.resourceVersion);
    const annotated = await api.merge(`${deployments}/web`, { metadata: { annotations: { a: 'b' } } });
    expect(annotated.body.metadata.generation).toBe(2);
    const reselected = await api.merge(`${deployments}/web`, { spec: { selector: { matchLabels: { app: 'x' } } } });
    expect(reselected.body.message).toContain('spec.selector: Invalid value');
    expect(reselected.body.message).toContain('field is immutable');
  });

  it('R-1.13 a strategic merge patch merges containers by name', async () => {
    const api = client();
    await api.post(deployments, deployment('web'));
    const containers = [
      { name: 'side', image: 'example.com/side:1' },
      { name: 'main', image: 'example.com/main:2' },
    ];
    const { body } = await api.strategic(`${deployments}/web`, { spec: { template: { spec: { containers } } } });
    const images = body.spec.template.spec.containers.map((each: { image: string }) => each.image);
    expect(images.toSorted()).toEqual(['example.com/main:2', 'example.com/side:1']);
    const removed = await api.strategic(`${deployments}/web`, {
      spec: { template: { spec: { containers: [{ name: 'side', $patch: 'delete' }] } } },
    });
    expect(removed.body.spec.template.spec.containers).toHaveLength(1);
  });

  it('R-4.3 the specification of a Pod stays as it is, but for images', async () => {
    const api = client();
    const spec = { containers: [{ name: 'main', image: 'example.com/main' }] };
    const { body } = await api.post(`${core}/pods`, { metadata: { name: 'p' }, spec });
    expect(body).toMatchObject({
      metadata: { generation: 1 },
      spec: { priority: 0, enableServiceLinks: true, containers: [{ imagePullPolicy: 'Always' }] },
      status: { phase: 'Pending', qosClass: 'BestEffort' },
    });
    const changed = await api.merge(`${core}/pods/p`, { spec: { hostname: 'x' } });
    expect(changed.body.message).toContain('spec: Forbidden: pod updates may not change fields other than');
    const image = await api.strategic(`${core}/pods/p`, {
      spec: { containers: [{ name: 'main', image: 'example.com/main:2' }] },
    });
    expect(image.body.metadata.generation).toBe(2);
    const empty = await api.post(`${core}/pods`, { metadata: { name: 'q' }, spec: {} });
    expect(empty.body.message).toBe('Pod "q" is invalid: spec.containers: Required value');
  });

  it('R-4.3 the deletion of a Pod that runs nowhere shows its mark, then the end', async () => {
    const api = client();
    await api.post(`${core}/pods`, { metadata: { name: 'p' }, spec: { containers: [{ name: 'a', image: 'b' }] } });
    const { resourceVersion } = (await api.get(`${core}/pods`)).body.metadata;
    const watching = await api.watch(`${core}/pods?resourceVersion=${resourceVersion}`);
    const deleted = await api.delete(`${core}/pods/p`);
    expect(deleted.body).toMatchObject({ kind: 'Pod', metadata: { deletionGracePeriodSeconds: 0 } });
    const [marked, gone] = await watching.take(2);
    expect(marked).toMatchObject({
      type: 'MODIFIED',
      object: { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } },
    });
    expect(gone?.type).toBe('DELETED');
    watching.close();
  });

  it('R-4.6 a claim is fixed, grows only when bound and allowed to, and is held while it is in use', async () => {
    const server = testServer();
    const api = new ApiClient(server);
    const claims = `${core}/persistentvolumeclaims`;
    expect((await api.post(claims, { metadata: { name: 'v' }, spec: {} })).body.details.causes).toMatchObject([
      { field: 'spec.accessModes', message: 'Required value: at least 1 access mode is required' },
      { field: 'spec.resources[storage]' },
    ]);
    const created = await api.post(claims, claim('v'));
    expect(created.body).toMatchObject({
      metadata: { finalizers: ['kubernetes.io/pvc-protection'] },
      spec: { volumeMode: 'Filesystem' },
      status: { phase: 'Pending' },
    });
    expect((await api.merge(`${claims}/v`, { spec: { storageClassName: 'x' } })).body.message).toContain(
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
    );
    const growth = { spec: { resources: { requests: { storage: '2Gi' } } } };
    await api.merge(`${claims}/v/status`, { status: { phase: 'Bound', capacity: { storage: '1Gi' } } });
    expect((await api.merge(`${claims}/v`, growth)).body).toMatchObject({
      code: 403,
      message:
        'persistentvolumeclaims "v" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
    });
    await api.post('/apis/storage.k8s.io/v1/storageclasses', {
      metadata: { name: 'shared' },
      provisioner: 'example.com/nfs',
      allowVolumeExpansion: true,
    });
    expect((await api.merge(`${claims}/v`, growth)).status).toBe(200);

    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'v' } }];
    const pod = { containers: [{ name: 'a', image: 'b' }], volumes, nodeName: 'somewhere' };
    await api.post(`${core}/pods`, { metadata: { name: 'user' }, spec: pod });
    await api.delete(`${claims}/v`);
    await server.idle();
    expect((await api.get(`${claims}/v`)).body.metadata.deletionTimestamp).toBeDefined();
    await api.delete(`${core}/pods/user?gracePeriodSeconds=0`);
    await server.idle();
    expect((await api.get(`${claims}/v`)).status).toBe(404);
  });

  it('R-6.5 an event is one object under two API groups', async () => {
    const api = client();
    const event = {
      metadata: { name: 'e' },
      regarding: { kind: 'Pod', name: 'p', namespace: 'default' },
      reason: 'Ready',
      note: 'all is well',
      type: 'Normal',
      action: 'Check',
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'evenkeel.dev/pods',
      reportingInstance: 'one',
    };
    const events = '/apis/events.k8s.io/v1/namespaces/default/events';
    expect((await api.post(events, event)).body).toMatchObject({ apiVersion: 'events.k8s.io/v1', note: 'all is well' });
    const old = await api.get(`${core}/events?fieldSelector=involvedObject.name%3Dp`);
    expect(old.body.items).toMatchObject([
      { message: 'all is well', involvedObject: { name: 'p' }, reportingComponent: 'evenkeel.dev/pods', source: {} },
    ]);
    expect(old.body.items[0]).not.toHaveProperty('kind');
    expect((await api.get(`${events}?fieldSelector=regarding.name%3Dp`)).body.items).toHaveLength(1);
    const series = { series: { count: 2, lastObservedTime: '2026-01-01T00:01:00.000000Z' } };
    expect((await api.merge(`${events}/e`, series)).status).toBe(200);
    expect((await api.merge(`${events}/e`, { note: 'changed' })).body.message).toContain('message: Invalid value');
    const nameless = await api.post(events, { ...event, metadata: { name: 'f' }, reportingController: '' });
    expect(nameless.body.details.causes).toContainEqual(
      expect.objectContaining({ field: 'reportingController', message: 'Required value' }),
    );
  });

  it('R-1.10 a Lease is replaced only under its resourceVersion', async () => {
    const api = client();
    const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
    const spec = { holderIdentity: 'one', leaseDurationSeconds: 30 };
    const { body } = await api.post(leases, { metadata: { name: 'l' }, spec });
    const blind = await api.put(`${leases}/l`, { metadata: { name: 'l' }, spec });
    expect(blind.body).toMatchObject({
      code: 422,
      message: expect.stringContaining('metadata.resourceVersion: Invalid value: 0: must be specified for an update'),
    });
    expect((await api.put(`${leases}/l`, { ...body, spec: { ...spec, holderIdentity: 'two' } })).status).toBe(200);
    expect((await api.put(`${leases}/l`, { ...body, spec })).status).toBe(409);
  });

  it('R-5.12 RBAC objects are kept, with names of their own style', async () => {
    const api = client();
    const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
    expect((await api.post(roles, { metadata: { name: 'system:reader' }, rules: [] })).status).toBe(201);
    const bindings = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
    const roleRef = { kind: 'ClusterRole', name: 'system:reader' };
    const { body } = await api.post(bindings, {
      metadata: { name: 'b' },
      roleRef,
      subjects: [{ kind: 'User', name: 'u' }],
    });
    expect(body.roleRef.apiGroup).toBe('rbac.authorization.k8s.io');
    expect((await api.merge(`${bindings}/b`, { roleRef: { name: 'other' } })).body.message).toContain(
      'field is immutable',
    );
  });

  it('R-6.4 the answer names a feature that is not served', async () => {
    const api = client();
    for (const [path, what] of [
      [`${core}/pods/p/log`, 'pod logs'],
      [`${core}/pods/p/exec`, 'exec into pods'],
      [`${core}/pods/p/eviction`, 'evictions'],
    ] as const) {
      const { status, body } = await api.get(path);
      expect(status).toBe(501);
      expect(body.message).toBe(`the embedded API server does not serve ${what}; use a real cluster for it`);
    }
    expect((await api.get(`${core}/pods/p/unheard-of`)).status).toBe(404);
    expect((await api.post('/api/v1/secrets', { metadata: { name: 's' } })).status).toBe(405);
  });

  it.each([
    ['1024Mi', '1Gi'],
    ['1.5Gi', '1536Mi'],
    ['100Mi', '100Mi'],
    ['512', '512'],
    ['1000', '1k'],
    ['0.5', '500m'],
    ['1500m', '1500m'],
    ['2000m', '2'],
    ['0.1Ki', '102400m'],
    ['1e3', '1e3'],
    [1, '1'],
    ['0', '0'],
    ['-1.5', '-1500m'],
    ['many', 'many'],
  ])('R-3.1 the quantity %s is kept as %s', (given, kept) => {
    expect(canonicalQuantity(given)).toBe(kept);
  });

  it('R-4.6 quantities are compared by amount', () => {
    expect(compareQuantities('1Gi', '1024Mi')).toBe(0);
    expect(compareQuantities('1G', '1Gi')).toBeLessThan(0);
    expect(compareQuantities('2', '1500m')).toBeGreaterThan(0);
    expect(compareQuantities('x', '1')).toBeUndefined();
  });
});
