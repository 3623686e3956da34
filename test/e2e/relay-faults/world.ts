import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { installedRegistry } from '../../../cli/wiring.ts';
import { tokenFile } from '../../../lib/adapters/kubernetes/credentials/token-file.ts';
import { SecretContracts } from '../../../lib/controllers/secret-contract/kinds.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { kindId, type ResourceType } from '../../../lib/core/resource-type.ts';
import type { Registry } from '../../../lib/engine/registry.ts';
import type { RelayOptions } from '../../../lib/engine/relay/relay-options.ts';
import { certificateAuthority } from '../../adapters/kubernetes/certificates.ts';
import { connectEmulators, type StackPorts } from '../../support/emulators/emulated-stack.ts';
import { FaultProxy } from '../../support/fault-proxy.ts';
import { HttpFaultProxy, type ProxiedRequest, type Rule, type Upstream } from '../../support/http-fault-proxy.ts';
import { PatientClock } from '../../support/patient-clock.ts';
import { Contracts } from '../support/contracts.ts';
import { Deployment } from '../support/deployment.ts';
import { Edits } from '../support/edits.ts';
import { eventually } from '../support/eventually.ts';
import { createNamespace } from '../support/prepare-user-cluster.ts';
import type { TestCluster } from '../support/test-cluster.ts';
import { Journal } from './journal.ts';
import { RelayRun } from './relay-run.ts';
import { serverTime } from './server-time.ts';

/** A minute of the relay's takes three seconds, or longer when there is much to do. */
const SPEED = 20;

/** The shipped timings: whoever has little time for a pass only adds to what a busy machine has to do. */
const SETTINGS = { timings: {} };

/** A cluster whose server a test may do more to than its users could. */
export interface FaultTarget extends TestCluster {
  readonly upstream: Upstream;
  /** A token that the server takes for the relay's; any text where it knows no identities. */
  relayToken(): Promise<string>;
  /** Takes the permission to list and watch a kind from the relay. @returns gives it back. */
  forbid(type: ResourceType): Promise<() => Promise<void>>;
  /** Keeps the cluster as it is now. @returns restores it so, versions included. */
  snapshot(): Promise<() => Promise<void>>;
}

/**
 * What the tests of a relay in trouble work with. The relay under test reaches the API server through two proxies, one
 * that only knows bytes and one that knows HTTP, and the queue through another; everything else has a way of its own.
 * Its clock runs fast, so that its minutes are seconds, and yet waits for whatever a server has under way.
 */
export class World implements AsyncDisposable {
  readonly target: FaultTarget;
  readonly deployment: Deployment;
  readonly tcp: FaultProxy;
  readonly http: HttpFaultProxy;
  readonly queue: HttpFaultProxy;
  readonly authority = certificateAuthority();
  readonly clock: PatientClock;
  readonly journal: Journal;
  readonly registry: Registry;
  private readonly viaProxy: StackPorts;
  private readonly directory: string;
  private readonly runs: RelayRun[] = [];
  private namespaces = 0;

  private constructor(
    target: FaultTarget,
    deployment: Deployment,
    directory: string,
    open: { clock: PatientClock; certified: HttpFaultProxy; tcp: FaultProxy; queue: HttpFaultProxy },
  ) {
    this.target = target;
    this.deployment = deployment;
    this.directory = directory;
    this.clock = open.clock;
    this.http = open.certified;
    this.tcp = open.tcp;
    this.queue = open.queue;
    this.http.present(this.certificate());
    this.journal = new Journal(deployment.store);
    this.registry = installedRegistry(deployment.settings);
    const { queue, table, token } = deployment.stack;
    const proxied = { ...queue, endpoint: `http://127.0.0.1:${open.queue.port}` };
    this.viaProxy = connectEmulators({ queue: proxied, table, token });
  }

  static async open(target: FaultTarget): Promise<World> {
    const deployment = await Deployment.on(target, { settings: SETTINGS });
    deployment.start(['worker', 'wake', 'sweep']);
    const directory = await mkdtemp(join(tmpdir(), 'evenkeel-relay-'));
    const clock = new PatientClock({ speed: SPEED });
    const unused = certificateAuthority().issue('unused', ['127.0.0.1']);
    const certified = await HttpFaultProxy.before(target.upstream, unused, serverTime(clock));
    const tcp = await FaultProxy.before({ host: '127.0.0.1', port: certified.port });
    const queue = await HttpFaultProxy.before({ url: deployment.stack.queue.endpoint }, undefined, serverTime(clock));
    const world = new World(target, deployment, directory, { clock, certified, tcp, queue });
    await world.writeToken(await target.relayToken());
    return world;
  }

  get tokenPath(): string {
    return join(this.directory, 'token');
  }

  async writeToken(token: string): Promise<void> {
    await writeFile(this.tokenPath, token);
  }

  /** A new certificate of the authority that the relay trusts. */
  certificate() {
    return this.authority.issue('api-server', ['127.0.0.1']);
  }

  /** One of an authority that nobody trusts. */
  foreignCertificate() {
    return certificateAuthority('Another CA').issue('api-server', ['127.0.0.1']);
  }

  token(): Promise<string> {
    return readFile(this.tokenPath, 'utf8');
  }

  /** Starts a relay and waits until it has shown signs of life for each kind. */
  async relay(options: Partial<RelayOptions> = {}): Promise<RelayRun> {
    const run = this.startRelay(options);
    await run.watches(this.registry.watchedKinds().map(({ id }) => id));
    return run;
  }

  startRelay(options: Partial<RelayOptions> = {}): RelayRun {
    const { deployment, journal, registry, clock } = this;
    const run = new RelayRun({
      connection: {
        server: `https://127.0.0.1:${this.tcp.port}`,
        certificateAuthority: this.authority.certificate,
        token: tokenFile(this.tokenPath, clock),
      },
      cluster: deployment.settings.cluster,
      store: journal.watching(this.viaProxy.store),
      queues: journal.listeningTo(this.viaProxy.queues),
      registry,
      clock,
      options,
    });
    this.runs.push(run);
    return run;
  }

  /** A relay that watches, and four contracts that are right, each with a Secret that it has read. */
  async begin(options: Partial<RelayOptions> = {}): Promise<{ relay: RelayRun; edits: Edits }> {
    const relay = await this.relay(options);
    const edits = await this.edits();
    await edits.right();
    return { relay, edits };
  }

  /** Four contracts, in a namespace of their own, each with a Secret. */
  async edits(): Promise<Edits> {
    this.namespaces += 1;
    const namespace = `faults-${this.namespaces}`;
    await createNamespace(this.target.user, namespace);
    const hear = (kind: string, object: KubeObject, contract: KubeObject) =>
      this.journal.edited(kind, object, {
        cluster: this.deployment.settings.cluster,
        kind: kindId(SecretContracts),
        uid: contract.metadata.uid,
      });
    const edits = new Edits(new Contracts(this.target.user, namespace), hear);
    for (const name of ['one', 'two', 'three', 'four']) await edits.create(name);
    return edits;
  }

  /** Puts a rule in the way of the relay's requests for one kind, or for all. */
  interfere(rule: Rule): () => void {
    return this.http.interfere(rule);
  }

  /** Keeps a fault up for a minute of the relay's, which is when a pace shows. */
  async minute(): Promise<void> {
    await this.clock.sleep(60_000);
  }

  /** Waits until a rule has met another so many requests. */
  async met(times: number, proxy: HttpFaultProxy = this.http): Promise<void> {
    const wanted = proxy.interfered + times;
    await eventually(`${times} requests that met the fault`, async () =>
      proxy.interfered >= wanted ? true : undefined,
    );
  }

  /** At the end of a test: nothing was asked too often, and no checkpoint ran ahead. */
  async verify(): Promise<void> {
    const runs = [...this.runs];
    await this.calm();
    expect(this.journal.violations.splice(0)).toEqual([]);
    for (const run of runs) run.expectBounded();
  }

  /** Ends what a test began, also one that failed. */
  async calm(): Promise<void> {
    await this.tcp.heal();
    this.http.clear();
    this.queue.clear();
    await Promise.all(this.runs.splice(0).map((run) => run.stop()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.runs.map((run) => run.stop()));
    this.viaProxy.close();
    await this.deployment[Symbol.asyncDispose]();
    await this.tcp[Symbol.asyncDispose]();
    await this.http[Symbol.asyncDispose]();
    await this.queue[Symbol.asyncDispose]();
    await this.target[Symbol.asyncDispose]();
    this.clock[Symbol.dispose]();
    await rm(this.directory, { recursive: true, force: true });
  }
}

/** Lists and watches of one kind. */
export function of(type: ResourceType, more: (request: ProxiedRequest) => boolean = () => true) {
  const collection = new RegExp(`/${type.plural}$`);
  return (request: ProxiedRequest) => request.method === 'GET' && collection.test(request.path) && more(request);
}

/** A group of the suite's tests. */
export function area(title: string, tests: (world: () => World) => void): (world: () => World) => void {
  return (world) => describe(title, () => tests(world));
}
