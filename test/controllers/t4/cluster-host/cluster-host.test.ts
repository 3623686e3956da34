import { beforeEach, describe, expect, it } from 'vitest';
import { PersistentVolumeClaims, T4ClusterHosts, T4Workspaces } from '../../../../lib/controllers/t4/kinds.ts';
import type { KubeObject } from '../../../../lib/core/kube-object.ts';
import { ConfigMaps, Secrets, StorageClasses } from '../../../../lib/core/resource-type.ts';
import { withCalls } from '../interposed-api.ts';
import { hostSpec } from '../objects.ts';
import { conditionsOf, T4Fixture } from '../t4-fixture.ts';

let t4: T4Fixture;
beforeEach(async () => {
  t4 = await T4Fixture.embedded();
});

const newHost = (spec: Record<string, unknown> = {}) =>
  t4.create(T4ClusterHosts, 'host', { spec: hostSpec('shared', spec) });
const shown = (host: KubeObject) => t4.shown(T4ClusterHosts, host);

describe('a cluster host', () => {
  it('R-4.8 host reports its status, and has neither a finalizer nor children', async () => {
    await t4.createStorageClass();
    const host = await newHost();
    expect(await t4.pass(T4ClusterHosts, host)).toMatchObject({ outcome: 'settled', writes: expect.any(Number) });
    expect(await shown(host)).toEqual({
      Available: 'True HostAvailable',
      StorageReady: 'True StorageClassRWX',
      CIReady: 'False CINotConfigured',
    });
    const now = await t4.read(T4ClusterHosts, host);
    expect(now.metadata.finalizers).toBeUndefined();
    expect(now.status).toMatchObject({ observedGeneration: 1 });
    expect(t4.writes.filter((write) => !write.includes('/status') && !write.includes('/events'))).toEqual([]);
    await t4.remove(T4ClusterHosts, host);
    expect(await t4.find(T4ClusterHosts, 'host')).toBeUndefined();
  });

  it.each([
    ['no StorageClass', undefined, 'StorageClassNotFound'],
    ['a StorageClass that says nothing', {}, 'StorageClassNotRWX'],
    ['a StorageClass for one node', { 'cluster.t4.dev/access-modes': 'ReadWriteOnce' }, 'StorageClassNotRWX'],
    [
      'a StorageClass with a mode that only sounds alike',
      { 'cluster.t4.dev/access-modes': 'NotReadWriteMany' },
      'StorageClassNotRWX',
    ],
  ])('R-1.22 host with %s shows %s', async (_, annotations, reason) => {
    if (annotations !== undefined) await t4.createStorageClass(annotations as Record<string, string>);
    const host = await newHost();
    await t4.pass(T4ClusterHosts, host);
    expect(await shown(host)).toMatchObject({ Available: `False ${reason}`, StorageReady: `False ${reason}` });
  });

  const RWX = { 'cluster.t4.dev/access-modes': 'ReadWriteMany' };
  it.each([
    ['WaitForFirstConsumer', RWX, 'False StorageClassBindsAtFirstUse'],
    ['WaitForFirstConsumer', {}, 'False StorageClassNotRWX'],
    ['Immediate', RWX, 'True StorageClassRWX'],
    [undefined, RWX, 'True StorageClassRWX'],
  ])('R-4.10 host with a StorageClass that binds as %s and has %o shows %s', async (mode, annotations, storage) => {
    await t4.createStorageClass(annotations as Record<string, string>, mode);
    const host = await newHost();
    await t4.pass(T4ClusterHosts, host);
    expect(await shown(host)).toMatchObject({ StorageReady: storage });
    const [available] = conditionsOf(await t4.read(T4ClusterHosts, host)).filter(({ type }) => type === 'Available');
    const isRefused = storage.endsWith('BindsAtFirstUse');
    expect(available?.message?.includes('volumeBindingMode Immediate')).toBe(isRefused);
  });

  it('R-1.22 host is available when it has one of several access modes', async () => {
    await t4.createStorageClass({ 'cluster.t4.dev/access-modes': 'ReadWriteOnce, ReadWriteMany' });
    const host = await newHost();
    await t4.pass(T4ClusterHosts, host);
    expect(await shown(host)).toMatchObject({ Available: 'True HostAvailable' });
  });

  it('R-4.1 host changes its status when its StorageClass is deleted, created or changed', async () => {
    const host = await newHost();
    const storageClass = await t4.createStorageClass();
    await t4.pass(T4ClusterHosts, host);
    expect(await shown(host)).toMatchObject({ StorageReady: 'True StorageClassRWX' });
    await t4.remove(StorageClasses, storageClass);
    await t4.pass(T4ClusterHosts, host);
    expect(await shown(host)).toMatchObject({ StorageReady: 'False StorageClassNotFound' });
  });

  const withSecret = { ciProvider: { configMapRef: { name: 'ci' }, secretRef: { name: 'ci-token' } } };
  const withAudience = { ciProvider: { configMapRef: { name: 'ci' }, serviceAccountAudience: 'ci' } };

  it.each([
    ['neither object', withSecret, [], 'False CIConfigMapNotFound'],
    ['the ConfigMap only', withSecret, ['ConfigMap'], 'False CISecretNotFound'],
    ['both objects', withSecret, ['ConfigMap', 'Secret'], 'True CIProviderFound'],
    ['an audience and no ConfigMap', withAudience, [], 'False CIConfigMapNotFound'],
    ['an audience and the ConfigMap', withAudience, ['ConfigMap'], 'True CIProviderFound'],
  ])('R-1.22 host stays Available when its CI provider has %s', async (_, spec, objects, ci) => {
    await t4.createStorageClass();
    if (objects.includes('ConfigMap')) await t4.create(ConfigMaps, 'ci', {});
    if (objects.includes('Secret')) await t4.create(Secrets, 'ci-token', {});
    const host = await newHost(spec);
    await t4.pass(T4ClusterHosts, host);
    expect(await shown(host)).toMatchObject({ Available: 'True HostAvailable', CIReady: ci });
  });

  it('R-4.4 host shows the object of its CI provider within the poll interval when it is created', async () => {
    await t4.createStorageClass();
    const host = await newHost(withAudience);
    await t4.pass(T4ClusterHosts, host);
    await t4.create(ConfigMaps, 'ci', {});
    await t4.world.run(70_000);
    expect(await shown(host)).toMatchObject({ CIReady: 'True CIProviderFound' });
  });

  it.each([
    [
      'storageclasses',
      403,
      { Available: 'Unknown StorageClassAccessDenied', StorageReady: 'Unknown StorageClassAccessDenied' },
    ],
    [
      'storageclasses',
      504,
      { Available: 'Unknown StorageClassReadFailed', StorageReady: 'Unknown StorageClassReadFailed' },
    ],
    ['configmaps', 403, { Available: 'True HostAvailable', CIReady: 'Unknown CIConfigMapAccessDenied' }],
    ['secrets', 504, { Available: 'True HostAvailable', CIReady: 'Unknown CISecretReadFailed' }],
  ])(
    'R-1.22 R-1.7 host shows its condition Unknown and retries when a read of %s gets %i',
    async (resource, status, conditions) => {
      await t4.createStorageClass();
      await t4.create(ConfigMaps, 'ci', {});
      await t4.create(Secrets, 'ci-token', {});
      const host = await newHost(withSecret);
      await t4.pass(T4ClusterHosts, host);
      const injected = t4.world.server.inject({
        match: { verb: 'get', resource, userAgent: 'evenkeel' },
        fault: { status },
      });
      expect(await t4.pass(T4ClusterHosts, host)).toMatchObject({ outcome: 'retry' });
      expect(await shown(host)).toMatchObject(conditions);
      injected.remove();
      await t4.world.run(10_000);
      expect(await shown(host)).toMatchObject({ Available: 'True HostAvailable', CIReady: 'True CIProviderFound' });
    },
  );

  it('R-6.4 host reports the field and does not retry when admission did not refuse an invalid spec', async () => {
    const host = await newHost();
    const { api } = t4.world;
    const get: typeof api.get = async (type, name, options) => {
      const object = await api.get(type, name, options);
      return type === T4ClusterHosts ? { ...object, spec: { storageClassName: 'A', runtimeProfiles: [] } } : object;
    };
    const runner = t4.world.worker('w', { clusters: { api: () => withCalls(api, { get }) } });
    expect(await t4.pass(T4ClusterHosts, host, runner)).toMatchObject({ outcome: 'terminal', dueAtMs: undefined });
    expect(await shown(host)).toEqual({
      Available: 'False InvalidSpec',
      StorageReady: 'Unknown NotEvaluated',
      CIReady: 'Unknown NotEvaluated',
    });
    const [available] = conditionsOf(await t4.read(T4ClusterHosts, host));
    expect(available?.message).toContain('spec.storageClassName must be');
    expect(available?.message).toContain('spec.runtimeProfiles must be');
  });

  it('R-4.8 host changes none of the objects that were created for it when it is deleted', async () => {
    const workspace = await t4.prepare();
    const claim = await t4.claimOf(workspace);
    await t4.remove(T4ClusterHosts, await t4.user.get(T4ClusterHosts, { namespace: 'default', name: 'host' }));
    await t4.world.server.idle();
    expect(claim && (await t4.read(PersistentVolumeClaims, claim))).toEqual(claim);
    expect(await t4.read(T4Workspaces, workspace)).toEqual(workspace);
  });
});
