import { BlockList, isIP } from 'node:net';

/**
 * Addresses that lead to the machine itself, its link or its cloud's metadata service, where a request with our
 * credentials, or one that makes it answer with its own, must not go. Private networks are allowed: clusters
 * lie in them. BlockList looks through IPv4-mapped IPv6 addresses itself.
 */
const LOCAL = new BlockList();
LOCAL.addSubnet('0.0.0.0', 8, 'ipv4');
LOCAL.addSubnet('127.0.0.0', 8, 'ipv4');
LOCAL.addSubnet('169.254.0.0', 16, 'ipv4');
LOCAL.addSubnet('224.0.0.0', 3, 'ipv4');
LOCAL.addAddress('100.100.100.200', 'ipv4');
LOCAL.addAddress('168.63.129.16', 'ipv4');
LOCAL.addAddress('192.0.0.192', 'ipv4');
LOCAL.addAddress('::', 'ipv6');
LOCAL.addAddress('::1', 'ipv6');
LOCAL.addSubnet('fe80::', 10, 'ipv6');
LOCAL.addSubnet('ff00::', 8, 'ipv6');
LOCAL.addAddress('fd00:ec2::254', 'ipv6');
LOCAL.addAddress('fd20:ce::254', 'ipv6');
/** Other forms of an IPv4 address inside an IPv6 one: compatible, translated (NAT64) and 6to4. */
LOCAL.addSubnet('::', 96, 'ipv6');
LOCAL.addSubnet('::ffff:0:0:0', 96, 'ipv6');
LOCAL.addSubnet('64:ff9b::', 96, 'ipv6');
LOCAL.addSubnet('2002::', 16, 'ipv6');

/** @param address an IP address; anything else counts as local, so that it is refused. */
export function isLocalAddress(address: string): boolean {
  const family = isIP(address);
  return family === 0 || LOCAL.check(address, family === 6 ? 'ipv6' : 'ipv4');
}
