import { EvenkeelError, FaultsError } from '../core/errors.ts';
import { EVENT_VERSION, type SkinnyEvent } from '../core/event.ts';
import type { KubeObject, ObjectName } from '../core/kube-object.ts';
import type { DurableValues } from '../core/reconcile-context.ts';
import { kindId, type ResourceType } from '../core/resource-type.ts';
import { isApiError } from '../ports/cluster-api.ts';
import { FIXTURE_VERSION, type Fixture } from '../testing/fixture.ts';
import { type OpenFork, openFork, type PlanOptions } from './open-fork.ts';
import { drain } from './passes/run-passes.ts';
import { withoutSecretValues } from './redact.ts';

/**
 * Runs one pass of an object on a copy of the cluster, and returns what the pass read, without the values of Secrets.
 * @throws EvenkeelError NO_SUCH_OBJECT; CAPTURE_INCOMPLETE when the pass could not read something; ApiError when the
 * cluster does not answer.
 */
export async function capturePass(options: PlanOptions, type: ResourceType, name: ObjectName): Promise<Fixture> {
  const objects = new Map<string, KubeObject>();
  const opened = await openFork(options, (object) => {
    objects.set(
      `${object.apiVersion} ${object.kind} ${object.metadata.namespace ?? ''}/${object.metadata.name}`,
      object,
    );
  });
  const target = { kind: kindId(type), namespace: name.namespace, name: name.name };
  const event = await requestOf(opened, options.cluster, type, name);
  const values = await shownValues(opened, event);
  await opened.plan.engine.sender.sendAll('events', [event]);
  await drain(opened.plan);
  assertComplete(opened, options);
  const absent = opened.copies.absent();
  return {
    v: FIXTURE_VERSION,
    takenAtMs: event.at,
    target,
    ...withoutSecretValues([...objects.values()], absent.map(nameIn), values),
    absent,
    listed: opened.copies.listed(),
  };
}

/**
 * Refuses a capture with missing objects, because its replay would fail at them. A pass that fails for another reason
 * is captured: the replay shows the reason.
 */
function assertComplete({ failedReads }: OpenFork, { guard }: PlanOptions): void {
  // A connection that a module opens while it is loaded is not a part of the pass.
  const connections = guard.refused.filter(({ within }) => within !== undefined);
  const faults = [
    ...[...failedReads].map(([what, why]) => `the pass could not read ${what}: ${why}`),
    ...connections.map(({ to, stack: [caller = 'code without a stack'] }) => {
      return `the pass opened a connection to ${to}, which a capture refuses: ${caller}`;
    }),
  ];
  if (faults.length > 0) throw new FaultsError('CAPTURE_INCOMPLETE', [...new Set(faults)]);
}

/** @param key `kind/namespace/name` */
function nameIn(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1);
}

async function requestOf(
  { copies, fork, plan, clock }: OpenFork,
  cluster: string,
  type: ResourceType,
  name: ObjectName,
): Promise<SkinnyEvent> {
  await copies.object(type, name, 'whole');
  const { uid } = await uidOf(fork.get(type, name), type, name);
  const { incarnation } = await plan.store.readCluster(cluster);
  const target = { cluster, kind: kindId(type), namespace: name.namespace, name: name.name, uid };
  return { v: EVENT_VERSION, ...target, incarnation, cause: 'requested', at: clock.now() };
}

async function uidOf(reading: Promise<KubeObject>, { kind }: ResourceType, { namespace, name }: ObjectName) {
  try {
    return (await reading).metadata;
  } catch (error) {
    if (!isApiError(error, 'NotFound', 'KindMissing')) throw error;
    const where = namespace === '' ? name : `${namespace}/${name}`;
    throw new EvenkeelError('NO_SUCH_OBJECT', `the cluster has no ${kind} ${where}. Check its name and namespace.`);
  }
}

/** Only the values that the controller declares as shown, because the others may be secret. */
async function shownValues({ plan, registry }: OpenFork, target: SkinnyEvent): Promise<DurableValues> {
  const state = await plan.store.readTarget(target);
  const shown = registry.controllerOf(target.kind)?.shownValues ?? [];
  return Object.fromEntries(Object.entries(state?.values ?? {}).filter(([value]) => shown.includes(value)));
}
