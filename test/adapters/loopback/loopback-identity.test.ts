import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { certificateAuthority } from '../../../lib/adapters/loopback/certificate-authority.ts';
import { loopbackIdentity } from '../../../lib/adapters/loopback/loopback-identity.ts';

const NOW_MS = Date.UTC(2026, 10, 30, 12, 25);

describe('R-5.24 the identity of a server on this machine', () => {
  it('the certificate is signed by its own authority, only for loopback names', () => {
    const { certificate, certificateAuthority: authority } = loopbackIdentity(NOW_MS);
    const [leaf, root] = [new X509Certificate(certificate), new X509Certificate(authority)];
    expect(root.ca).toBe(true);
    expect(root.verify(root.publicKey)).toBe(true);
    expect(leaf.ca).toBe(false);
    expect(leaf.checkIssued(root)).toBe(true);
    expect(leaf.verify(root.publicKey)).toBe(true);
    expect(leaf.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(leaf.checkHost('localhost')).toBe('localhost');
    expect(leaf.checkHost('example.org')).toBeUndefined();
    expect(leaf.checkIP('127.0.0.2')).toBeUndefined();
  });

  it('the certificate is valid from a day before its start for two years', () => {
    const leaf = new X509Certificate(loopbackIdentity(NOW_MS).certificate);
    expect(leaf.validFromDate).toEqual(new Date('2026-11-29T12:25:00Z'));
    expect(leaf.validToDate).toEqual(new Date('2028-11-29T12:25:00Z'));
  });

  it('the certificate is a new one at each start', () => {
    const [one, other] = [loopbackIdentity(NOW_MS), loopbackIdentity(NOW_MS)];
    const [authority, leaf] = [new X509Certificate(one.certificateAuthority), new X509Certificate(other.certificate)];
    expect(leaf.verify(authority.publicKey)).toBe(false);
    expect(new X509Certificate(one.certificate).serialNumber).not.toBe(leaf.serialNumber);
  });

  it.each([
    ['2049-12-31T23:59:59Z', '2050-01-01T00:00:00Z'],
    ['2026-02-03T04:05:06Z', '2126-02-03T04:05:06Z'],
    ['2000-01-01T00:00:00Z', '2099-12-31T00:00:00Z'],
  ])('the certificate has its times in the form that the year %s needs', (from, until) => {
    const validity = { fromMs: Date.parse(from), untilMs: Date.parse(until) };
    const { validFromDate, validToDate } = new X509Certificate(certificateAuthority('x', validity).certificate);
    expect([validFromDate, validToDate]).toEqual([new Date(from), new Date(until)]);
  });

  it.each([1, 60, 100, 127, 128, 200, 255, 256, 300])(
    'the certificate has lengths that a parser accepts, with %i names',
    (count) => {
      const authority = certificateAuthority('x', { fromMs: NOW_MS, untilMs: NOW_MS + 1_000 });
      const names = Array.from({ length: count }, (_, index) => `n${index}`);
      const leaf = new X509Certificate(authority.issue('y', names).certificate);
      expect(leaf.verify(new X509Certificate(authority.certificate).publicKey)).toBe(true);
      expect(leaf.checkHost(`n${count - 1}`)).toBe(`n${count - 1}`);
    },
  );
});
