import { DnsStandIn } from '../../../examples/website/dns.ts';
import { website } from '../../../examples/website/website.ts';
import { KubernetesClusterApi } from '../../../lib/adapters/kubernetes/kubernetes-cluster-api.ts';
import type { Transport } from '../../../lib/adapters/kubernetes/transport.ts';
import type { Controller } from '../../../lib/core/controller.ts';
import { changedObjectOf, type SkinnyEvent } from '../../../lib/core/event.ts';
import type { JsonObject } from '../../../lib/core/kube-object.ts';
import { type KindId, kindId, type ResourceType } from '../../../lib/core/resource-type.ts';
import { ConfigMaps, Deployments, Secrets, Services } from '../../../lib/index.ts';
import type { ClusterApi } from '../../../lib/ports/cluster-api.ts';
import { World } from '../../../lib/testing/world.ts';
import { eventually } from '../../e2e/support/eventually.ts';
import { StorageClasses, shelf } from './shelves.ts';

const NAMESPACE = 'default';
const WRITE = { fieldManager: 'test' };

/** A controller, the spec of one of its objects, and the other objects that this object depends on. */
interface Watched {
  readonly controller: Controller;
  readonly spec: JsonObject;
  readonly owned: readonly ResourceType[];
  readonly read: readonly (readonly [ResourceType, string])[];
}

const WATCHED: Readonly<Record<'website' | 'shelf', Watched>> = {
  website: {
    controller: website(new DnsStandIn()),
    spec: { host: 'watched.example.com', html: 'open', passwordSecret: 'password' },
    owned: [ConfigMaps, Services, Deployments],
    read: [[Secrets, 'password']],
  },
  shelf: {
    controller: shelf,
    spec: { title: 'maps' },
    owned: [ConfigMaps],
    read: [
      [Secrets, 'password'],
      [StorageClasses, 'slow'],
    ],
  },
};

export interface Watching {
  /** Connections with the accounts of the group and of the relay. */
  readonly group: Transport;
  readonly relay: Transport;
  readonly user: ClusterApi;
  /** The name of the watched object. No other may have it. */
  readonly name: string;
  /** Whether to stop although a kind has not been heard of. */
  readonly isOver: (heard: ReadonlySet<KindId>) => Promise<boolean>;
}

/** All kinds of which a change starts a pass of the group. */
export function watchedKinds(account: 'website' | 'shelf'): KindId[] {
  const { controller, owned, read } = WATCHED[account];
  return [controller.type, ...owned, ...read.map(([type]) => type)].map(kindId);
}

/**
 * Runs a relay with the permissions of its account, while a user edits one object of each kind again and again.
 * @returns the kinds of which an event arrived.
 */
export async function watchChanges(account: 'website' | 'shelf', watching: Watching): Promise<ReadonlySet<KindId>> {
  const { group, relay, user, name, isOver } = watching;
  const { controller, spec, owned, read } = WATCHED[account];
  const { type } = controller;
  const world = new World({ controllers: [controller], wrapTransport: () => group });
  const at = { namespace: NAMESPACE, name };
  const body = { apiVersion: `${type.group}/${type.version}`, kind: type.kind, metadata: at, spec };
  const object = await user.create(type, body, WRITE);
  await world.worker().handle(world.event(type, object, { cause: 'requested' }));

  const api = new KubernetesClusterApi({ transport: relay, clock: world.clock, userAgent: 'evenkeel' });
  const stop = new AbortController();
  const running = world.relay({}, { api }).run(stop.signal);
  const heard = new Set<KindId>();
  let round = 0;
  await eventually(`end of the watch of ${name}`, async () => {
    round += 1;
    const patch = { metadata: { annotations: { round: String(round) } } };
    for (const edited of [type, ...owned]) await user.patch(edited, at, { type: 'merge', patch }, WRITE);
    for (const [edited, found] of read) {
      const address = { namespace: edited.namespaced ? NAMESPACE : '', name: found };
      await user.patch(edited, address, { type: 'merge', patch }, WRITE);
    }
    await world.clock.advance(500);
    for (const kind of await receive(world, controller.group)) heard.add(kind);
    return (await isOver(heard)) || undefined;
  });
  stop.abort();
  await running;
  return heard;
}

/** Takes all messages. @returns the kinds of the changed objects. */
async function receive(world: World, group: string): Promise<KindId[]> {
  const queue = world.queue(group);
  const messages = await queue.receive({ maxMessages: 10, waitSeconds: 0, visibilitySeconds: 60 });
  await queue.delete(messages.map(({ receiptHandle }) => receiptHandle));
  const events = messages.map(({ body }) => JSON.parse(body) as SkinnyEvent);
  return events.map((event) => changedObjectOf(event)?.kind ?? event.kind);
}
