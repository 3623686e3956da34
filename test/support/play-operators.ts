import { Clusters, DatabaseRoles, Databases } from '../../lib/controllers/control-plane/kinds.ts';
import { jsonEqual } from '../../lib/core/json-merge.ts';
import type { KubeObject } from '../../lib/core/kube-object.ts';
import { Deployments, type ResourceType } from '../../lib/core/resource-type.ts';
import { type ClusterApi, isApiError } from '../../lib/ports/cluster-api.ts';

/** Returns the status that the operators of a cluster would write; undefined changes nothing. */
type Play = (object: KubeObject) => object | undefined;

const PLAYS: readonly [ResourceType, Play][] = [
  [Clusters, clusterStatus],
  [DatabaseRoles, () => ({ applied: true })],
  [Databases, () => ({ applied: true })],
  [Deployments, deploymentStatus],
];

export interface OperatorOptions {
  /** Kinds whose operator is idle. */
  readonly idle?: readonly ResourceType[];
}

/**
 * Plays CloudNativePG and the Deployment controller once: every object gets the status of a successful one.
 * @returns the number of changed statuses.
 */
export async function playOperators(api: ClusterApi, { idle = [] }: OperatorOptions = {}): Promise<number> {
  let changed = 0;
  for (const [type, play] of PLAYS) {
    if (idle.includes(type)) continue;
    for (const object of await listed(api, type)) {
      const status = play(object);
      if (status === undefined || isIncluded(object.status, status) || object.metadata.deletionTimestamp) continue;
      const { namespace = '', name } = object.metadata;
      const body = { type: 'merge', patch: { status } as never } as const;
      await api.patch(type, { namespace, name }, body, { fieldManager: 'operator', subresource: 'status' });
      changed += 1;
    }
  }
  return changed;
}

async function listed(api: ClusterApi, type: ResourceType): Promise<KubeObject[]> {
  try {
    return (await api.list(type)).items;
  } catch (error) {
    if (isApiError(error, 'KindMissing')) return [];
    throw error;
  }
}

function clusterStatus({ spec }: KubeObject): object {
  const { instances } = spec as { instances: number };
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  const ready = { type: 'Ready', status: 'True', reason: 'ClusterIsReady', message: 'ready', lastTransitionTime };
  return { phase: 'Cluster in healthy state', instances, readyInstances: instances, conditions: [ready] };
}

function deploymentStatus({ metadata, spec }: KubeObject): object {
  const { replicas } = spec as { replicas: number };
  const counts = { replicas, updatedReplicas: replicas, readyReplicas: replicas, availableReplicas: replicas };
  return { observedGeneration: metadata.generation, ...counts };
}

function isIncluded(actual: unknown, wanted: object): boolean {
  const present = (actual ?? {}) as Record<string, unknown>;
  return Object.entries(wanted).every(([key, value]) => {
    const own = key in present ? present[key] : value === 0 ? 0 : undefined;
    return jsonEqual(own, value);
  });
}
