import { PersistentVolumeClaims, T4ClusterHosts, T4Workspaces } from '../../../lib/controllers/t4/kinds.ts';
import type { T4Settings } from '../../../lib/controllers/t4/settings.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { ConfigMaps, type ResourceType, Secrets, StorageClasses } from '../../../lib/core/resource-type.ts';
import { hostSpec, IMAGE, MODELS, SETTINGS, workspaceSpec } from './objects.ts';
import type { T4Fixture } from './t4-fixture.ts';

/** What is broken, and how, in a cluster where everything else is correct. */
export interface Row {
  readonly reason: string;
  readonly how: string;
  /** HostReady, WorkspaceReady, RuntimeConfigured: their values follow from the check's place in the order. */
  readonly shown: readonly [string, string, string];
  readonly settings?: T4Settings;
  breaks?(t4: T4Fixture): Promise<unknown>;
  /** Replaces what the controllers read of an object, as if it had been stored without admission. */
  sees?(type: ResourceType, object: KubeObject): KubeObject;
  /** Called during each pass, immediately before the second read of the claim. */
  beforeSecondLook?(t4: T4Fixture): Promise<unknown>;
  /** Undoes `beforeSecondLook` after each pass. */
  afterPass?(t4: T4Fixture): Promise<unknown>;
}

export const HOST = 'True HostVerified';
export const WORKSPACE = 'True WorkspaceVerified';
export const RUNTIME = 'True RuntimeVerified';
export const NOT_REACHED = 'Unknown NotEvaluated';

const installation = (reason: string, how: string, settings: T4Settings): Row => ({
  reason,
  how,
  shown: [NOT_REACHED, NOT_REACHED, `False ${reason}`],
  settings,
});
const host = (reason: string, how: string, breaks: Row['breaks'] & object): Row => ({
  reason,
  how,
  shown: [`False ${reason}`, NOT_REACHED, NOT_REACHED],
  breaks,
});
const workspace = (reason: string, how: string, breaks: Row['breaks'] & object): Row => ({
  reason,
  how,
  shown: [HOST, `False ${reason}`, NOT_REACHED],
  breaks,
});
const runtime = (reason: string, how: string, breaks: Row['breaks'] & object): Row => ({
  reason,
  how,
  shown: [HOST, WORKSPACE, `False ${reason}`],
  breaks,
});

const object = async (t4: T4Fixture, type: ResourceType, name: string): Promise<KubeObject> =>
  await t4.user.get(type, { namespace: type.namespaced ? t4.place.namespace : '', name });
const edit = async (t4: T4Fixture, type: ResourceType, name: string, patch: object, subresource?: 'status') =>
  await t4.edit(type, await object(t4, type, name), patch, subresource);
const erase = async (t4: T4Fixture, type: ResourceType, name: string) =>
  await t4.erase(type, await object(t4, type, name));

async function claim(t4: T4Fixture): Promise<KubeObject> {
  const found = await t4.claimOf(await object(t4, T4Workspaces, 'ws'));
  if (found === undefined) throw new Error('the workspace has no claim');
  return found;
}
const editClaim = async (t4: T4Fixture, patch: object, subresource?: 'status') =>
  await t4.edit(PersistentVolumeClaims, await claim(t4), patch, subresource);
const models = (t4: T4Fixture, text: string | null) =>
  edit(t4, ConfigMaps, 'omp-config', { data: { 'models.yml': text } });
const ompSettings = (t4: T4Fixture, text: string | null) =>
  edit(t4, ConfigMaps, 'omp-config', { data: { 'settings.yml': text } });

/** Replaces an object by another one with the same name. */
async function replace(
  t4: T4Fixture,
  type: ResourceType,
  name: string,
  body: Record<string, unknown>,
): Promise<KubeObject> {
  await erase(t4, type, name);
  return await t4.create(type, name, body);
}

async function replaceClaim(
  t4: T4Fixture,
  changes: { metadata?: object; accessModes?: string[] } = {},
): Promise<KubeObject> {
  const { metadata, spec } = await claim(t4);
  await t4.erase(PersistentVolumeClaims, await claim(t4));
  const { labels, annotations, ownerReferences } = metadata;
  const created = await t4.create(PersistentVolumeClaims, metadata.name, {
    metadata: { labels, annotations, ownerReferences, ...changes.metadata },
    spec: { ...(spec as object), accessModes: changes.accessModes ?? ['ReadWriteMany'] },
  });
  return await t4.bindClaim(created);
}

const BILLION_LAUGHS = 'a: &a ["ha","ha"]\nb: &b [*a,*a]\nc: &c [*b,*b]\nd: [*c,*c]\n';

function withSpec(of: ResourceType, changes: object): Row['sees'] & object {
  return (type, object) => (type === of ? { ...object, spec: { ...(object.spec as object), ...changes } } : object);
}

export const ROWS: readonly Row[] = [
  installation('RuntimeImageMissing', 'the settings name no image', { omp: SETTINGS.omp }),
  installation('RuntimeImageInvalid', 'the image has a tag only', {
    omp: SETTINGS.omp,
    runtimeImage: 't4/runtime:latest',
  }),
  installation('RuntimeImageInvalid', 'the digest is cut', { omp: SETTINGS.omp, runtimeImage: IMAGE.slice(0, -1) }),
  installation('OMPReferencesMissing', 'the settings have no omp section', { runtimeImage: IMAGE }),
  installation('OMPReferencesInvalid', 'the ConfigMap has an impossible name', {
    ...SETTINGS,
    omp: { ...SETTINGS.omp, configMap: { ...SETTINGS.omp.configMap, name: 'OMP' } },
  }),
  installation('OMPReferencesInvalid', 'the Secret has no keys', {
    ...SETTINGS,
    omp: { ...SETTINGS.omp, secret: { name: 'omp-credentials', keys: [] } },
  }),

  host('HostNotFound', 'the host is deleted', (t4) => erase(t4, T4ClusterHosts, 'host')),
  host('RuntimeProfileNotAllowed', 'the profile is withdrawn', (t4) =>
    edit(t4, T4ClusterHosts, 'host', { spec: { runtimeProfiles: ['large'] } }),
  ),
  host('RuntimeProfileNotAllowed', 'the host is replaced by one without the profile', (t4) =>
    replace(t4, T4ClusterHosts, 'host', { spec: hostSpec(t4.place.storageClass, { runtimeProfiles: ['large'] }) }),
  ),
  {
    ...host('RuntimeProfileNotAllowed', 'the host names a StorageClass that none can be', async () => {}),
    sees: withSpec(T4ClusterHosts, { storageClassName: '../secrets' }),
  },
  host('StorageClassNotFound', 'the StorageClass is deleted', (t4) => erase(t4, StorageClasses, t4.place.storageClass)),
  host('StorageClassNotRWX', 'the annotation is removed', (t4) =>
    edit(t4, StorageClasses, t4.place.storageClass, {
      metadata: { annotations: { 'cluster.t4.dev/access-modes': null } },
    }),
  ),
  host('StorageClassNotRWX', 'the StorageClass is replaced by one for one node', async (t4) => {
    await erase(t4, StorageClasses, t4.place.storageClass);
    await t4.createStorageClass({ 'cluster.t4.dev/access-modes': 'ReadWriteOnce, NotReadWriteMany' });
  }),

  workspace('WorkspaceNotFound', 'the workspace is deleted', (t4) => erase(t4, T4Workspaces, 'ws')),
  workspace('HostMismatch', 'the workspace is replaced by one of another host', (t4) =>
    replace(t4, T4Workspaces, 'ws', { spec: workspaceSpec({ hostRef: 'other' }) }),
  ),
  {
    ...workspace('HostMismatch', 'the workspace has a size that none can be', async () => {}),
    sees: withSpec(T4Workspaces, { size: 'huge' }),
  },
  workspace('PVCNotDeclared', 'the workspace is replaced by one without a claim', (t4) =>
    replace(t4, T4Workspaces, 'ws', { spec: workspaceSpec() }),
  ),
  workspace('PVCNotDeclared', 'the workspace names its claim no more', (t4) =>
    edit(t4, T4Workspaces, 'ws', { status: { pvcUID: null } }, 'status'),
  ),
  workspace('PVCIdentityMismatch', 'the workspace names another claim', (t4) =>
    edit(t4, T4Workspaces, 'ws', { status: { pvcName: 'other' } }, 'status'),
  ),
  workspace('PVCIdentityMismatch', 'the workspace names another UID', (t4) =>
    edit(t4, T4Workspaces, 'ws', { status: { pvcUID: 'other' } }, 'status'),
  ),
  workspace('PVCIdentityMismatch', 'the claim is replaced by a foreign one', (t4) =>
    replaceClaim(t4, { metadata: { labels: {}, annotations: {}, ownerReferences: [] } }),
  ),
  workspace('PVCIdentityMismatch', 'the claim is replaced by one that looks like it', (t4) => replaceClaim(t4)),
  workspace(
    'PVCNotFound',
    'the claim is deleted',
    async (t4) => await t4.erase(PersistentVolumeClaims, await claim(t4)),
  ),
  workspace('PVCOwnershipConflict', 'the claim loses its owner', (t4) =>
    editClaim(t4, { metadata: { ownerReferences: null } }),
  ),
  workspace('PVCOwnershipConflict', 'the claim gets a second owner', async (t4) => {
    const { metadata } = await claim(t4);
    const owner = await t4.create(ConfigMaps, 'other', {});
    const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'other', uid: owner.metadata.uid };
    return await editClaim(t4, { metadata: { ownerReferences: [...(metadata.ownerReferences ?? []), other] } });
  }),
  workspace('PVCOwnershipConflict', 'the claim is handed to another workspace', async (t4) => {
    const { metadata } = await claim(t4);
    const { name, uid } = (await t4.create(T4Workspaces, 'other', { spec: workspaceSpec() })).metadata;
    const owners = (metadata.ownerReferences ?? []).map((reference) => ({ ...reference, name, uid }));
    return await editClaim(t4, { metadata: { ownerReferences: owners } });
  }),
  workspace('StorageClassMismatch', 'the host names another class', async (t4) => {
    const other = `${t4.place.storageClass}-2`;
    await t4.user.create(
      StorageClasses,
      {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'StorageClass',
        metadata: { name: other, annotations: { 'cluster.t4.dev/access-modes': 'ReadWriteOnce,ReadWriteMany' } },
        provisioner: 'test.example/none',
      },
      { fieldManager: 'test' },
    );
    return await edit(t4, T4ClusterHosts, 'host', { spec: { storageClassName: other } });
  }),
  workspace('PVCNotBoundRWX', 'the claim is not bound', (t4) =>
    editClaim(t4, { status: { phase: 'Pending' } }, 'status'),
  ),
  workspace('PVCNotBoundRWX', 'the claim lost its volume', (t4) =>
    editClaim(t4, { status: { phase: 'Lost' } }, 'status'),
  ),
  workspace('PVCNotBoundRWX', 'the claim is being deleted', async (t4) => {
    await editClaim(t4, { metadata: { finalizers: ['test.example/hold'] } });
    return await t4.remove(PersistentVolumeClaims, await claim(t4));
  }),
  workspace('PVCNotBoundRWX', 'the claim is replaced by one for one node, and the workspace names it', async (t4) => {
    const { metadata } = await replaceClaim(t4, { accessModes: ['ReadWriteOnce'] });
    return await edit(t4, T4Workspaces, 'ws', { status: { pvcUID: metadata.uid } }, 'status');
  }),

  runtime('OMPConfigMapNotFound', 'the ConfigMap is deleted', (t4) => erase(t4, ConfigMaps, 'omp-config')),
  runtime('OMPConfigMapInvalid', 'a key is missing', (t4) => ompSettings(t4, null)),
  runtime('OMPConfigMapInvalid', 'the ConfigMap is replaced by one with an alias', (t4) =>
    replace(t4, ConfigMaps, 'omp-config', { data: { 'models.yml': `x: &x 1\n${MODELS}`, 'settings.yml': 'a: 1' } }),
  ),
  runtime('OMPConfigMapInvalid', 'an alias would grow without end', (t4) => ompSettings(t4, BILLION_LAUGHS)),
  runtime('OMPConfigMapInvalid', 'a document is as large as a ConfigMap can be', (t4) =>
    ompSettings(t4, `a: ${'x'.repeat(1_000_000)}`),
  ),
  runtime('OMPConfigMapInvalid', 'there are no providers', (t4) => models(t4, 'providers: {}')),
  runtime('OMPModelsAuthenticationUnsafe', 'a provider authenticates', (t4) =>
    models(t4, MODELS.replace('none', 'key')),
  ),
  runtime('OMPModelsAuthenticationUnsafe', 'the models hold a key', (t4) => models(t4, `${MODELS}x-api_KEY: secret\n`)),
  runtime('OMPSettingsAuthenticationUnsafe', 'the settings hold a password', (t4) =>
    ompSettings(t4, 'a: [{pass-word: x}]'),
  ),
  runtime('OMPSettingsAuthenticationUnsafe', 'the settings hold a URL with a query', (t4) =>
    ompSettings(t4, 'proxy: http://proxy.svc/?k=1'),
  ),
  runtime('OMPSecretNotFound', 'the Secret is deleted', (t4) => erase(t4, Secrets, 'omp-credentials')),
  runtime('OMPSecretInvalid', 'the Secret is replaced by one without a key', (t4) =>
    replace(t4, Secrets, 'omp-credentials', { stringData: { token: 'x' } }),
  ),
  runtime('OMPSecretInvalid', 'a key is missing', (t4) =>
    edit(t4, Secrets, 'omp-credentials', { data: { second: null } }),
  ),
  runtime('OMPSecretInvalid', 'a value is empty', (t4) =>
    edit(t4, Secrets, 'omp-credentials', { data: { second: '' } }),
  ),

  {
    reason: 'PVCAuthorityChanged',
    how: 'the claim is unbound between the two looks at it',
    shown: [HOST, 'False PVCAuthorityChanged', RUNTIME],
    beforeSecondLook: (t4) => editClaim(t4, { status: { phase: 'Pending' } }, 'status'),
    afterPass: (t4) => editClaim(t4, { status: { phase: 'Bound' } }, 'status'),
  },
];
