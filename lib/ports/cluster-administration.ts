import type { DesiredObject, ObjectName } from '../core/kube-object.ts';
import type { ResourceType } from '../core/resource-type.ts';

/** A token of a service account. It is a secret. */
export interface IssuedToken {
  readonly token: string;
  /** Epoch milliseconds. A server may grant less time than requested. */
  readonly expiresAtMs: number;
}

/** The requests of a person who administers a cluster. Calls reject with ApiError. */
export interface ClusterAdministration {
  /** Tests whether the server would accept this apply (`dryRun=All`). Nothing is stored. */
  tryApply(type: ResourceType, object: DesiredObject): Promise<void>;
  /**
   * Creates a token of a service account (TokenRequest of authentication.k8s.io). @param lifetimeSeconds at least 600.
   */
  issueToken(account: ObjectName, lifetimeSeconds: number): Promise<IssuedToken>;
}
