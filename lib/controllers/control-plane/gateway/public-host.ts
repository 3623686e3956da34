/** The last label must start with a letter, because browsers read other names as IPv4 addresses: `127.1`, `0x7f.1`. */
const WITH_DOMAIN = /^([-a-z0-9]+\.)+[a-z][-a-z0-9]*$/;
const CLUSTER_LOCAL = /\.(svc|local|localhost)$/;

/**
 * Whether a DNS name may belong to a public server: no IP address, no single label, and no name that only a cluster or a
 * single machine resolves. The CRD has the same rule for admission.
 */
export function isPublicHost(host: string): boolean {
  return WITH_DOMAIN.test(host) && !CLUSTER_LOCAL.test(host);
}
