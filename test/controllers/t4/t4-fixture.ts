import { setImmediate as nextTurn } from 'node:timers/promises';
import { KubernetesClusterApi } from '../../../lib/adapters/kubernetes/kubernetes-cluster-api.ts';
import type { Transport, TransportRequest } from '../../../lib/adapters/kubernetes/transport.ts';
import { claimName, sessionChildName } from '../../../lib/controllers/t4/child-name.ts';
import {
  PersistentVolumeClaims,
  Pods,
  Services,
  T4ClusterHosts,
  T4Sessions,
  T4Workspaces,
} from '../../../lib/controllers/t4/kinds.ts';
import type { T4Settings } from '../../../lib/controllers/t4/settings.ts';
import { t4Controllers } from '../../../lib/controllers/t4/t4-controllers.ts';
import { type Condition, PROGRESS_CONDITIONS, readConditions } from '../../../lib/core/conditions.ts';
import type { DesiredObject, KubeObject } from '../../../lib/core/kube-object.ts';
import type { DurableValues } from '../../../lib/core/reconcile-context.ts';
import { apiVersion, ConfigMaps, type ResourceType, Secrets, StorageClasses } from '../../../lib/core/resource-type.ts';
import type { PassReport } from '../../../lib/engine/pass/pass-report.ts';
import type { PassRunner } from '../../../lib/engine/pass/pass-runner.ts';
import { Registry } from '../../../lib/engine/registry.ts';
import { type ClusterApi, isApiError } from '../../../lib/ports/cluster-api.ts';
import type { CommitRecord, StateStore } from '../../../lib/ports/state-store.ts';
import { World } from '../../../lib/testing/world.ts';
import { T4_DEFINITIONS } from './definitions.ts';
import { interposed } from './interposed-api.ts';
import {
  DIGEST_KEY,
  hostSpec,
  MODELS,
  OMP_SETTINGS,
  SECRET_VALUES,
  SETTINGS,
  sessionSpec,
  workspaceSpec,
} from './objects.ts';

type Body = Omit<DesiredObject, 'apiVersion' | 'kind'>;
type Named = Pick<KubeObject, 'metadata'>;

/** The place of a fixture: a namespace of its own, and a name for objects without a namespace. */
export interface Place {
  readonly namespace: string;
  readonly storageClass: string;
}

/**
 * The engine with the T4 controllers on an API server, embedded or real. A user plays all other actors: storage,
 * kubelet and people. Passes run when a test asks for them.
 */
export class T4Fixture {
  readonly world: World;
  readonly user: ClusterApi;
  readonly place: Place;
  /** The engine's requests to the API server. */
  readonly requests: TransportRequest[] = [];

  private constructor(place: Place, settings: T4Settings, transport?: Transport, admin?: ClusterApi) {
    this.place = place;
    this.world = new World({
      controllers: t4Controllers(settings, DIGEST_KEY),
      wrapTransport: (server) => {
        const used = transport ?? server;
        return {
          send: (request) => {
            this.requests.push(request);
            return used.send(request);
          },
        };
      },
    });
    const { clock, user } = this.world;
    this.user =
      admin ?? (transport === undefined ? user : new KubernetesClusterApi({ transport, clock, userAgent: 'test' }));
  }

  static async embedded(settings: T4Settings = SETTINGS): Promise<T4Fixture> {
    const fixture = new T4Fixture({ namespace: 'default', storageClass: 'shared' }, settings);
    await fixture.world.install(T4_DEFINITIONS);
    return fixture;
  }

  /**
   * A fixture on a server that has the CRDs already.
   * @param admin plays all other actors, when the transport may not do everything.
   */
  static on(transport: Transport, place: Place, settings: T4Settings = SETTINGS, admin?: ClusterApi): T4Fixture {
    return new T4Fixture(place, settings, transport, admin);
  }

  /** A StorageClass, the OMP objects, a host and a workspace whose claim is bound. */
  async prepare(workspace: Record<string, unknown> = {}): Promise<KubeObject> {
    await this.createStorageClass();
    await this.createOmp();
    await this.create(T4ClusterHosts, 'host', { spec: hostSpec(this.place.storageClass) });
    return await this.createWorkspace('ws', workspace);
  }

  /** A workspace whose claim is bound and recorded. */
  async createWorkspace(name: string, spec: Record<string, unknown> = {}): Promise<KubeObject> {
    const workspace = await this.create(T4Workspaces, name, { spec: workspaceSpec(spec) });
    await this.pass(T4Workspaces, workspace);
    await this.bind(workspace);
    await this.pass(T4Workspaces, workspace);
    return await this.read(T4Workspaces, workspace);
  }

  createSession(name = 'session', spec: Record<string, unknown> = {}): Promise<KubeObject> {
    return this.create(T4Sessions, name, { spec: sessionSpec(spec) });
  }

  /** A session whose Pod is ready. */
  async runningSession(name = 'session', spec: Record<string, unknown> = {}): Promise<KubeObject> {
    const session = await this.createSession(name, spec);
    await this.pass(T4Sessions, session);
    await this.ready(session);
    await this.pass(T4Sessions, session);
    return await this.read(T4Sessions, session);
  }

  async createStorageClass(
    annotations: Record<string, string> = { 'cluster.t4.dev/access-modes': 'ReadWriteMany' },
    volumeBindingMode?: string,
  ) {
    return await this.user.create(
      StorageClasses,
      {
        apiVersion: apiVersion(StorageClasses),
        kind: 'StorageClass',
        metadata: { name: this.place.storageClass, annotations },
        provisioner: 'test.example/none',
        allowVolumeExpansion: true,
        ...(volumeBindingMode !== undefined && { volumeBindingMode }),
      },
      { fieldManager: 'test' },
    );
  }

  async createOmp(models = MODELS, settings = OMP_SETTINGS): Promise<void> {
    await this.create(ConfigMaps, 'omp-config', { data: { 'models.yml': models, 'settings.yml': settings } });
    await this.create(Secrets, 'omp-credentials', { stringData: SECRET_VALUES });
  }

  worker(settings?: T4Settings): PassRunner {
    if (settings === undefined) return this.world.worker();
    return this.world.worker('worker-1', { registry: new Registry(t4Controllers(settings, DIGEST_KEY)) });
  }

  /** Runs one requested pass. */
  async pass(type: ResourceType, object: Named, runner = this.worker()): Promise<PassReport> {
    return await runner.handle(this.world.event(type, object, { cause: 'requested' }));
  }

  /** Runs a pass and then sets the item's values, as a release leaves them that does not know them. */
  async passThatLeaves(type: ResourceType, object: Named, values: DurableValues): Promise<void> {
    const memory: StateStore = this.world.memory;
    const store = interposed(memory, async (method, args, call) => {
      if (method === 'saveValues') return true;
      if (method !== 'commit') return await call();
      const [hold, record, dirtySeen] = args as Parameters<StateStore['commit']>;
      return await memory.commit(hold, { ...record, values } satisfies CommitRecord, dirtySeen);
    });
    await this.pass(type, object, this.world.worker('older', { store }));
  }

  create(type: ResourceType, name: string, body: Omit<Body, 'metadata'> & { metadata?: object }): Promise<KubeObject> {
    const { namespace } = this.place;
    const object = { apiVersion: apiVersion(type), kind: type.kind, ...body } as DesiredObject;
    const metadata = { ...body.metadata, name, ...(type.namespaced && { namespace }) };
    return this.user.create(type, { ...object, metadata }, { fieldManager: 'test' });
  }

  edit(type: ResourceType, object: Named, patch: object, subresource?: 'status'): Promise<KubeObject> {
    const body = { type: 'merge', patch: patch as never } as const;
    return this.user.patch(type, nameOf(object), body, { fieldManager: 'test', ...(subresource && { subresource }) });
  }

  read(type: ResourceType, object: Named): Promise<KubeObject> {
    return this.user.get(type, nameOf(object));
  }

  async find(type: ResourceType, name: string): Promise<KubeObject | undefined> {
    try {
      return await this.user.get(type, { namespace: type.namespaced ? this.place.namespace : '', name });
    } catch (error) {
      if (isApiError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  async remove(type: ResourceType, object: Named): Promise<void> {
    await this.user.delete(type, nameOf(object), { preconditions: { uid: object.metadata.uid } });
  }

  /** Deletes an object in spite of its finalizers, and waits until it is gone. */
  async erase(type: ResourceType, object: Named): Promise<void> {
    await this.edit(type, object, { metadata: { finalizers: null } });
    await this.remove(type, object);
    while ((await this.find(type, object.metadata.name))?.metadata.uid === object.metadata.uid) await nextTurn();
  }

  claimOf(workspace: Named): Promise<KubeObject | undefined> {
    return this.find(PersistentVolumeClaims, claimName(workspace.metadata));
  }

  podOf(session: Named): Promise<KubeObject | undefined> {
    return this.find(Pods, sessionChildName(session.metadata));
  }

  serviceOf(session: Named): Promise<KubeObject | undefined> {
    return this.find(Services, sessionChildName(session.metadata));
  }

  /** @throws Error when the session lacks one of the two. */
  async childrenOf(session: Named): Promise<{ pod: KubeObject; service: KubeObject }> {
    const [pod, service] = [await this.podOf(session), await this.serviceOf(session)];
    if (pod === undefined || service === undefined) throw new Error('the session has no Pod or no Service');
    return { pod, service };
  }

  /** Creates another owner's Pod or Service under the name of the session's own. */
  async createForeign(type: ResourceType, session: Named, metadata: object = {}): Promise<KubeObject> {
    const spec =
      type === Pods ? { containers: [{ name: 'a', image: 'b' }] } : { ports: [{ port: 80 }], selector: { app: 'x' } };
    return await this.create(type, sessionChildName(session.metadata), { metadata, spec });
  }

  named(type: ResourceType, name: string): Promise<KubeObject> {
    return this.user.get(type, { namespace: type.namespaced ? this.place.namespace : '', name });
  }

  /** Acts as the volume controller. */
  async bind(workspace: Named): Promise<KubeObject> {
    const claim = await this.user.get(PersistentVolumeClaims, {
      ...nameOf(workspace),
      name: claimName(workspace.metadata),
    });
    return await this.bindClaim(claim);
  }

  async bindClaim(claim: KubeObject): Promise<KubeObject> {
    const status = { phase: 'Bound', accessModes: ['ReadWriteMany'], capacity: { storage: '10Gi' } };
    return await this.edit(PersistentVolumeClaims, claim, { status }, 'status');
  }

  /** Acts as the kubelet. */
  async ready(session: Named, status: 'True' | 'False' = 'True', phase = 'Running'): Promise<void> {
    const pod = { ...nameOf(session), name: sessionChildName(session.metadata) };
    const patch = { status: { phase, conditions: [{ type: 'Ready', status }] } };
    await this.edit(Pods, { metadata: { ...pod, uid: '', resourceVersion: '' } }, patch, 'status');
  }

  /** `HostReady: 'True HostVerified'` and so on. */
  async shown(type: ResourceType, object: Named): Promise<Record<string, string>> {
    const conditions = own(readConditions((await this.read(type, object)).status));
    return Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status} ${reason}`]));
  }

  /** The engine's writes since the list was last emptied. */
  get writes(): string[] {
    return this.requests.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`);
  }

  forgetRequests(): void {
    this.requests.length = 0;
  }
}

/** Reconciling and Stalled have a test of their own, for all kinds: shipped-kinds-kstatus.test.ts. */
function own(conditions: readonly Condition[]): Condition[] {
  return conditions.filter(({ type }) => !(PROGRESS_CONDITIONS as readonly string[]).includes(type));
}

export function conditionsOf({ status }: KubeObject): Condition[] {
  return own(readConditions(status));
}

function nameOf({ metadata }: Named) {
  return { namespace: metadata.namespace ?? '', name: metadata.name };
}
