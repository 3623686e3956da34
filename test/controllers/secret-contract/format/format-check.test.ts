import { describe, expect, it } from 'vitest';
import { checkFormat } from '../../../../lib/controllers/secret-contract/format/format-check.ts';
import { CERTIFICATE_2026, CERTIFICATE_2027 } from '../certificates.ts';

/** The first certificate has expired, the second one has half a year left. */
const NOW_MS = Date.UTC(2027, 5, 1);
const EXPIRED = CERTIFICATE_2026;
const GOOD = CERTIFICATE_2027;
const GOOD_UNTIL_MS = Date.UTC(2028, 0, 1);

const der = (pem: string) => Buffer.from(pem.replace(/-----.*-----|\n/g, ''), 'base64');
const block = (content: Buffer | string, label = 'CERTIFICATE') =>
  `-----BEGIN ${label}-----\n${Buffer.from(content as string)
    .toString('base64')
    .replace(/(.{64})/g, '$1\n')}\n-----END ${label}-----\n`;
const join = (...parts: (Buffer | string)[]) => Buffer.concat(parts.map((part) => Buffer.from(part as string)));
const unterminated = GOOD.replace(/-----END.*-----\n/, '');

/** An ASN.1 SEQUENCE with a correct tag and length and any content. */
function sequence(content: Buffer): Buffer {
  return join(Buffer.of(0x30, 0x82, content.length >> 8, content.length & 0xff), content);
}

/** A SEQUENCE whose length has a form that DER does not allow. */
function withLength(...length: number[]): Buffer {
  return join(Buffer.of(0x30, ...length), der(GOOD).subarray(4));
}

function certificate(value: Buffer | string) {
  return checkFormat('Certificate', Buffer.from(value as string), NOW_MS);
}

describe('the format Certificate', () => {
  it.each<[string, Buffer | string]>([
    ['a PEM certificate', GOOD],
    ['a PEM certificate with text before, after and between', `0 s:CN = leaf\n${GOOD}i:CN = né\n${GOOD}\nend`],
    ['a DER certificate', der(GOOD)],
    ['a DER certificate and a line end', join(der(GOOD), '\r\n')],
    ['a certificate and its key', block('a key', 'PRIVATE KEY') + GOOD],
    ['a certificate under its older label', GOOD.replaceAll('CERTIFICATE', 'X509 CERTIFICATE')],
    ['lines that end as on Windows', GOOD.replaceAll('\n', '\r\n')],
  ])('R-2.12 format Certificate holds until the certificate ends when the value is %s', (_, value) => {
    expect(certificate(value)).toEqual({ holds: true, boundaryMs: GOOD_UNTIL_MS });
  });

  it.each<[string, Buffer | string]>([
    ['text that begins like DER, a good certificate and an expired one', `0 s:CN = leaf\n${GOOD}${EXPIRED}`],
    ['a good certificate and an expired one', GOOD + EXPIRED],
    ['an expired one under its older label', GOOD + EXPIRED.replaceAll('CERTIFICATE', 'X509 CERTIFICATE')],
    ['an expired one that is marked as trusted', GOOD + EXPIRED.replaceAll('CERTIFICATE', 'TRUSTED CERTIFICATE')],
    ['an expired one under a label in small letters', GOOD + EXPIRED.replaceAll('CERTIFICATE', 'certificate')],
    ['an expired one in DER', der(EXPIRED)],
  ])('R-2.12 format Certificate is violated by an expired certificate when the value is %s', (_, value) => {
    expect(certificate(value)).toEqual({ holds: false, expiredAtMs: Date.UTC(2027, 0, 1) });
  });

  it.each<[string, Buffer | string]>([
    ['DER and DER', join(der(GOOD), der(GOOD))],
    ['DER and an expired one in DER', join(der(GOOD), der(EXPIRED))],
    ['DER and PEM', join(der(GOOD), EXPIRED)],
    ['DER, a line end and PEM', join(der(GOOD), '\n', GOOD)],
    ['PEM and DER', join(GOOD, der(EXPIRED))],
    ['DER and a zero byte', join(der(GOOD), Buffer.of(0))],
    ['DER after a line end', join('\n', der(GOOD))],
    ['DER that lacks its last byte', der(GOOD).subarray(0, -1)],
    ['DER of a length that is written too long', withLength(0x83, 0, ...der(GOOD).subarray(2, 4))],
    ['DER of indefinite length', join(withLength(0x80), Buffer.of(0, 0))],
    ['two certificates in one block', block(join(der(GOOD), der(EXPIRED)))],
    ['a certificate and a byte more in one block', block(join(der(GOOD), '\n'))],
    ['a block that holds PEM', block(GOOD)],
    ['a block that holds PEM after text that begins like DER', block(`0 ${GOOD}`)],
    ['a block that holds PEM within a SEQUENCE', block(sequence(Buffer.from(`\n${GOOD}`)))],
    ['a SEQUENCE that holds PEM', sequence(Buffer.from(`\n${GOOD}`))],
    ['a key that holds PEM, and a certificate', block(EXPIRED, 'PRIVATE KEY') + GOOD],
    ['text, a good certificate and a block without end', `0...\n${GOOD}${unterminated}`],
    ['a block without end', unterminated],
    ['a block without end in the middle', unterminated + GOOD],
    ['a block that begins within a line', `text ${EXPIRED}${GOOD}`],
    ['a block whose first line lacks a dash', EXPIRED.replace('E-----', 'E----') + GOOD],
    ['a block whose last line has text after it', `${GOOD.trimEnd()} text`],
    ['certificates in PKCS #7', GOOD + block(der(EXPIRED), 'PKCS7')],
    ['bytes that are no text between blocks', join(GOOD, Buffer.of(0x01, 0x0a), GOOD)],
    ['bytes that are no UTF-8 between blocks', join(GOOD, Buffer.of(0xff, 0x0a), GOOD)],
    ['a key alone', block('a key', 'PRIVATE KEY')],
    ['nothing', ''],
  ])('R-2.12 is violated when the value is %s', (_, value) => {
    expect(certificate(value)).toEqual({ holds: false });
  });

  it('R-2.12 format Certificate holds until the first certificate ends when all are valid', () => {
    const early = checkFormat('Certificate', join(GOOD, EXPIRED), Date.UTC(2026, 6, 1));
    expect(early).toEqual({ holds: true, boundaryMs: Date.UTC(2027, 0, 1) });
  });
});

describe('the format PEM', () => {
  const pem = (value: Buffer | string) => checkFormat('PEM', Buffer.from(value as string), NOW_MS).holds;

  it.each<[string, Buffer | string]>([
    ['two certificates with text around', `a\n${GOOD}b\n${EXPIRED}c`],
    ['a key', block('a key', 'PRIVATE KEY')],
    ['an expired certificate', EXPIRED],
  ])('R-2.12 format PEM holds when the value is %s', (_, value) => {
    expect(pem(value)).toBe(true);
  });

  it.each<[string, Buffer | string]>([
    ['a block that holds PEM', block(GOOD)],
    ['a key that holds PEM', block(GOOD, 'PRIVATE KEY')],
    ['two certificates in one block', block(join(der(GOOD), der(GOOD)))],
    ['a good block and one without end', GOOD + unterminated],
    ['a good block and one that begins within a line', `${GOOD}text ${GOOD}`],
    ['a good block and DER', join(GOOD, der(GOOD))],
  ])('R-2.12 is violated when the value is %s', (_, value) => {
    expect(pem(value)).toBe(false);
  });
});
