/** The IAM principals that a cluster of EKS knows. Methods reject with InfrastructureError. */
export interface AccessPrincipals {
  /** The ARNs of all principals that have an access entry. */
  principals(clusterName: string): Promise<readonly string[]>;
}
