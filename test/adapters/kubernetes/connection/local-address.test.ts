import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLocalAddress } from '../../../../lib/adapters/kubernetes/connection/local-address.ts';

/** IPv4 addresses as the two groups of an IPv6 one. */
const groups = (ipv4: string): [string, string] => {
  const [a = 0, b = 0, c = 0, d = 0] = ipv4.split('.').map(Number);
  return [(a * 256 + b).toString(16), (c * 256 + d).toString(16)];
};
const inverted = (ipv4: string) =>
  ipv4
    .split('.')
    .map((part) => 255 - Number(part))
    .join('.');
const bytesOf = (ipv4: string) => ipv4.split('.').map((part) => Number(part).toString(16).padStart(2, '0'));

/** Each form of an IPv6 address that contains an IPv4 address. */
const FORMS: readonly [string, (ipv4: string) => string][] = [
  ['IPv4-mapped', (ipv4) => `::ffff:${ipv4}`],
  ['IPv4-mapped in hex', (ipv4) => `::ffff:${groups(ipv4).join(':')}`],
  ['IPv4-compatible', (ipv4) => `::${ipv4}`],
  ['IPv4-translated', (ipv4) => `::ffff:0:${ipv4}`],
  ['NAT64', (ipv4) => `64:ff9b::${ipv4}`],
  ['NAT64 in hex', (ipv4) => `64:ff9b::${groups(ipv4).join(':')}`],
  ['NAT64 written out', (ipv4) => `0064:FF9B:0:0:0:0:${groups(ipv4).join(':')}`],
  ['local NAT64', (ipv4) => `64:ff9b:1::${ipv4}`],
  ['local NAT64 with a subnet', (ipv4) => `64:ff9b:1:2:3:4:${groups(ipv4).join(':')}`],
  [
    'local NAT64 of 48 bits',
    (ipv4) => {
      const [a, b, c, d] = bytesOf(ipv4);
      return `64:ff9b:1:${a}${b}:00${c}:${d}00::`;
    },
  ],
  [
    'local NAT64 of 56 bits',
    (ipv4) => {
      const [a, b, c, d] = bytesOf(ipv4);
      return `64:ff9b:1:00${a}:00${b}:${c}${d}::`;
    },
  ],
  [
    'local NAT64 of 64 bits',
    (ipv4) => {
      const [a, b, c, d] = bytesOf(ipv4);
      return `64:ff9b:1:0:00${a}:${b}${c}:${d}00:0`;
    },
  ],
  ['6to4', (ipv4) => `2002:${groups(ipv4).join(':')}::1`],
  ['6to4 with a subnet', (ipv4) => `2002:${groups(ipv4).join(':')}:7:8:9:a:b`],
  ['Teredo', (ipv4) => `2001:0:4136:e378:8000:63bf:${groups(inverted(ipv4)).join(':')}`],
  ['Teredo of no server', (ipv4) => `2001::${groups(inverted(ipv4)).join(':')}`],
  ['ISATAP', (ipv4) => `2001:db8::5efe:${ipv4}`],
  ['ISATAP of a global address', (ipv4) => `2001:db8::200:5efe:${ipv4}`],
];

const REFUSED = [
  '127.0.0.1',
  '127.255.0.9',
  '169.254.169.254',
  '169.254.170.23',
  '169.254.0.1',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
];
const OPEN = [
  '10.0.0.7',
  '192.168.1.1',
  '172.16.3.4',
  '8.8.8.8',
  '203.0.113.9',
  '100.64.0.1',
  '169.253.1.1',
  '126.1.2.3',
];

describe('R-5.16 the addresses that a cloud deployment does not connect to', () => {
  it.each(FORMS)('an address is refused when it leads to a local IPv4 address: %s', (_, form) => {
    expect(REFUSED.filter((ipv4) => !isLocalAddress(form(ipv4)))).toEqual([]);
  });

  it.each(FORMS)('an address is open when the IPv4 address in it is: %s', (_, form) => {
    expect(OPEN.filter((ipv4) => isLocalAddress(form(ipv4)))).toEqual([]);
  });

  it('an address in another form is refused exactly when its IPv4 address is', () => {
    const certain = FORMS.filter(([form]) => !/48|56|64 bits|local/.test(form));
    fc.assert(
      fc.property(fc.ipV4(), fc.constantFrom(...certain), (ipv4, [, form]) => {
        expect([form(ipv4), isLocalAddress(form(ipv4))]).toEqual([form(ipv4), isLocalAddress(ipv4)]);
      }),
    );
  });

  it.each([
    '64:ff9b:1:a9fe:a9:fe00:0:1',
    '64:ff9b:1:a9fe:a9:fe00:a00:7',
    '2001:0:7f00:1::f5ff:fff8',
    '64:ff9b:1::',
    '64:ff9b::',
    '::',
    '::1',
    '::1%lo',
    'fe80::1%eth0',
    'febf::1',
    'ff02::1',
    'fd00:ec2::254',
    'fd00:ec2::23',
    'fd20:ce::254',
    'api.test',
    '',
  ])('%s is refused', (address) => {
    expect(isLocalAddress(address)).toBe(true);
  });

  it.each([
    '2001:db8::7',
    '2001:4860:4860::8888',
    'fd12:3456::1',
    'fc00::1',
    '2003::1',
    '64:ff9c::7f00:1',
    '2001:1::1',
  ])('%s is open', (address) => {
    expect(isLocalAddress(address)).toBe(false);
  });
});
