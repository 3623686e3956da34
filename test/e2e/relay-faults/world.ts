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

/** A minute of the relay's time takes three real seconds, or longer on a busy machine. */
const SPEED = 20;

/** The shipped timings. Shorter ones would only give a busy machine more to do. */
const SETTINGS = { timings: {} };

/** A cluster to whose server a test may do more than users could. */
export interface FaultTarget extends TestCluster {
  readonly upstream: Upstream;
  /** A token that authenticates the relay; any text where the server knows no identities. */
  relayToken(): Promise<string>;
  /** Removes the relay's permission to list and watch a kind. @returns a function that restores it. */
  forbid(type: ResourceType): Promise<() => Promise<void>>;
  /** Saves the state of the cluster. @returns a function that restores it, with its versions. */
  snapshot(): Promise<() => Promise<void>>;
}

/**
 * The test environment for relay faults. The relay under test reaches the API server through two proxies, one for bytes
 * and one for HTTP, and the queue through a third. All other parts connect directly. The relay's clock runs fast, so
 * that its minutes are seconds, but it waits while a server handles a request.
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

  /** A certificate of an authority that nobody trusts. */
  foreignCertificate() {
    return certificateAuthority('Another CA').issue('api-server', ['127.0.0.1']);
  }

  token(): Promise<string> {
    return readFile(this.tokenPath, 'utf8');
  }

  /** Starts a relay and waits until it has received something of each kind. */
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

  /** A relay that watches, and four correct contracts, each of which has read its Secret. */
  async begin(options: Partial<RelayOptions> = {}): Promise<{ relay: RelayRun; edits: Edits }> {
    const relay = await this.relay(options);
    const edits = await this.edits();
    await edits.right();
    return { relay, edits };
  }

  /** Four contracts in a new namespace, each with a Secret. */
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

  /** Applies a rule to the relay's requests for one kind, or for all. */
  interfere(rule: Rule): () => void {
    return this.http.interfere(rule);
  }

  /** Keeps a fault for a minute of the relay's time, which is long enough to measure the rate of requests. */
  async minute(): Promise<void> {
    await this.clock.sleep(60_000);
  }

  /** Waits until a rule has matched this many more requests. */
  async met(times: number, proxy: HttpFaultProxy = this.http): Promise<void> {
    const wanted = proxy.interfered + times;
    await eventually(`${times} requests that met the fault`, async () =>
      proxy.interfered >= wanted ? true : undefined,
    );
  }

  /** At the end of a test: the rate of requests stayed within its limit, and no checkpoint was too early. */
  async verify(): Promise<void> {
    const runs = [...this.runs];
    await this.calm();
    expect(this.journal.violations.splice(0)).toEqual([]);
    for (const run of runs) run.expectBounded();
  }

  /** Ends everything that a test began, also after a failure. */
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
