/** An IPv4 address that an IPv6 address contains. */
export interface Embedded {
  /** Usually one address. Several when the form does not fix the position of the IPv4 address. Never empty. */
  readonly candidates: readonly string[];
}

/** Eight groups of 16 bits. */
type Groups = readonly number[];

interface Form {
  readonly is: (groups: Groups) => boolean;
  readonly read: (groups: Groups) => string[];
}

const FORMS: readonly Form[] = [
  // IPv4-compatible (RFC 4291, 2.5.5.1), IPv4-mapped (2.5.5.2) and IPv4-translated (RFC 7915).
  { is: startsWith(0, 0, 0, 0, 0, 0), read: last },
  { is: startsWith(0, 0, 0, 0, 0, 0xffff), read: last },
  { is: startsWith(0, 0, 0, 0, 0xffff, 0), read: last },
  // NAT64 under its well-known prefix (RFC 6052, 2.1).
  { is: startsWith(0x64, 0xff9b, 0, 0, 0, 0), read: last },
  // NAT64 under the prefix for local use (RFC 8215). The translator selects one of the positions of RFC 6052, 2.2.
  {
    is: startsWith(0x64, 0xff9b, 1),
    read: (groups) => {
      const bytes = bytesOf(groups);
      return [
        [6, 7, 9, 10],
        [7, 9, 10, 11],
        [9, 10, 11, 12],
        [12, 13, 14, 15],
      ].map((place) => dotted(bytes, place));
    },
  },
  // 6to4 (RFC 3056, 2).
  { is: startsWith(0x2002), read: (groups) => [dotted(bytesOf(groups), [2, 3, 4, 5])] },
  // Teredo (RFC 4380, 4): the client's address, with each bit inverted. The address of the Teredo server carries no
  // traffic.
  {
    is: startsWith(0x2001, 0),
    read: (groups) => {
      const client = bytesOf(groups).map((byte) => 0xff - byte);
      return [dotted(client, [12, 13, 14, 15])];
    },
  },
  {
    is: (groups) => startsWith(0x2001, 0)(groups) && !isZero(groups[2], groups[3]),
    read: (groups) => [dotted(bytesOf(groups), [4, 5, 6, 7])],
  },
  // ISATAP (RFC 5214, 6.1), under any prefix.
  { is: (groups) => ((groups[4] ?? 0) & 0xfdff) === 0 && groups[5] === 0x5efe, read: last },
];

/**
 * The IPv4 addresses that an IPv6 address contains, by each form that it matches. Usually none.
 * @param address an IPv6 address without a zone.
 */
export function embeddedAddresses(address: string): Embedded[] {
  const groups = groupsOf(address);
  return FORMS.filter(({ is }) => is(groups)).map(({ read }) => ({ candidates: read(groups) }));
}

function startsWith(...prefix: readonly number[]): (groups: Groups) => boolean {
  return (groups) => prefix.every((group, index) => groups[index] === group);
}

function isZero(...groups: readonly (number | undefined)[]): boolean {
  return groups.every((group) => group === 0);
}

function last(groups: Groups): string[] {
  return [dotted(bytesOf(groups), [12, 13, 14, 15])];
}

function dotted(bytes: readonly number[], places: readonly number[]): string {
  return places.map((place) => bytes[place] ?? 0).join('.');
}

function bytesOf(groups: Groups): number[] {
  return groups.flatMap((group) => [group >> 8, group & 0xff]);
}

/** URL writes every address as groups of hexadecimal digits. */
function groupsOf(address: string): Groups {
  const { hostname } = new URL(`http://[${address}]`);
  const [head = '', tail] = hostname.slice(1, -1).split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const between = Array<string>(8 - before.length - after.length).fill('0');
  return [...before, ...between, ...after].map((group) => Number.parseInt(group, 16));
}
