import { BlockList, isIP } from 'node:net';
import { type Embedded, embeddedAddresses } from './embedded-address.ts';

/**
 * Addresses of the machine itself, of its network link and of the cloud's metadata service. No request with
 * our credentials may go there, because the service may answer with credentials of the machine. Private networks are
 * allowed, because clusters are in them.
 */
const REACHABLE = new BlockList();
REACHABLE.addSubnet('127.0.0.0', 8, 'ipv4');
REACHABLE.addSubnet('169.254.0.0', 16, 'ipv4');
REACHABLE.addAddress('100.100.100.200', 'ipv4');
REACHABLE.addAddress('168.63.129.16', 'ipv4');
REACHABLE.addAddress('192.0.0.192', 'ipv4');
/** Addresses that belong to no server. Some systems treat them as their own address. */
const NOBODYS = new BlockList();
NOBODYS.addSubnet('0.0.0.0', 8, 'ipv4');
NOBODYS.addSubnet('224.0.0.0', 3, 'ipv4');

const LOCAL_IPV6 = new BlockList();
LOCAL_IPV6.addAddress('::', 'ipv6');
LOCAL_IPV6.addAddress('::1', 'ipv6');
LOCAL_IPV6.addSubnet('fe80::', 10, 'ipv6');
LOCAL_IPV6.addSubnet('ff00::', 8, 'ipv6');
// Amazon's services on a network link: metadata, credentials of pods, DNS, time.
LOCAL_IPV6.addSubnet('fd00:ec2::', 32, 'ipv6');
LOCAL_IPV6.addAddress('fd20:ce::254', 'ipv6');

/**
 * Whether an address is local. An IPv6 address that contains an IPv4 address is judged by the IPv4 address.
 * @param address an IP address; any other text counts as local and is refused.
 */
export function isLocalAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 0) return true;
  if (family === 4) return isLocalIpv4(address);
  const withoutZone = address.replace(/%.*$/, '');
  return LOCAL_IPV6.check(withoutZone, 'ipv6') || embeddedAddresses(withoutZone).some(leadsToLocal);
}

/**
 * Loopback, link-local and metadata addresses count at every position. Padding, such as zeros, counts only when every
 * candidate is local.
 */
function leadsToLocal({ candidates }: Embedded): boolean {
  return candidates.some((ipv4) => REACHABLE.check(ipv4, 'ipv4')) || candidates.every(isLocalIpv4);
}

function isLocalIpv4(address: string): boolean {
  return REACHABLE.check(address, 'ipv4') || NOBODYS.check(address, 'ipv4');
}
