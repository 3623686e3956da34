import {
  ApiException,
  CoreV1Api,
  KubeConfig,
  KubernetesObjectApi,
  makeInformer,
  type V1ConfigMap,
  Watch,
} from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

export interface ClientNodeCluster {
  /** The kubeconfig that is printed for users. */
  readonly kubeconfig: string;
  /** A namespace without other objects. */
  readonly namespace: string;
  close(): Promise<void>;
}

const LABEL = 'client-node';

function configMap(namespace: string, name: string, value: string) {
  const metadata = { namespace, name, labels: { [LABEL]: 'yes' } };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { value } };
}

/** for clients in JavaScript: an unmodified @kubernetes/client-node with a kubeconfig. */
export function describeClientNode(title: string, open: () => Promise<ClientNodeCluster>): void {
  describe(title, () => {
    let cluster: ClientNodeCluster;
    let namespace: string;
    let config: KubeConfig;
    let core: CoreV1Api;

    beforeAll(async () => {
      cluster = await open();
      namespace = cluster.namespace;
      config = new KubeConfig();
      config.loadFromString(cluster.kubeconfig);
      core = config.makeApiClient(CoreV1Api);
    });

    afterAll(() => cluster?.close());

    it('R-6.2 client-node creates, reads, replaces, patches, lists and deletes an object', async () => {
      const body = configMap(namespace, 'crud', 'one');
      const created = await core.createNamespacedConfigMap({ namespace, body });
      expect(created.metadata?.uid).toBeDefined();
      const read = await core.readNamespacedConfigMap({ namespace, name: 'crud' });
      expect(read.data).toEqual({ value: 'one' });
      const replacement = { ...read, data: { value: 'two' } };
      const replaced = await core.replaceNamespacedConfigMap({ namespace, name: 'crud', body: replacement });
      expect(replaced.data).toEqual({ value: 'two' });
      await expect(
        core.replaceNamespacedConfigMap({ namespace, name: 'crud', body: replacement }),
      ).rejects.toMatchObject({ code: 409 });
      const patch = [{ op: 'replace', path: '/data/value', value: 'three' }];
      const patched = await core.patchNamespacedConfigMap({ namespace, name: 'crud', body: patch });
      expect(patched.data).toEqual({ value: 'three' });
      const listed = await core.listNamespacedConfigMap({ namespace, labelSelector: LABEL });
      expect(listed.items.map(({ metadata }) => metadata?.name)).toContain('crud');
      await core.deleteNamespacedConfigMap({ namespace, name: 'crud' });
      const gone = core.readNamespacedConfigMap({ namespace, name: 'crud' });
      await expect(gone).rejects.toBeInstanceOf(ApiException);
      await expect(gone).rejects.toMatchObject({ code: 404 });
    });

    it('R-6.2 client-node applies a Secret of which it knows only the manifest', async () => {
      const objects = KubernetesObjectApi.makeApiClient(config);
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name: 'generic' } };
      await objects.create({ ...secret, stringData: { password: 'x' } } as never);
      const read = (await objects.read(secret)) as { data?: Record<string, string> };
      expect(read.data).toEqual({ password: Buffer.from('x').toString('base64') });
      await objects.delete(secret);
    });

    it('R-6.2 client-node watches from the version of its list on', async () => {
      const { metadata } = await core.listNamespacedConfigMap({ namespace });
      const seen: string[] = [];
      const path = `/api/v1/namespaces/${namespace}/configmaps`;
      const resourceVersion = metadata?.resourceVersion ?? '';
      const ended = Promise.withResolvers<unknown>();
      const watch = await new Watch(config).watch(
        path,
        { resourceVersion, labelSelector: LABEL },
        (type: string, object: V1ConfigMap) => seen.push(`${type} ${object.metadata?.name} ${object.data?.value}`),
        (error: unknown) => ended.resolve(error),
      );
      await core.createNamespacedConfigMap({ namespace, body: configMap(namespace, 'watched', 'one') });
      const body = [{ op: 'replace', path: '/data/value', value: 'two' }];
      await core.patchNamespacedConfigMap({ namespace, name: 'watched', body });
      await core.deleteNamespacedConfigMap({ namespace, name: 'watched' });
      await expect
        .poll(() => seen, { timeout: 60_000 })
        .toEqual(['ADDED watched one', 'MODIFIED watched two', 'DELETED watched two']);
      watch.abort();
      await ended.promise;
    });

    it('R-6.2 client-node keeps an informer up to date', async () => {
      await core.createNamespacedConfigMap({ namespace, body: configMap(namespace, 'before', 'one') });
      const informer = makeInformer<V1ConfigMap>(
        config,
        `/api/v1/namespaces/${namespace}/configmaps`,
        () => core.listNamespacedConfigMap({ namespace, labelSelector: LABEL }),
        LABEL,
      );
      const seen: string[] = [];
      informer.on('add', ({ metadata }) => seen.push(`add ${metadata?.name}`));
      informer.on('update', ({ data }) => seen.push(`update ${data?.value}`));
      informer.on('delete', ({ metadata }) => seen.push(`delete ${metadata?.name}`));
      await informer.start();
      expect(informer.get('before', namespace)?.data).toEqual({ value: 'one' });
      await core.createNamespacedConfigMap({ namespace, body: configMap(namespace, 'after', 'one') });
      const body = [{ op: 'replace', path: '/data/value', value: 'two' }];
      await core.patchNamespacedConfigMap({ namespace, name: 'after', body });
      await core.deleteNamespacedConfigMap({ namespace, name: 'after' });
      await expect
        .poll(() => seen, { timeout: 60_000 })
        .toEqual(['add before', 'add after', 'update two', 'delete after']);
      expect(informer.list(namespace).map(({ metadata }) => metadata?.name)).toEqual(['before']);
      await informer.stop();
    });
  });
}
