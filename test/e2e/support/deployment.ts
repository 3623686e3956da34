import { installedRegistry } from '../../../cli/wiring.ts';
import { type ConnectedCluster, connectCluster } from '../../../lib/adapters/kubernetes/connect-cluster.ts';
import { SystemClock } from '../../../lib/adapters/system/system-clock.ts';
import { SystemEntropy } from '../../../lib/adapters/system/system-entropy.ts';
import type { SkinnyEvent } from '../../../lib/core/event.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { kindId, type ResourceType } from '../../../lib/core/resource-type.ts';
import { claimGroups } from '../../../lib/deployment/installation/deployment.ts';
import { createInstallation, type Installation } from '../../../lib/deployment/installation/installation.ts';
import type { PartName } from '../../../lib/deployment/installation/part.ts';
import { runParts } from '../../../lib/deployment/installation/parts.ts';
import { type Settings, settingsSchema } from '../../../lib/deployment/settings/settings-schema.ts';
import type { DeploymentTimings } from '../../../lib/engine/deployment-lease/deployment-timings.ts';
import type { PassReport } from '../../../lib/engine/pass/pass-report.ts';
import type { Clock } from '../../../lib/ports/clock.ts';
import type { StateStore } from '../../../lib/ports/state-store.ts';
import { RecordedMetrics, SilentLogger } from '../../../lib/testing/recorders.ts';
import {
  connectEmulators,
  type EmulatedStack,
  type StackPorts,
  startEmulatedStack,
} from '../../support/emulators/emulated-stack.ts';
import type { Identity, TestCluster } from './test-cluster.ts';

/** The timers of objects are off, because they would hide a lost wakeup. Leases are short, so takeovers come soon. */
const SETTINGS = {
  intervals: { sweep: '1s', resync: '300ms', targetResync: 'off' },
  timings: {
    passLimit: '4s',
    lease: '6s',
    grace: '500ms',
    visibility: '12s',
    clockSkew: '200ms',
    mutationMargin: '500ms',
  },
  relay: { lease: '2s' },
  rateLimit: { burst: 1_000 },
};

/** Every part except resync, which would hide a lost wakeup. */
export const USUAL_PARTS: readonly PartName[] = ['relay', 'worker', 'wake', 'sweep'];

const IDENTITIES: Readonly<Record<PartName, Identity>> = {
  relay: 'relay',
  resync: 'relay',
  worker: 'secret-contract',
  // These two parts send no request to the cluster.
  wake: 'secret-contract',
  sweep: 'secret-contract',
};

/** The key is needed only when mutation is allowed. In a test it is no secret. */
const DIGEST_KEY = 'a key that only tests know';

const DEFAULT_NAME = 'under-test';

export interface DeploymentOptions {
  /** Settings that replace those above. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The name among several deployments that compete for the cluster. */
  readonly name?: string;
  /** The times of a handover between two deployments. */
  readonly timings?: DeploymentTimings;
}

interface Running {
  readonly abort: AbortController;
  readonly done: Promise<unknown>;
}

/**
 * The whole of evenkeel in this process, structured as in the cloud: queue and table are emulated and reached over
 * HTTP, and each part connects with its own identity. The parts start and stop; queue and table stay.
 */
export class Deployment implements AsyncDisposable {
  /** The key with which this deployment compares content. */
  static readonly digestKey = DIGEST_KEY;
  readonly settings: Settings;
  readonly reports: PassReport[] = [];
  readonly logger = new SilentLogger();
  readonly metrics = new RecordedMetrics();
  readonly store: StateStore;
  private readonly name: string;
  private readonly timings: DeploymentTimings | undefined;
  readonly stack: EmulatedStack;
  readonly ports: StackPorts;
  private readonly connected: Readonly<Record<Identity, ConnectedCluster>>;
  private readonly waiting = new Set<() => void>();
  /** The deployment that drives the cluster instead of this one. */
  replacedBy: string | undefined;
  private running: Running | undefined;
  private requests = 0;

  private constructor(
    { name = DEFAULT_NAME, timings }: DeploymentOptions,
    settings: Settings,
    stack: EmulatedStack,
    connected: Readonly<Record<Identity, ConnectedCluster>>,
  ) {
    this.name = name;
    this.timings = timings;
    this.settings = settings;
    this.stack = stack;
    this.ports = connectEmulators(stack);
    this.store = this.ports.store;
    this.connected = connected;
  }

  /** Creates the deployment; no part runs before `start`. */
  static async on(cluster: TestCluster, options: DeploymentOptions = {}): Promise<Deployment> {
    const { name = DEFAULT_NAME } = options;
    const settings = settingsSchema.parse({ ...SETTINGS, ...options.settings });
    const groups = installedRegistry(settings, { secrets: { 'digest-key': DIGEST_KEY } }).groups();
    const stack = await startEmulatedStack({ groups, visibilityMs: settings.timings.visibilityMs });
    const clock = new SystemClock();
    const connect = async (identity: Identity) => {
      const connection = await cluster.connection(identity);
      return connectCluster({ connection, userAgent: `evenkeel/test ${name}`, clock });
    };
    const connected = { relay: await connect('relay'), 'secret-contract': await connect('secret-contract') };
    return new Deployment(options, settings, stack, connected);
  }

  get isRunning(): boolean {
    return this.running !== undefined;
  }

  /** Starts the parts as new processes would: with new owners and without memory. */
  start(parts: readonly PartName[] = USUAL_PARTS, clock: Clock = new SystemClock()): void {
    if (this.running !== undefined) throw new Error('the deployment runs already');
    const abort = new AbortController();
    const byIdentity = Map.groupBy(parts, (part) => IDENTITIES[part]);
    const done = [...byIdentity].map(([identity, own]) =>
      runParts(this.installation(identity, clock), own, abort.signal),
    );
    this.running = { abort, done: Promise.all(done) };
  }

  /**
   * Makes this deployment the one that drives the cluster, like the start of `evenkeel start`. @returns when its passes
   * may begin.
   * @throws DeploymentConflictError when another deployment drives it.
   */
  async claim(takeOver = false): Promise<number> {
    const installation = this.installation('secret-contract', new SystemClock());
    const { clock } = installation;
    return (await claimGroups(installation, takeOver)).readyAtMonotonicMs - clock.monotonic() + clock.now();
  }

  /** Stops all parts. They finish the work that they have begun. */
  async stop(): Promise<void> {
    this.running?.abort.abort();
    await this.running?.done;
    this.running = undefined;
  }

  /** The first matching report, past or future. */
  async reported(matches: (report: PassReport) => boolean): Promise<PassReport> {
    for (;;) {
      const found = this.reports.find(matches);
      if (found !== undefined) return found;
      await this.nextReport();
    }
  }

  /** Requests a pass and waits until a requested pass has ended. */
  async pass(type: ResourceType, object: KubeObject): Promise<PassReport> {
    const from = this.reports.length;
    const { namespace = '', name, uid } = object.metadata;
    this.requests += 1;
    const event: SkinnyEvent = {
      v: 1,
      cluster: this.settings.cluster,
      incarnation: (await this.store.readCluster(this.settings.cluster)).incarnation,
      kind: kindId(type),
      namespace,
      name,
      uid,
      cause: 'requested',
      at: this.requests,
    };
    await this.installation('secret-contract', new SystemClock()).sender.sendAll('events', [event]);
    for (;;) {
      const ended = this.reports.slice(from).find(({ target, cause }) => target.uid === uid && cause === 'requested');
      if (ended !== undefined) return ended;
      await this.nextReport();
    }
  }

  /** The reports about one object, in order. */
  about({ metadata }: Pick<KubeObject, 'metadata'>): PassReport[] {
    return this.reports.filter(({ target }) => target.uid === metadata.uid);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await Promise.all(Object.values(this.connected).map((connected) => connected.close()));
    this.ports.close();
    await this.stack.close();
  }

  private installation(identity: Identity, clock: Clock): Installation {
    const entropy = new SystemEntropy();
    const { store, queues, wakes } = this.ports;
    const { logger, metrics, settings } = this;
    const api = this.connected[identity].api;
    return createInstallation(
      { store, queues, wakes, api, clock, entropy, logger, metrics },
      {
        settings,
        registry: installedRegistry(settings, { secrets: { 'digest-key': DIGEST_KEY } }),
        owner: `${this.name}-${identity}-${entropy.id()}`,
        deployment: this.name,
        ...(this.timings && { deploymentTimings: this.timings }),
        onReplaced: ({ holder }) => {
          this.replacedBy = holder;
        },
        onPass: (report) => {
          this.reports.push(report);
          for (const resolve of this.waiting) resolve();
          this.waiting.clear();
        },
      },
    );
  }

  private nextReport(): Promise<void> {
    return new Promise((resolve) => this.waiting.add(resolve));
  }
}
