import type { KubeObject } from '../../core/kube-object.ts';
import { standingOf } from './ownership.ts';

/**
 * Whether an object has the proof that a deletion needs: label and annotation name the owner, the UID
 * is the one in the owner's status (if the status has one), and there is no owner reference.
 */
export function isProvenOwned(object: KubeObject, owner: KubeObject): boolean {
  return standingOf(object, owner.metadata.uid, recordedUid(object, owner)) === 'ours';
}

function recordedUid({ kind }: KubeObject, { status }: KubeObject): string | undefined {
  const field = { Namespace: 'namespace', Cluster: 'cluster' }[kind];
  if (field === undefined || typeof status !== 'object' || status === null) return undefined;
  const recorded = (status as Record<string, unknown>)[field] as { uid?: unknown } | undefined;
  return typeof recorded?.uid === 'string' && recorded.uid !== '' ? recorded.uid : undefined;
}
