import { MemoryFifoQueue } from '../../../lib/adapters/memory/memory-fifo-queue.ts';
import { MemoryStateStore } from '../../../lib/adapters/memory/memory-state-store.ts';
import type { Controller } from '../../../lib/core/controller.ts';
import type { InstallationScope } from '../../../lib/core/installation.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { type EdgeKey, listKey, objectKey } from '../../../lib/core/observation.ts';
import { settled } from '../../../lib/core/outcome.ts';
import { ConfigMaps, kindId, Leases, type ResourceType, Secrets } from '../../../lib/core/resource-type.ts';
import type { Target } from '../../../lib/core/target.ts';
import { EventSender, type GroupQueues, type Lane } from '../../../lib/engine/event-sender.ts';
import { Registry } from '../../../lib/engine/registry.ts';
import { Relay } from '../../../lib/engine/relay/relay.ts';
import type { RelayOptions } from '../../../lib/engine/relay/relay-options.ts';
import { RESTORE_COUNTER_ANNOTATION } from '../../../lib/engine/relay/restore-witness.ts';
import type { OutgoingMessage, SendResult } from '../../../lib/ports/queue.ts';
import type { StateStore } from '../../../lib/ports/state-store.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { RecordedMetrics, SilentLogger } from '../../../lib/testing/recorders.ts';
import { SeededEntropy } from '../../../lib/testing/seeded-entropy.ts';
import { TestCluster } from '../../support/test-cluster.ts';
import { type WireMessage, wireMessage } from '../../support/wire-message.ts';

export const CLUSTER = 'c1';

export const Widgets: ResourceType = {
  group: 'test.evenkeel.dev',
  version: 'v1',
  plural: 'widgets',
  kind: 'Widget',
  namespaced: true,
};
export const Gadgets: ResourceType = { ...Widgets, plural: 'gadgets', kind: 'Gadget' };
/** The namespaces that the tests write to. */
const NAMESPACES = 'evenkeel-system ns elsewhere other in out flood quiet a a-b ab b c'.split(' ');
export const WIDGETS = kindId(Widgets);
export const SECRETS = kindId(Secrets);
export const CONFIG_MAPS = kindId(ConfigMaps);
export const MANAGED = { 'app.kubernetes.io/managed-by': 'evenkeel' };

/** Widgets own ConfigMaps and read Secrets. */
export function widgets(parts: Partial<Controller> = {}): Controller {
  return {
    name: 'widget',
    group: 'widgets',
    type: Widgets,
    owns: [ConfigMaps],
    reads: [{ type: Secrets, mode: 'watch' }],
    version: '1',
    reconcile: async () => ({ outcome: settled() }),
    ...parts,
  };
}

/** A queue that the test can make refuse messages. The function decides by the body. */
class RefusingQueue extends MemoryFifoQueue {
  refuses: (event: WireMessage) => boolean = () => false;
  attempts = 0;
  /** The names of the targets of all messages that were sent, accepted or not. */
  readonly offered: string[] = [];

  override async send(messages: readonly OutgoingMessage[], signal?: AbortSignal): Promise<SendResult[]> {
    this.attempts += 1;
    const results: SendResult[] = [];
    for (const message of messages) {
      const event = wireMessage(message.body);
      this.offered.push(event.name);
      const isRefused = this.refuses(event);
      if (!isRefused) await super.send([message], signal);
      results.push(isRefused ? { accepted: false, error: new Error('refused') } : { accepted: true });
    }
    return results;
  }
}

export interface FixtureOptions {
  readonly controllers?: readonly Controller[];
  readonly scope?: InstallationScope;
  readonly relay?: Partial<RelayOptions>;
  /** The fixture of another deployment. This one uses the same cluster, with its own table and queues. */
  readonly on?: RelayFixture;
  readonly wrapStore?: (store: MemoryStateStore) => StateStore;
}

/** A relay, or several, on an embedded API server, a table and queues in memory, and a clock that the test moves. */
export class RelayFixture {
  readonly clock: ManualClock;
  readonly cluster: TestCluster;
  readonly memory: MemoryStateStore;
  readonly store: StateStore;
  readonly registry: Registry;
  readonly logger = new SilentLogger();
  readonly metrics = new RecordedMetrics();
  readonly queues: Readonly<Record<Lane, RefusingQueue>>;
  readonly sender: EventSender;
  private readonly options: FixtureOptions;
  private readonly running: { stop: AbortController; done: Promise<void> }[] = [];
  private readonly taken = { events: 0, resync: 0 };

  constructor(options: FixtureOptions = {}) {
    this.options = options;
    this.clock = options.on?.clock ?? new ManualClock();
    this.cluster =
      options.on?.cluster ?? new TestCluster(this.clock, { kinds: [Widgets, Gadgets], namespaces: NAMESPACES });
    const { clock } = this;
    this.memory = new MemoryStateStore({ clock, pageSize: 3 });
    this.store = options.wrapStore?.(this.memory) ?? this.memory;
    this.registry = new Registry(options.controllers ?? [widgets()]);
    this.queues = { events: new RefusingQueue({ clock }), resync: new RefusingQueue({ clock }) };
    const queues = Object.fromEntries(this.registry.groups().map((group) => [group, this.queues as GroupQueues]));
    this.sender = new EventSender(this.registry, queues, new SeededEntropy(3, 'dedup'));
  }

  /** Starts a relay and lets it settle. */
  async start(name = 'relay', changes: { store?: StateStore } = {}): Promise<{ stop(): Promise<void> }> {
    const { cluster, clock, sender, registry, logger, metrics } = this;
    const relay = new Relay({
      cluster: CLUSTER,
      api: cluster,
      store: changes.store ?? this.store,
      sender,
      registry,
      scope: this.options.scope ?? {},
      clock,
      entropy: new SeededEntropy(1, name),
      logger,
      metrics,
      options: { pageSize: 3, ...this.options.relay },
    });
    const stop = new AbortController();
    const started = { stop, done: relay.run(stop.signal) };
    this.running.push(started);
    await clock.advance(0);
    return {
      stop: async () => {
        stop.abort();
        await started.done;
      },
    };
  }

  async stopAll(): Promise<void> {
    for (const { stop } of this.running) stop.abort();
    await Promise.all(this.running.map(({ done }) => done));
  }

  /** The events that were sent to a lane since the last call. */
  sent(lane: Lane): WireMessage[] {
    const messages = this.queues[lane].messages();
    const events = messages.slice(this.taken[lane]).map(({ body }) => wireMessage(body));
    this.taken[lane] = messages.length;
    return events;
  }

  /** The same, each as a short line: `updated widgets/a@5`, `dep widgets/a <- secrets/s@7`. */
  lines(lane: Lane): string[] {
    return this.sent(lane).map(line);
  }

  /** Writes the item of a target, like a pass. */
  async knows(known: Target): Promise<void> {
    const nowMs = this.clock.now();
    const lease = { owner: 'w', attempt: '1', nowMs, leaseUntilMs: nowMs - 1, latestUntilMs: nowMs + 34_000 };
    await this.memory.acquire({ target: known, ownAddress: true, ...lease });
  }

  /** Writes an edge, like a pass of `reader`. */
  async edge(reader: Target, key: EdgeKey): Promise<void> {
    await this.memory.putEdge({ cluster: CLUSTER, key, reader, epoch: 1 });
  }

  async readsObject(reader: Target, type: ResourceType, namespace: string, name: string): Promise<void> {
    await this.edge(reader, objectKey(kindId(type), { namespace, name }));
  }

  async lists(reader: Target, type: ResourceType, namespace: string): Promise<void> {
    await this.edge(reader, listKey(kindId(type), namespace));
  }

  async checkpoint(stream = WIDGETS): Promise<string | undefined> {
    const checkpoint = await this.memory.readCheckpoint(CLUSTER, stream);
    return checkpoint === undefined ? undefined : `${checkpoint.incarnation}:${checkpoint.resourceVersion}`;
  }

  /** The restore counter in the cluster. */
  get counter(): string | undefined {
    const lease = this.cluster.read(Leases, { namespace: 'evenkeel-system', name: 'evenkeel-relay' });
    return lease?.metadata.annotations?.[RESTORE_COUNTER_ANNOTATION];
  }
}

export function target(uid: string, name = uid, namespace = 'ns'): Target {
  return { cluster: CLUSTER, kind: WIDGETS, uid, namespace, name };
}

/** The owner reference of a Widget's child. */
export function ownedBy(uid: string, name: string) {
  return [{ apiVersion: 'test.evenkeel.dev/v1', kind: 'Widget', name, uid, controller: true }];
}

export function targetOf({ metadata }: KubeObject): Target {
  return target(metadata.uid, metadata.name, metadata.namespace ?? '');
}

export function line(event: WireMessage): string {
  const { changed } = event;
  const itself = `${event.namespace}/${event.name}`;
  if (changed === undefined) {
    return `${event.cause}${event.unselected === true ? ' unselected' : ''} ${itself}@${event.resourceVersion ?? ''}`;
  }
  const version = changed.absentAt === undefined ? (changed.resourceVersion ?? '') : `absent at ${changed.absentAt}`;
  return `${event.cause} ${itself} <- ${changed.kind}/${changed.namespace}/${changed.name}@${version}${changed.deleted === true ? ' deleted' : ''}`;
}
