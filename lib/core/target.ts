import { queueId } from './hash.ts';
import type { KindId } from './resource-type.ts';

/** The key of a reconciled object. Its identity is the immutable UID. */
export interface TargetKey {
  /** The cluster's name in the installation, `^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$`. */
  readonly cluster: string;
  readonly kind: KindId;
  readonly uid: string;
}

/** A reconciled object, with the address that is needed to read it. */
export interface Target extends TargetKey {
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
}

export function targetId(target: TargetKey): string {
  return `${target.cluster}/${target.kind}/${target.uid}`;
}

/** One target is one message group, so its messages are handled one after the other. At most 128 characters. */
export function messageGroupId(target: TargetKey): string {
  return queueId(targetId(target));
}
