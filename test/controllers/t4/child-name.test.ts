import { describe, expect, it } from 'vitest';
import { childName, claimName, ownerLabel, sessionChildName } from '../../../lib/controllers/t4/child-name.ts';
import { sha256Hex } from '../../../lib/core/hash.ts';

const UID = '0f3c9a1e-0000-4000-8000-000000000001';
const DNS_LABEL = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const digits = (name: string, uid = UID) => sha256Hex(`${name}:${uid}`).slice(0, 12);

describe('names of children', () => {
  it.each([
    ['demo', 'demo'],
    ['Demo.App_1', 'demo-app-1'],
    ['a..b--c', 'a-b-c'],
    ['.a.', 'a'],
    ['---', 'resource'],
    ['', 'resource'],
    ['ÜÖ', 'resource'],
  ])('R-1.11 %j becomes %s, with digits of name and UID', (name, readable) => {
    expect(claimName({ name, uid: UID })).toBe(`t4-ws-${readable}-${digits(name)}`);
    expect(sessionChildName({ name, uid: UID })).toBe(`t4-session-${readable}-${digits(name)}`);
  });

  it('R-1.11 a name of 253 characters is cut to a DNS label of 63', () => {
    for (const prefix of ['t4-ws-', 't4-session-']) {
      const name = childName(prefix, { name: 'n'.repeat(253), uid: UID });
      expect(name).toHaveLength(63);
      expect(name).toMatch(DNS_LABEL);
      expect(name.endsWith(`-${digits('n'.repeat(253))}`)).toBe(true);
    }
  });

  it('R-1.11 a dash at the cut is not doubled', () => {
    const name = childName('t4-ws-', { name: `${'n'.repeat(43)}.${'m'.repeat(100)}`, uid: UID });
    expect(name).toMatch(DNS_LABEL);
    expect(name).not.toContain('--');
  });

  it('R-1.11 names stay different when they are equal after the cut, or when one name has two UIDs', () => {
    const base = 'n'.repeat(200);
    const names = [
      claimName({ name: `${base}a`, uid: UID }),
      claimName({ name: `${base}b`, uid: UID }),
      claimName({ name: `${base}a`, uid: 'another' }),
      claimName({ name: 'a.b', uid: UID }),
      claimName({ name: 'a-b', uid: UID }),
    ];
    expect(new Set(names).size).toBe(names.length);
  });

  it("R-1.20 a label has the name of the owner, or the name of the child when the owner's is too long", () => {
    expect(ownerLabel('a'.repeat(63), 'child')).toBe('a'.repeat(63));
    expect(ownerLabel('a'.repeat(64), 'child')).toBe('child');
  });
});
