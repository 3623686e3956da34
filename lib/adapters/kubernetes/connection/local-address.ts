import { BlockList, isIP } from 'node:net';
import { type Embedded, embeddedAddresses } from './embedded-address.ts';

/**
 * Addresses that lead to the machine itself, its link or its cloud's metadata service, where a request with our
 * credentials, or one that makes it answer with its own, must not go. Private networks are allowed: clusters
 * lie in them.
 */
const REACHABLE = new BlockList();
REACHABLE.addSubnet('127.0.0.0', 8, 'ipv4');
REACHABLE.addSubnet('169.254.0.0', 16, 'ipv4');
REACHABLE.addAddress('100.100.100.200', 'ipv4');
REACHABLE.addAddress('168.63.129.16', 'ipv4');
REACHABLE.addAddress('192.0.0.192', 'ipv4');
/** Addresses that no server has, and that some systems take for their own. */
const NOBODYS = new BlockList();
NOBODYS.addSubnet('0.0.0.0', 8, 'ipv4');
NOBODYS.addSubnet('224.0.0.0', 3, 'ipv4');

const LOCAL_IPV6 = new BlockList();
LOCAL_IPV6.addAddress('::', 'ipv6');
LOCAL_IPV6.addAddress('::1', 'ipv6');
LOCAL_IPV6.addSubnet('fe80::', 10, 'ipv6');
LOCAL_IPV6.addSubnet('ff00::', 8, 'ipv6');
// Amazon's services on a link: metadata, credentials of pods, names, time.
LOCAL_IPV6.addSubnet('fd00:ec2::', 32, 'ipv6');
LOCAL_IPV6.addAddress('fd20:ce::254', 'ipv6');

/**
 * An IPv6 address that stands for an IPv4 one is judged by that.
 * @param address an IP address; anything else counts as local, so that it is refused.
 */
export function isLocalAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 0) return true;
  if (family === 4) return isLocalIpv4(address);
  const withoutZone = address.replace(/%.*$/, '');
  return LOCAL_IPV6.check(withoutZone, 'ipv6') || embeddedAddresses(withoutZone).some(leadsToLocal);
}

/**
 * Where the place of the IPv4 address is not known, zeros and other filling stand at the wrong ones: those count only
 * when nothing stands anywhere else.
 */
function leadsToLocal({ candidates }: Embedded): boolean {
  return candidates.some((ipv4) => REACHABLE.check(ipv4, 'ipv4')) || candidates.every(isLocalIpv4);
}

function isLocalIpv4(address: string): boolean {
  return REACHABLE.check(address, 'ipv4') || NOBODYS.check(address, 'ipv4');
}
