import { resolve } from 'node:path';
import { connectCluster } from '../lib/adapters/kubernetes/connect-cluster.ts';
import { ReadOnlyTransport } from '../lib/adapters/kubernetes/read-only-transport.ts';
import type { Transport } from '../lib/adapters/kubernetes/transport.ts';
import { ConnectionGuard } from '../lib/adapters/system/connection-guard.ts';
import { StderrConsole } from '../lib/adapters/system/stderr-console.ts';
import type { ObjectName } from '../lib/core/kube-object.ts';
import { kindId, type ResourceType } from '../lib/core/resource-type.ts';
import type { Target } from '../lib/core/target.ts';
import { type OwnControllers, ownControllers } from '../lib/deployment/author/own-controllers.ts';
import { connectGroups } from '../lib/deployment/groups/connect-groups.ts';
import { type InstalledGroup, installedGroups } from '../lib/deployment/groups/installed-groups.ts';
import { installedRegistry } from '../lib/deployment/installation/installed-registry.ts';
import type { ClusterPlace } from '../lib/deployment/kubernetes/cluster-unusable.ts';
import { bundledDefinitions } from '../lib/deployment/package/manifests.ts';
import { packageVersion } from '../lib/deployment/package/package-root.ts';
import { settingsOf } from '../lib/deployment/settings/load-settings.ts';
import type { Settings } from '../lib/deployment/settings/settings-schema.ts';
import type { Terminal } from '../lib/deployment/terminal/terminal.ts';
import { DEFAULT_PASS_OPTIONS } from '../lib/engine/pass/pass-runner.ts';
import type { Registry } from '../lib/engine/registry.ts';
import { capturePass } from '../lib/plan/capture-pass.ts';
import type { PlanOptions } from '../lib/plan/open-fork.ts';
import { planCluster } from '../lib/plan/plan-cluster.ts';
import type { PlanReport } from '../lib/plan/report/plan-report.ts';
import type { StateStore, TargetState } from '../lib/ports/state-store.ts';
import type { Fixture } from '../lib/testing/fixture.ts';
import type { Invocation } from './command.ts';
import { DEFAULT_STATE_DIRECTORY } from './connection-options.ts';
import { type KnownKind, knownKinds } from './inspection/known-kinds.ts';
import { localSecrets } from './state/local-secrets.ts';
import type { RunRecord } from './state/run-record.ts';
import { runningRecord } from './state/running-record.ts';
import { kubeconfigOf, placeOf, processOwner, systemClock, systemEntropy } from './wiring.ts';
import { guardAuthorExit } from './wiring-exit.ts';
import { openLocalTable } from './wiring-state.ts';

export interface OpenPlan extends AsyncDisposable {
  readonly place: ClusterPlace;
  /** The kinds that the planned controllers reconcile. */
  readonly kinds: readonly KnownKind[];
  run(): Promise<PlanReport>;
  /** Runs one pass of an object and returns what it read. */
  capture(type: ResourceType, name: ObjectName): Promise<Fixture>;
}

/** The source of the cluster and of the controllers for a plan. */
interface PlanSource {
  readonly stateDirectory: string;
  /** The record in the state directory; undefined when a context names the cluster and no records are known. */
  readonly record: RunRecord | undefined;
  readonly kubeconfig: { readonly file: string | undefined; readonly context: string | undefined };
  readonly settings: Settings;
}

/**
 * Prepares a plan for the cluster of the options. The guard starts before modules are loaded, so that no module opens a
 * connection.
 */
export async function openPlan(invocation: Invocation, terminal: Terminal): Promise<OpenPlan> {
  await using opened = new AsyncDisposableStack();
  const guard = opened.use(new ConnectionGuard<Target>());
  // Output of controllers is not a part of the result.
  opened.use(new StderrConsole());
  const source = planSource(invocation);
  const { record, stateDirectory } = source;
  // A plan shows one version, for all objects.
  const { rollout: _, ...settings } = source.settings;
  opened.use(guardAuthorExit(settings.controllers ?? [], terminal));
  const own = await ownControllers(settings, { wholeErrors: record?.cluster.embedded === true });
  const loaded = await guard.allow(() => kubeconfigOf(source.kubeconfig));
  const live = connectCluster({
    connection: loaded.connection,
    userAgent: `evenkeel-plan/${packageVersion()}`,
    clock: systemClock,
    wrap: (transport) => new ReadOnlyTransport(allowed(transport, guard)),
  });
  opened.defer(() => live.close());
  const groups = installedGroups(settings);
  const standIn = record?.identity && { server: record.identity.server, token: record.token };
  const connected = connectGroups(groups, { clock: systemClock, stageSecret: undefined, standIn });
  opened.defer(() => connected.close());
  const secrets = localSecrets(groups, stateDirectory, false);
  const registry: PlanOptions['registry'] = (external) => {
    const clients = Object.fromEntries(
      Object.entries(connected.clients).map(([group, made]) => [
        group,
        external.guard(group, made, readsOf(groups, group)),
      ]),
    );
    return installedRegistry(settings, { secrets, clients, own: own.controllers });
  };
  const table = record && (await openLocalTable(stateDirectory, processOwner()));
  if (table !== undefined) opened.defer(() => table.close());
  const kept = opened.move();
  const cluster = record?.cluster.name ?? settings.cluster;
  const options = {
    cluster,
    live: live.api,
    registry,
    definitions: new Map(definitionsOf(groups, own)),
    pass: passOptionsOf(settings),
    ...(table !== undefined && { recorded: inventory(table.store, cluster, settings, own) }),
    guard,
    clock: systemClock,
    entropy: systemEntropy,
    signal: new AbortController().signal,
  };
  const types = installedRegistry(settings, { own: own.controllers }).controllers.map(({ type }) => type);
  return {
    place: placeOf(loaded),
    kinds: knownKinds(types, [...options.definitions.values()]),
    run: () => planCluster(options),
    capture: (type, name) => capturePass(options, type, name),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

function planSource(invocation: Invocation): PlanSource {
  const stateDirectory = resolve(invocation.text('state-dir') ?? DEFAULT_STATE_DIRECTORY);
  const named = { file: invocation.text('kubeconfig'), context: invocation.text('context') };
  const isNamed = invocation.has('kubeconfig') || invocation.has('context');
  // With a context and no state directory, the deployment of the cluster runs elsewhere, or does not exist yet.
  const record =
    isNamed && !invocation.has('state-dir')
      ? undefined
      : runningRecord(stateDirectory, 'name a cluster with --context');
  const controllers = invocation.list('controllers').map((file) => resolve(file));
  const settings = settingsOf(
    invocation.text('settings') ?? record?.settings,
    controllers.length > 0 ? controllers : (record?.controllers ?? []),
  );
  const running = record && { file: record.cluster.kubeconfig, context: record.cluster.context };
  return { stateDirectory, record, kubeconfig: isNamed ? named : (running ?? named), settings };
}

function allowed(transport: Transport, guard: ConnectionGuard<Target>): Transport {
  return {
    send: (request) => guard.allow(() => transport.send(request)),
    ready: async (signal) => await guard.allow(async () => await transport.ready?.(signal)),
  };
}

function readsOf(groups: readonly InstalledGroup[], name: string): readonly string[] {
  return groups.find(({ manifest }) => manifest.name === name)?.manifest.clients?.reads ?? [];
}

/** The CRDs that a deployment of the planned version installs. */
function definitionsOf(groups: readonly InstalledGroup[], own: OwnControllers) {
  const bundled = bundledDefinitions(groups.map(({ manifest }) => manifest));
  return [...bundled, ...own.definitions].map((definition) => [definition.metadata.name, definition] as const);
}

function passOptionsOf({ timings, backoff, rateLimit, scope }: Settings): PlanOptions['pass'] {
  return { ...DEFAULT_PASS_OPTIONS, timings, backoff, rateLimit, scope, targetResyncMs: undefined };
}

async function* inventory(
  store: StateStore,
  cluster: string,
  settings: Settings,
  own: OwnControllers,
): AsyncGenerator<TargetState> {
  const registry: Registry = installedRegistry(settings, { own: own.controllers });
  for (const { type } of registry.controllers) {
    for (let shard = 0; shard < store.shards; shard += 1) {
      let after: string | undefined;
      do {
        const page = await store.inventory(cluster, kindId(type), shard, after);
        yield* page.items;
        after = page.next;
      } while (after !== undefined);
    }
  }
}
