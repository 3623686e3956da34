import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { claimName, sessionChildName } from '../../../lib/controllers/t4/child-name.ts';
import {
  PersistentVolumeClaims,
  Pods,
  T4ClusterHosts,
  T4Sessions,
  T4Workspaces,
} from '../../../lib/controllers/t4/kinds.ts';
import { readConditions } from '../../../lib/core/conditions.ts';
import type { DesiredObject, JsonObject, KubeObject } from '../../../lib/core/kube-object.ts';
import { ConfigMaps, type ResourceType, Secrets, StorageClasses } from '../../../lib/core/resource-type.ts';
import { type ClusterApi, isApiError } from '../../../lib/ports/cluster-api.ts';
import { eventually } from '../../e2e/support/eventually.ts';
import type { UserCluster } from '../support/cloud-world.ts';

const WRITE = { fieldManager: 'test' };
const FILES = ['01-prerequisites', '02-session'];
const TYPES = new Map(
  [StorageClasses, ConfigMaps, Secrets, T4ClusterHosts, T4Workspaces, T4Sessions].map((type) => [type.kind, type]),
);

/** The session of examples/t4, and the other actors in a cluster: people, storage and kubelet. */
export class T4Example {
  private readonly api: ClusterApi;

  constructor({ cluster }: UserCluster) {
    this.api = cluster.user;
  }

  /** Applies the example like `kubectl apply`. */
  async apply(): Promise<void> {
    for (const name of FILES) {
      const text = readFileSync(new URL(`../../../examples/t4/${name}.yaml`, import.meta.url), 'utf8');
      for (const document of parseAllDocuments(text)) await this.create(document.toJS() as DesiredObject);
    }
  }

  session(): Promise<KubeObject> {
    return this.read(T4Sessions, 'first');
  }

  host(): Promise<KubeObject> {
    return this.read(T4ClusterHosts, 'demo');
  }

  /** Binds the workspace's claim to a volume when the claim exists. */
  async bindClaim(): Promise<void> {
    const { metadata } = await this.read(T4Workspaces, 'demo');
    const name = claimName(metadata);
    await eventually('claim of the workspace', () => this.find(PersistentVolumeClaims, name));
    const status = { phase: 'Bound', accessModes: ['ReadWriteMany'], capacity: { storage: '20Gi' } };
    await this.patchStatus(PersistentVolumeClaims, name, status);
  }

  /** Runs the session's Pod when it exists. */
  async runPod(): Promise<void> {
    const name = sessionChildName((await this.session()).metadata);
    await eventually('Pod of the session', () => this.find(Pods, name));
    const conditions = [{ type: 'Ready', status: 'True' }];
    await this.patchStatus(Pods, name, { phase: 'Running', conditions });
  }

  /** Changes an object that sessions read and no relay watches. */
  async breakModels(): Promise<void> {
    const patch = { data: { 'models.yml': 'providers: 5\n' } };
    await this.api.patch(ConfigMaps, { namespace: 'default', name: 'omp-config' }, { type: 'merge', patch }, WRITE);
  }

  async deleteSession(): Promise<void> {
    const { metadata } = await this.session();
    await this.api.delete(
      T4Sessions,
      { namespace: 'default', name: 'first' },
      { preconditions: { uid: metadata.uid } },
    );
  }

  /** Waits until the session has this phase, and its condition Available has this status. */
  async becomes(phase: string, available: 'True' | 'False'): Promise<void> {
    await eventually(`session that is ${phase}`, async () => {
      const { status } = await this.session();
      const condition = readConditions(status).find(({ type }) => type === 'Available');
      const isThere = (status as { phase?: string } | undefined)?.phase === phase && condition?.status === available;
      return isThere ? true : undefined;
    });
  }

  podName(): Promise<string> {
    return this.session().then(({ metadata }) => sessionChildName(metadata));
  }

  async find(type: ResourceType, name: string): Promise<KubeObject | undefined> {
    try {
      return await this.read(type, name);
    } catch (error) {
      if (isApiError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  private read(type: ResourceType, name: string): Promise<KubeObject> {
    return this.api.get(type, { namespace: 'default', name });
  }

  private async create(object: DesiredObject): Promise<void> {
    const type = TYPES.get(object.kind);
    if (type === undefined) throw new Error(`the examples hold a ${object.kind}`);
    const metadata = { ...object.metadata, ...(type.namespaced && { namespace: 'default' }) };
    await this.api.create(type, { ...object, metadata }, WRITE);
  }

  private async patchStatus(type: ResourceType, name: string, status: JsonObject): Promise<void> {
    const options = { ...WRITE, subresource: 'status' } as const;
    await this.api.patch(type, { namespace: 'default', name }, { type: 'merge', patch: { status } }, options);
  }
}
