import { loadKubeconfig } from '../../lib/adapters/kubernetes/connection/load-kubeconfig.ts';
import { HttpTransport } from '../../lib/adapters/kubernetes/http-transport.ts';
import { SystemClock } from '../../lib/adapters/system/system-clock.ts';
import { T4_DEFINITIONS } from '../controllers/t4/definitions.ts';
import { T4Fixture } from '../controllers/t4/t4-fixture.ts';
import type { ApiServer } from '../real-apiserver/connect-api-server.ts';
import { sharedApiServer } from '../real-apiserver/shared-api-server.ts';
import { installDefinition } from './install-definition.ts';

/** The shared kube-apiserver with the CRDs of T4, and fixtures on it. */
export class T4OnRealServer {
  readonly server: ApiServer;
  private readonly transport: HttpTransport;

  private constructor(server: ApiServer, transport: HttpTransport) {
    this.server = server;
    this.transport = transport;
  }

  static async connect(): Promise<T4OnRealServer> {
    const server = await sharedApiServer();
    for (const definition of T4_DEFINITIONS) await installDefinition(server, definition);
    const { connection } = await loadKubeconfig({
      file: server.kubeconfigPath,
      environment: {},
      clock: new SystemClock(),
    });
    return new T4OnRealServer(server, new HttpTransport({ connection }));
  }

  async disconnect(): Promise<void> {
    await this.transport.close();
    await this.server.disconnect();
  }

  /** A fixture in a namespace of its own. StorageClasses have no namespace, so their names contain it. */
  async newFixture(): Promise<T4Fixture> {
    const body = { metadata: { generateName: 't4-' } };
    const created = await this.server.expectOk({ method: 'POST', path: '/api/v1/namespaces', body });
    const { name } = created.json().metadata;
    return T4Fixture.on(this.transport, { namespace: name, storageClass: name });
  }

  /** Makes admission add a prefix to the image of each Pod that is created in the namespace. */
  async rewriteImages({ place }: T4Fixture, prefix: string): Promise<void> {
    const name = `${place.namespace}-images`;
    const image = '/spec/containers/0/image';
    const expression = `[JSONPatch{op: "replace", path: "${image}", value: "${prefix}" + object.spec.containers[0].image}]`;
    const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] };
    await this.admission('POST', 'mutatingadmissionpolicies', {
      metadata: { name },
      spec: {
        matchConstraints: { resourceRules: [rule] },
        failurePolicy: 'Fail',
        reinvocationPolicy: 'Never',
        mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression } }],
      },
    });
    const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': place.namespace } };
    await this.admission('POST', 'mutatingadmissionpolicybindings', {
      metadata: { name },
      spec: { policyName: name, matchResources: { namespaceSelector } },
    });
  }

  private async admission(method: 'POST', plural: string, body: object): Promise<void> {
    await this.server.expectOk({ method, path: `/apis/admissionregistration.k8s.io/v1/${plural}`, body });
  }

  async dispose({ place }: T4Fixture): Promise<void> {
    for (const plural of ['mutatingadmissionpolicybindings', 'mutatingadmissionpolicies']) {
      const path = `/apis/admissionregistration.k8s.io/v1/${plural}/${place.namespace}-images`;
      await this.server.request({ method: 'DELETE', path });
    }
    const classes = '/apis/storage.k8s.io/v1/storageclasses';
    for (const name of [place.storageClass, `${place.storageClass}-2`]) {
      await this.server.request({ method: 'DELETE', path: `${classes}/${name}` });
    }
    await this.server.request({ method: 'DELETE', path: `/api/v1/namespaces/${place.namespace}` });
  }
}
