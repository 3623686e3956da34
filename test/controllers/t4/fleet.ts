import { KubernetesClusterApi } from '../../../lib/adapters/kubernetes/kubernetes-cluster-api.ts';
import { T4ClusterHosts, T4Sessions, T4Workspaces } from '../../../lib/controllers/t4/kinds.ts';
import { t4Controllers } from '../../../lib/controllers/t4/t4-controllers.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { ConfigMaps, Namespaces, type ResourceType, Secrets, StorageClasses } from '../../../lib/core/resource-type.ts';
import type { PassRunner } from '../../../lib/engine/pass/pass-runner.ts';
import { SeededEntropy } from '../../../lib/testing/seeded-entropy.ts';
import { World } from '../../../lib/testing/world.ts';
import { T4_DEFINITIONS } from './definitions.ts';
import { withCalls } from './interposed-api.ts';
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

/** The requested objects. The affected targets are computed from them, without the engine's data. */
export interface FleetHost {
  readonly namespace: string;
  readonly name: string;
  readonly storageClass: string;
}
export interface FleetWorkspace {
  readonly namespace: string;
  readonly name: string;
  readonly host: string;
}
export interface FleetSession {
  readonly namespace: string;
  readonly name: string;
  readonly host: string;
  readonly workspace: string;
  /** The profile is one that its host allows. */
  readonly isAllowed: boolean;
}

export interface FleetSize {
  readonly namespaces: number;
  readonly hosts: number;
  readonly workspaces: number;
  readonly sessions: number;
}

/** A name that no object of the kind has. Some objects refer to it. */
export const MISSING = 'missing';
const CLASSES = ['shared-a', 'shared-b', 'shared-c'];

/**
 * A generated fleet in the whole loop: an API server with stand-ins for storage and kubelet, a relay, queues and a
 * worker. Some objects refer to missing or unsuitable objects, or ask for something that is not allowed.
 */
export class Fleet {
  readonly world: World;
  readonly hosts: FleetHost[] = [];
  readonly workspaces: FleetWorkspace[] = [];
  readonly sessions: FleetSession[] = [];
  readonly namespaces: string[] = [];
  /** Every list that a controller requested: the kind and the namespace. */
  readonly lists: string[] = [];
  private readonly stop = new AbortController();
  private readonly runner: PassRunner;
  private running: Promise<void> | undefined;

  private constructor() {
    this.world = new World({ controllers: t4Controllers(SETTINGS, DIGEST_KEY) });
    const { api } = this.world;
    const list: typeof api.list = async (type, options) => {
      this.lists.push(`${type.plural} ${options?.namespace ?? ''}`);
      return await api.list(type, options);
    };
    this.runner = this.world.worker('worker-1', { clusters: { api: () => withCalls(api, { list }) } });
  }

  static async start(size: FleetSize): Promise<Fleet> {
    const fleet = new Fleet();
    const { world } = fleet;
    await world.install(T4_DEFINITIONS);
    await world.create(Namespaces, { metadata: { name: 'evenkeel-system' } });
    world.server.controllers.switchOn();
    await fleet.fill(size);
    fleet.startRelay();
    await fleet.converge(60_000);
    return fleet;
  }

  async close(): Promise<void> {
    this.stop.abort();
    await this.running;
  }

  /** Runs until every event and every delayed message of a few seconds has arrived. */
  async converge(ms = 4_000): Promise<void> {
    await this.world.run(ms, this.runner);
  }

  /** The targets that had a pass while `change` took effect. */
  async passesAfter(change: () => Promise<unknown>, ms?: number): Promise<Set<string>> {
    const { reports } = this.world;
    reports.length = 0;
    await change();
    await this.converge(ms);
    const passes = reports.filter(({ end }) => end !== 'covered' && end !== 'held');
    return new Set(passes.map(({ target }) => `${target.kind.split('.')[0]} ${target.namespace}/${target.name}`));
  }

  read(type: ResourceType, { namespace, name }: { namespace: string; name: string }): Promise<KubeObject> {
    return this.world.user.get(type, { namespace: type.namespaced ? namespace : '', name });
  }

  async createSession(session: FleetSession): Promise<void> {
    this.sessions.push(session);
    const { namespace, name, host, workspace, isAllowed } = session;
    const runtimeProfile = isAllowed ? 'small' : 'huge';
    await this.world.create(T4Sessions, {
      metadata: { namespace, name },
      spec: sessionSpec({ hostRef: host, workspaceRef: workspace, runtimeProfile }),
    });
  }

  async createWorkspace(workspace: FleetWorkspace, retentionPolicy = 'Delete'): Promise<void> {
    this.workspaces.push(workspace);
    const { namespace, name, host } = workspace;
    await this.world.create(T4Workspaces, {
      metadata: { namespace, name },
      spec: workspaceSpec({ hostRef: host, retentionPolicy }),
    });
  }

  async createHost(host: FleetHost): Promise<void> {
    this.hosts.push(host);
    const { namespace, name, storageClass } = host;
    await this.world.create(T4ClusterHosts, { metadata: { namespace, name }, spec: hostSpec(storageClass) });
  }

  private async fill(size: FleetSize): Promise<void> {
    const { world } = this;
    const entropy = new SeededEntropy(7);
    const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(entropy.random() * items.length)] as Item;
    for (const name of CLASSES) {
      await world.create(StorageClasses, {
        metadata: { name, annotations: { 'cluster.t4.dev/access-modes': 'ReadWriteMany' } },
        provisioner: 'test.example/none',
        allowVolumeExpansion: true,
      });
    }
    for (let index = 0; index < size.namespaces; index += 1) {
      const namespace = `team-${index}`;
      this.namespaces.push(namespace);
      await world.create(Namespaces, { metadata: { name: namespace } });
      await world.create(ConfigMaps, {
        metadata: { namespace, name: 'omp-config' },
        data: { 'models.yml': MODELS, 'settings.yml': OMP_SETTINGS },
      });
      await world.create(Secrets, { metadata: { namespace, name: 'omp-credentials' }, stringData: SECRET_VALUES });
    }
    // Every namespace has the same names.
    for (let index = 0; index < size.hosts; index += 1) {
      const namespace = this.namespaces[index % size.namespaces] as string;
      const name = `host-${Math.floor(index / size.namespaces)}`;
      await this.createHost({ namespace, name, storageClass: pick(CLASSES) });
    }
    for (let index = 0; index < size.workspaces; index += 1) {
      const namespace = this.namespaces[index % size.namespaces] as string;
      const host = entropy.random() < 0.05 ? MISSING : pick(this.hostsOf(namespace)).name;
      const name = `ws-${Math.floor(index / size.namespaces)}`;
      await this.createWorkspace({ namespace, name, host }, entropy.random() < 0.3 ? 'Retain' : 'Delete');
    }
    for (let index = 0; index < size.sessions; index += 1) {
      const namespace = this.namespaces[index % size.namespaces] as string;
      const found = pick(this.workspacesOf(namespace));
      const roll = entropy.random();
      await this.createSession({
        namespace,
        name: `session-${Math.floor(index / size.namespaces)}`,
        host: roll < 0.03 ? MISSING : roll < 0.1 ? pick(this.hostsOf(namespace)).name : found.host,
        workspace: roll > 0.97 ? MISSING : found.name,
        isAllowed: entropy.random() > 0.05,
      });
    }
  }

  hostsOf(namespace: string): FleetHost[] {
    return this.hosts.filter((host) => host.namespace === namespace);
  }

  workspacesOf(namespace: string): FleetWorkspace[] {
    return this.workspaces.filter((workspace) => workspace.namespace === namespace);
  }

  private startRelay(): void {
    const { server, clock } = this.world;
    // Another name, so that the controllers' requests can be found.
    const api = new KubernetesClusterApi({ transport: server, clock, userAgent: 'relay' });
    this.running = this.world.relay({}, { api, entropy: new SeededEntropy(5, 'relay') }).run(this.stop.signal);
  }
}
