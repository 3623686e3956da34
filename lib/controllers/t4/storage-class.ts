import type { KubeObject } from '../../core/kube-object.ts';

/** On a StorageClass, with commas between: the access modes that its volumes can have. Kubernetes has no field for it. */
export const ACCESS_MODES_ANNOTATION = 'cluster.t4.dev/access-modes';
export const READ_WRITE_MANY = 'ReadWriteMany';

export function offersReadWriteMany({ metadata }: KubeObject): boolean {
  const modes = metadata.annotations?.[ACCESS_MODES_ANNOTATION] ?? '';
  return modes.split(',').some((mode) => mode.trim() === READ_WRITE_MANY);
}
