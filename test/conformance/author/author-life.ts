import { DnsStandIn } from '../../../examples/website/dns.ts';
import { website } from '../../../examples/website/website.ts';
import type { Transport } from '../../../lib/adapters/kubernetes/transport.ts';
import { SystemClock } from '../../../lib/adapters/system/system-clock.ts';
import { readConditions } from '../../../lib/core/conditions.ts';
import type { Controller } from '../../../lib/core/controller.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../../lib/core/kube-object.ts';
import { Events, Leases } from '../../../lib/core/resource-type.ts';
import { isSameCluster } from '../../../lib/deployment/kubernetes/same-cluster.ts';
import { claimDeployment, releaseDeployment } from '../../../lib/engine/deployment-lease/claim-deployment.ts';
import { ConfigMaps, Deployments, type ResourceType, Services } from '../../../lib/index.ts';
import { type ClusterApi, isApiError } from '../../../lib/ports/cluster-api.ts';
import { World } from '../../../lib/testing/world.ts';
import { Shelves, shelf } from './shelves.ts';

/** What was seen in one life of an object: each is true when all permissions are there. */
export type Facts = Readonly<Record<string, boolean>>;
/** Lives one object from its creation to its end. @param name of the object; no other life may use it. */
export type Live = (transport: Transport, user: ClusterApi, name: string) => Promise<Facts>;

const WRITE = { fieldManager: 'test' };
const NAMESPACE = 'default';

/** One object of a controller that runs with the permissions of its account, and its user. */
class Life {
  readonly #world: World;
  readonly #user: ClusterApi;
  readonly #type: ResourceType;
  readonly #at: { readonly namespace: string; readonly name: string };
  readonly #group: string;

  constructor(controller: Controller, transport: Transport, user: ClusterApi, name: string) {
    this.#world = new World({ controllers: [controller], wrapTransport: () => transport });
    this.#user = user;
    this.#type = controller.type;
    this.#group = controller.group;
    this.#at = { namespace: NAMESPACE, name };
  }

  async create(spec: JsonObject): Promise<void> {
    const { group, version, kind } = this.#type;
    const body = { apiVersion: `${group}/${version}`, kind, metadata: this.#at, spec };
    await this.#user.create(this.#type, body, WRITE);
    await this.pass();
  }

  /** Runs a pass in a process of its own. Without the object it does nothing. */
  async pass(): Promise<void> {
    const object = await this.find(this.#type);
    if (object === undefined) return;
    await this.#world.worker().handle(this.#world.event(this.#type, object, { cause: 'requested' }));
  }

  /** The object of this kind and of the name of this life. */
  async find(type: ResourceType = this.#type): Promise<KubeObject | undefined> {
    try {
      return await this.#user.get(type, this.#at);
    } catch (error) {
      if (isApiError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  /** Changes an object as a person would. One that is not there stays absent. */
  async edit(type: ResourceType, patch: JsonValue, subresource?: 'status'): Promise<void> {
    if ((await this.find(type)) === undefined) return;
    const options = { ...WRITE, ...(subresource !== undefined && { subresource }) };
    await this.#user.patch(type, this.#at, { type: 'merge', patch }, options);
  }

  async delete(): Promise<void> {
    const object = await this.find();
    if (object === undefined) return;
    await this.#user.delete(this.#type, this.#at, { preconditions: { uid: object.metadata.uid } });
    await this.pass();
  }

  async ready(): Promise<string> {
    const object = await this.find();
    const ready = readConditions(object?.status).find(({ type }) => type === 'Ready');
    return `${ready?.status} ${ready?.reason}`;
  }

  /** How often each Event about the object was counted. */
  async eventCounts(): Promise<number[]> {
    const { items } = await this.#user.list(Events, { namespace: NAMESPACE });
    const own = items as readonly (KubeObject & { regarding?: { name?: string }; series?: { count?: number } })[];
    return own.filter(({ regarding }) => regarding?.name === this.#at.name).map(({ series }) => series?.count ?? 1);
  }

  /** Whether the account can read which cluster this is. */
  async knowsCluster(): Promise<boolean> {
    return (await isSameCluster(this.#world.api, this.#user)) === true;
  }

  /** Whether the account can take the Lease of its group, see that it has it, and free it. */
  async holdsLease(): Promise<boolean> {
    const [api, group, clock] = [this.#world.api, this.#group, new SystemClock()];
    const options = { api, cluster: 'test', group, deployment: this.#at.name, namespace: 'evenkeel-system', clock };
    try {
      await claimDeployment(options);
      await releaseDeployment(options);
      return true;
    } catch (error) {
      if (isApiError(error)) return false;
      throw error;
    } finally {
      const name = { namespace: 'evenkeel-system', name: `evenkeel-${group}` };
      const lease = await this.#user.get(Leases, name).catch(() => undefined);
      if (lease !== undefined) await this.#user.delete(Leases, name, { preconditions: { uid: lease.metadata.uid } });
    }
  }
}

const replicas = (ready: number) => ({
  status: { replicas: 2, updatedReplicas: ready, readyReplicas: ready, availableReplicas: ready },
});

/** A Website: created, edited by others, ready twice, and deleted. */
export const liveWebsite: Live = async (transport, user, name) => {
  const dns = new DnsStandIn();
  const life = new Life(website(dns), transport, user, name);
  const pages = async () => ((await life.find(ConfigMaps))?.data as JsonObject | undefined)?.['index.html'];
  const selector = async () => (await life.find(Services))?.spec as { selector?: JsonObject } | undefined;
  const size = async () => ((await life.find(Deployments))?.spec as { replicas?: number } | undefined)?.replicas;
  const knowsCluster = await life.knowsCluster();
  const holdsLease = await life.holdsLease();
  await life.create({ host: `${name}.example.com`, html: 'open', passwordSecret: 'password' });
  const created = {
    'knows its cluster': knowsCluster,
    'holds its Lease': holdsLease,
    'has its finalizer': ((await life.find())?.metadata.finalizers ?? []).length === 1,
    'serves its pages': (await pages()) === 'open',
    'has its Service': (await selector()) !== undefined,
    'has its Deployment': (await size()) === 2,
  };
  await life.edit(ConfigMaps, { data: { 'index.html': 'closed' } });
  await life.edit(Services, { spec: { selector: { website: 'other' } } });
  await life.edit(Deployments, { spec: { replicas: 7 } });
  await life.pass();
  const repaired = {
    'repairs its pages': (await pages()) === 'open',
    'repairs its Service': (await selector())?.selector?.website === name,
    'repairs its Deployment': (await size()) === 2,
  };
  let isReady = true;
  for (const ready of [2, 0, 2, 0, 2]) {
    await life.edit(Deployments, replicas(ready), 'status');
    await life.pass();
    if (ready === 2) isReady &&= (await life.ready()).startsWith('True');
  }
  const counts = await life.eventCounts();
  await life.delete();
  const left = [
    await life.find(),
    await life.find(ConfigMaps),
    await life.find(Services),
    await life.find(Deployments),
  ];
  return {
    ...created,
    ...repaired,
    'shows that it is ready': isReady,
    'records an Event': counts.length > 0,
    'counts a repeated Event': counts.some((count) => count > 1),
    'is removed with its DNS record': left[0] === undefined && dns.records.size === 0,
    'leaves no ConfigMap': left[1] === undefined,
    'leaves no Service': left[2] === undefined,
    'leaves no Deployment': left[3] === undefined,
  };
};

/** A Shelf: created, edited by others, closed twice, and emptied. */
export const liveShelf: Live = async (transport, user, name) => {
  const life = new Life(shelf, transport, user, name);
  const title = async () => ((await life.find(ConfigMaps))?.data as JsonObject | undefined)?.title;
  const knowsCluster = await life.knowsCluster();
  const holdsLease = await life.holdsLease();
  await life.create({ title: 'maps' });
  const isMade = (await title()) === 'maps';
  await life.edit(ConfigMaps, { data: { title: 'other' } });
  await life.pass();
  const isRepaired = (await title()) === 'maps';
  const status = (await life.find())?.status as { phase?: string; secrets?: number } | undefined;
  for (const isOpen of [false, true, false, true]) {
    await life.edit(Shelves, { spec: { isOpen } });
    await life.pass();
  }
  const counts = await life.eventCounts();
  await life.edit(Shelves, { spec: { isEmpty: true } });
  await life.pass();
  return {
    'knows its cluster': knowsCluster,
    'holds its Lease': holdsLease,
    'has its ConfigMap': isMade,
    'repairs its ConfigMap': isRepaired,
    'shows what it lists': status?.phase === 'slow' && status.secrets === 1,
    'records an Event': counts.length > 0,
    'counts a repeated Event': counts.some((count) => count > 1),
    'removes its ConfigMap': (await life.find(ConfigMaps)) === undefined,
  };
};
