import { KubernetesClusterApi } from '../../lib/adapters/kubernetes/kubernetes-cluster-api.ts';
import { ReadOnlyTransport } from '../../lib/adapters/kubernetes/read-only-transport.ts';
import { ConnectionGuard } from '../../lib/adapters/system/connection-guard.ts';
import { SystemClock } from '../../lib/adapters/system/system-clock.ts';
import type { Controller } from '../../lib/core/controller.ts';
import type { DesiredObject, KubeObject } from '../../lib/core/kube-object.ts';
import type { ReconcileContext } from '../../lib/core/reconcile-context.ts';
import { ConfigMaps } from '../../lib/core/resource-type.ts';
import type { Target } from '../../lib/core/target.ts';
import { DEFAULT_PASS_OPTIONS } from '../../lib/engine/pass/pass-runner.ts';
import { Registry } from '../../lib/engine/registry.ts';
import type { PlanOptions } from '../../lib/plan/open-fork.ts';
import type { ExternalCalls } from '../../lib/plan/passes/external-calls.ts';
import { planCluster } from '../../lib/plan/plan-cluster.ts';
import type { PlanReport } from '../../lib/plan/report/plan-report.ts';
import type { TargetState } from '../../lib/ports/state-store.ts';
import { World } from '../../lib/testing/world.ts';
import { createWidget, sawGeneration, WIDGET_DEFINITION, Widgets, widgetController } from '../support/widget.ts';

export { createWidget, sawGeneration, Widgets };

/** A ConfigMap that each widget owns, with the content that a release writes. */
export async function keepConfig(widget: KubeObject, context: ReconcileContext, data: Record<string, string>) {
  const { name, namespace = '', uid } = widget.metadata;
  const owner = { apiVersion: 'test.evenkeel.dev/v1', kind: 'Widget', name, uid, controller: true };
  const desired: DesiredObject = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace, name, ownerReferences: [owner] },
    data,
  };
  const found = await context.get(ConfigMaps, { namespace, name });
  if (found === undefined) await context.create(ConfigMaps, desired);
  else await context.apply(ConfigMaps, found, desired);
}

/** A release whose widgets each keep a ConfigMap with this data. */
export function release(
  version: string,
  dataOf: (widget: KubeObject, context: ReconcileContext) => Promise<Record<string, string>> | Record<string, string>,
): Controller {
  return widgetController({
    version,
    reconcile: async (widget, context) => {
      await keepConfig(widget, context, await dataOf(widget, context));
      return sawGeneration(widget);
    },
  });
}

/** A cluster whose widgets the controller has settled. */
export async function settledWorld(controller: Controller, names: readonly string[]): Promise<World> {
  const world = new World({ controllers: [controller] });
  await world.install([WIDGET_DEFINITION]);
  for (const name of names) await createWidget(world, name);
  await settle(world);
  world.server.requests.clear();
  return world;
}

/** Gives every widget a pass, and runs the passes that these request. */
export async function settle(world: World): Promise<void> {
  for (const widget of (await world.user.list(Widgets)).items)
    await world.worker().handle(world.event(Widgets, widget));
  await world.drain();
}

async function* statesOf(world: World): AsyncGenerator<TargetState> {
  yield* world.memory.contents().targets;
}

export interface PlanWorldOptions extends Partial<Omit<PlanOptions, 'registry'>> {
  readonly controllers?: (external: ExternalCalls) => readonly Controller[];
}

/** Plans a release for the cluster of a world. The plan uses the world's table. */
export async function planWorld(
  world: World,
  controller: Controller,
  { controllers = () => [controller], ...options }: PlanWorldOptions = {},
): Promise<{ report: PlanReport; refusedWrites: number }> {
  using guard = new ConnectionGuard<Target>();
  const transport = new ReadOnlyTransport(world.server);
  const live = new KubernetesClusterApi({ transport, clock: world.clock, userAgent: 'evenkeel-plan' });
  const report = await planCluster({
    cluster: 'test',
    live,
    registry: (external) => new Registry(controllers(external)),
    definitions: new Map(),
    pass: DEFAULT_PASS_OPTIONS,
    recorded: statesOf(world),
    guard,
    clock: new SystemClock(),
    entropy: world.entropy,
    signal: new AbortController().signal,
    ...options,
  });
  return { report, refusedWrites: transport.refused };
}

/** A report in short form: `applied configmaps a`. */
export function shown({ objects }: PlanReport): string[] {
  return objects.map(({ change, kind, name }) => `${change} ${kind} ${name}`);
}

/** The verbs of the requests that a plan sent. */
export function verbsOf(world: World): string[] {
  const plans = world.server.requests.records.filter(({ userAgent }) => userAgent === 'evenkeel-plan');
  return [...new Set(plans.map(({ verb }) => verb))].sort();
}
