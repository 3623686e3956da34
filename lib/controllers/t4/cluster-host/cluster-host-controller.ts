import { PROGRESS_CONDITIONS } from '../../../core/conditions.ts';
import type { Controller, ReconcileResult } from '../../../core/controller.ts';
import type { KubeObject } from '../../../core/kube-object.ts';
import { retry, settled, terminal } from '../../../core/outcome.ts';
import type { ReconcileContext } from '../../../core/reconcile-context.ts';
import { ConfigMaps, Secrets, StorageClasses } from '../../../core/resource-type.ts';
import { baseStatus, conditionFalse, notEvaluated } from '../../../kit/conditions.ts';
import { observeObject } from '../../../kit/observation.ts';
import { T4ClusterHosts } from '../kinds.ts';
import { POLL_INTERVAL_MS } from '../poll-interval.ts';
import { type ClusterHostSpec, parseClusterHost } from './cluster-host.ts';
import { evaluateHost, failureOf, type HostReadings } from './evaluate-host.ts';

/** Reports whether a host can carry sessions. It owns nothing and has no finalizer. */
export function clusterHostController(): Controller {
  return {
    name: 't4-cluster-host',
    group: 't4',
    type: T4ClusterHosts,
    owns: [],
    reads: [
      { type: StorageClasses, mode: 'watch' },
      { type: ConfigMaps, mode: 'poll', pollIntervalMs: POLL_INTERVAL_MS },
      { type: Secrets, mode: 'poll', pollIntervalMs: POLL_INTERVAL_MS },
    ],
    version: '1',
    conditions: ['Available', 'StorageReady', 'CIReady', ...PROGRESS_CONDITIONS],
    reconcile,
  };
}

async function reconcile(object: KubeObject, context: ReconcileContext): Promise<ReconcileResult> {
  const parsed = parseClusterHost(object);
  if (!parsed.valid) {
    const invalid = conditionFalse('Available', 'InvalidSpec', parsed.message);
    const conditions = [invalid, notEvaluated('StorageReady'), notEvaluated('CIReady')];
    const status = baseStatus(object, conditions, context.nowMs);
    return { outcome: terminal('InvalidSpec', parsed.message), status };
  }
  const readings = await readDependencies(object, parsed.spec, context);
  const failure = failureOf(readings);
  return {
    outcome: failure === undefined ? settled() : retry(failure),
    status: baseStatus(object, evaluateHost(parsed.spec, readings), context.nowMs),
  };
}

async function readDependencies(
  { metadata }: KubeObject,
  { storageClassName, ciProvider }: ClusterHostSpec,
  context: ReconcileContext,
): Promise<HostReadings> {
  const { namespace = '' } = metadata;
  const inNamespace = (type: typeof ConfigMaps, name: string) => observeObject(context, type, { namespace, name });
  const [storageClass, ciConfigMap, ciSecret] = await Promise.all([
    observeObject(context, StorageClasses, { namespace: '', name: storageClassName }),
    ciProvider && inNamespace(ConfigMaps, ciProvider.configMapRef.name),
    ciProvider?.secretRef && inNamespace(Secrets, ciProvider.secretRef.name),
  ]);
  return { storageClass, ciConfigMap, ciSecret };
}
