import type { DesiredObject, ObjectName } from '../core/kube-object.ts';
import type { ResourceType } from '../core/resource-type.ts';

/** A token of a service account. It is a secret. */
export interface IssuedToken {
  readonly token: string;
  /** Epoch milliseconds. A server may grant less time than it was asked for. */
  readonly expiresAtMs: number;
}

/** What only somebody who administers a cluster asks of it. Calls reject with ApiError. */
export interface ClusterAdministration {
  /** Asks the server whether it would take this apply (`dryRun=All`). Nothing is stored. */
  tryApply(type: ResourceType, object: DesiredObject): Promise<void>;
  /** Makes a token of a service account (TokenRequest of authentication.k8s.io). @param lifetimeSeconds at least 600. */
  issueToken(account: ObjectName, lifetimeSeconds: number): Promise<IssuedToken>;
}
