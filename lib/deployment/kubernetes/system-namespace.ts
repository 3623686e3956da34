/** The namespace of evenkeel's own Leases in a cluster. */
export const SYSTEM_NAMESPACE = 'evenkeel-system';
