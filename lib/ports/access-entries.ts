/**
 * The IAM roles that an EKS cluster knows, and their user groups in Kubernetes. Methods reject with
 * InfrastructureError.
 */
export interface AccessEntries {
  /** The user groups of a role; undefined when the cluster does not know the role. */
  groupsOf(clusterName: string, roleArn: string): Promise<readonly string[] | undefined>;
  /** Creates the entry of a role, or gives an existing one these user groups. */
  put(clusterName: string, roleArn: string, groups: readonly string[]): Promise<void>;
  /** Removes the entry of a role. An absent entry counts as removed. */
  remove(clusterName: string, roleArn: string): Promise<void>;
}
