import { expect } from 'vitest';
import type { ClusterConnection } from '../../../lib/adapters/kubernetes/connection/cluster-connection.ts';
import { HttpTransport } from '../../../lib/adapters/kubernetes/http-transport.ts';
import { KubernetesClusterApi } from '../../../lib/adapters/kubernetes/kubernetes-cluster-api.ts';
import { SystemEntropy } from '../../../lib/adapters/system/system-entropy.ts';
import type { KindId } from '../../../lib/core/resource-type.ts';
import type { InstalledQueues } from '../../../lib/deployment/installation/installation.ts';
import { EventSender } from '../../../lib/engine/event-sender.ts';
import type { Registry } from '../../../lib/engine/registry.ts';
import type { EndReason } from '../../../lib/engine/relay/connection-end.ts';
import type { RelayOptions } from '../../../lib/engine/relay/relay-options.ts';
import { createRelay } from '../../../lib/engine/runtime/relay.ts';
import type { Clock } from '../../../lib/ports/clock.ts';
import type { StateStore } from '../../../lib/ports/state-store.ts';
import { RecordedMetrics, SilentLogger } from '../../../lib/testing/recorders.ts';
import { eventually } from '../support/eventually.ts';
import { RequestPace } from './request-pace.ts';

/**
 * The shipped options, in the relay's time. The length of a watch is different, because the server counts it in real
 * seconds: it ends each watch after two or three of them, which are up to a minute of the relay's time.
 */
const OPTIONS: Partial<RelayOptions> = {
  // In the relay's time, so that it does not lose the lease on a busy machine.
  leaseMs: 120_000,
  watchSeconds: { min: 2, max: 3 },
  idleMs: 80_000,
  healthyMs: 15_000,
};

/** Three seconds of real time in which no server is handling the request. */
const REQUEST_TIMEOUT_MS = 60_000;

/**
 * The promise of lib/engine/relay/connection-end.ts: 15 attempts of at most three requests in the first minute of a
 * failure, for each stream of three kinds. Without a failure, each stream connects once a minute.
 */
const MOST_A_MINUTE = 3 * 15 * 3;

export interface RelayRunOptions {
  readonly connection: ClusterConnection;
  readonly cluster: string;
  readonly store: StateStore;
  readonly queues: InstalledQueues;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly options: Partial<RelayOptions>;
}

/** One relay, like a process would run it, with its metrics and requests. */
export class RelayRun {
  readonly metrics = new RecordedMetrics();
  readonly logger = new SilentLogger();
  readonly pace: RequestPace;
  private readonly transport: HttpTransport;
  private readonly abort = new AbortController();
  private readonly done: Promise<void>;
  /** True when the process was killed: operations that it has begun never finish. */
  private dead = false;

  constructor({ connection, cluster, store, queues, registry, clock, options }: RelayRunOptions) {
    this.pace = new RequestPace(clock);
    this.transport = new HttpTransport({ connection });
    const api = new KubernetesClusterApi({
      transport: this.pace.counted(this.transport),
      clock,
      userAgent: 'evenkeel/test relay',
      requestTimeoutMs: REQUEST_TIMEOUT_MS,
    });
    const entropy = new SystemEntropy();
    const ports = {
      api: this.mortal(api),
      store: this.mortal(store),
      sender: this.mortal(new EventSender(registry, queues, entropy)),
      clock,
      entropy,
      logger: this.logger,
      metrics: this.metrics,
    };
    const relay = createRelay(ports, registry, { cluster, scope: {}, relay: { ...OPTIONS, ...options } });
    this.done = relay.run(this.abort.signal);
  }

  /** Waits until the relay has received a list, an event or a bookmark of each kind. */
  async watches(kinds: readonly KindId[]): Promise<void> {
    await eventually(`signs of life of ${kinds.join(', ')}`, async () =>
      kinds.every((Kind) => this.metrics.total('RelayHeartbeat', { Kind }) > 0) ? true : undefined,
    );
  }

  /** Waits until connections have ended this often for one of these reasons, counted from now. */
  async ends(reasons: EndReason | readonly EndReason[], times = 1, kind?: KindId): Promise<void> {
    const wanted = this.endings(reasons, kind) + times;
    await eventually(`${times} connections that ended with ${reasons}`, async () =>
      this.endings(reasons, kind) >= wanted ? true : undefined,
    );
  }

  endings(reasons: EndReason | readonly EndReason[], kind?: KindId): number {
    const ofKind = kind === undefined ? {} : { Kind: kind };
    return [reasons]
      .flat()
      .reduce((sum, Reason) => sum + this.metrics.total('RelayReconnect', { Reason, ...ofKind }), 0);
  }

  async stop(): Promise<void> {
    this.abort.abort();
    if (!this.dead) await this.done;
    await this.transport.close();
  }

  /** Ends it at once; it cannot release anything. */
  async kill(): Promise<void> {
    this.dead = true;
    await this.transport.close();
  }

  expectBounded(): void {
    expect(this.pace.busiestMinute()).toBeLessThanOrEqual(MOST_A_MINUTE);
  }

  private mortal<T extends object>(port: T): T {
    return new Proxy(port, {
      get: (target, property) => {
        const value: unknown = Reflect.get(target, property);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => (this.dead ? new Promise(() => {}) : value.apply(target, args));
      },
    });
  }
}
