/** Where evenkeel keeps its own Leases in a cluster. */
export const SYSTEM_NAMESPACE = 'evenkeel-system';
