import { readConditions } from '../../lib/core/conditions.ts';
import type { KubeObject } from '../../lib/core/kube-object.ts';

export type KStatus = 'InProgress' | 'Failed' | 'Current' | 'Terminating';

/**
 * The kstatus result for a custom resource, by its published rules
 * (https://github.com/kubernetes-sigs/cli-utils/blob/master/pkg/kstatus/README.md). Argo CD, Flux and Helm use it to
 * wait.
 */
export function kstatus({ metadata, status }: KubeObject): KStatus {
  if (metadata.deletionTimestamp !== undefined) return 'Terminating';
  const { observedGeneration } = (status ?? {}) as { observedGeneration?: number };
  if (observedGeneration !== undefined && observedGeneration !== metadata.generation) return 'InProgress';
  const conditions = readConditions(status);
  const isTrue = (type: string) => conditions.some((each) => each.type === type && each.status === 'True');
  if (isTrue('Reconciling')) return 'InProgress';
  if (isTrue('Stalled')) return 'Failed';
  const ready = conditions.find(({ type }) => type === 'Ready');
  return ready === undefined || ready.status === 'True' ? 'Current' : 'InProgress';
}
