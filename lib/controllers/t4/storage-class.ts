import type { KubeObject } from '../../core/kube-object.ts';
import { textAt } from '../../kit/value-at.ts';

/** On a StorageClass, separated by commas: the access modes that its volumes can have. Kubernetes has no field for it. */
export const ACCESS_MODES_ANNOTATION = 'cluster.t4.dev/access-modes';
export const READ_WRITE_MANY = 'ReadWriteMany';

export function offersReadWriteMany({ metadata }: KubeObject): boolean {
  const modes = metadata.annotations?.[ACCESS_MODES_ANNOTATION] ?? '';
  return modes.split(',').some((mode) => mode.trim() === READ_WRITE_MANY);
}

/**
 * Whether the class binds a claim only when a Pod uses it. A session's Pod is created only on a bound claim, so each
 * would wait for the other.
 */
export function bindsAtFirstUse(storageClass: KubeObject): boolean {
  return textAt(storageClass, 'volumeBindingMode') === 'WaitForFirstConsumer';
}
