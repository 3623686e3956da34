import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';

/** A certificate and its key, PEM. */
export interface Identity {
  readonly certificate: string;
  readonly key: string;
}

export interface Issuer extends Identity {
  /** A certificate signed by this one; each name is a DNS name or an IPv4 address. */
  issue(commonName: string, names?: readonly string[]): Identity;
}

/**
 * A certificate authority of the test run alone. Written in DER here, since Node reads X.509 but cannot make it, and an
 * openssl binary is not everywhere (RFC 5280, ECDSA with P-256 and SHA-256, valid from 2020 to 2049).
 */
export function certificateAuthority(commonName = 'Test CA'): Issuer {
  const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  let serial = 1;
  const make = (subject: string, publicKey: KeyObject, extensions: Buffer[]): string => {
    serial += 1;
    const body = sequence(
      tagged(0xa0, integer(2)),
      integer(serial),
      SIGNATURE_ALGORITHM,
      distinguishedName(commonName),
      sequence(utcTime('200101000000Z'), utcTime('491231235959Z')),
      distinguishedName(subject),
      publicKey.export({ type: 'spki', format: 'der' }),
      tagged(0xa3, sequence(...extensions)),
    );
    const signature = sign('sha256', body, own.privateKey);
    return pem('CERTIFICATE', sequence(body, SIGNATURE_ALGORITHM, bitString(signature)));
  };
  const isAuthority = sequence(objectId('551d13'), boolean(true), octets(sequence(boolean(true))));
  return {
    certificate: make(commonName, own.publicKey, [isAuthority]),
    key: keyPem(own.privateKey),
    issue(subject, names = []) {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const alternatives = sequence(...names.map(generalName));
      const extensions = names.length === 0 ? [] : [sequence(objectId('551d11'), octets(alternatives))];
      const notAuthority = sequence(objectId('551d13'), octets(sequence()));
      return { certificate: make(subject, publicKey, [notAuthority, ...extensions]), key: keyPem(privateKey) };
    },
  };
}

const SIGNATURE_ALGORITHM = sequence(objectId('2a8648ce3d040302'));

function der(tag: number, content: Buffer): Buffer {
  if (content.length < 128) return Buffer.concat([Buffer.from([tag, content.length]), content]);
  // In as few bytes as hold it: Go's parser insists on that.
  const digits = content.length.toString(16);
  const length = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.from([tag, 0x80 + length.length]), length, content]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function tagged(tag: number, content: Buffer): Buffer {
  return der(tag, content);
}

function integer(value: number): Buffer {
  return der(0x02, Buffer.from([value]));
}

function boolean(value: boolean): Buffer {
  return der(0x01, Buffer.from([value ? 0xff : 0]));
}

function objectId(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}

function octets(content: Buffer): Buffer {
  return der(0x04, content);
}

function bitString(content: Buffer): Buffer {
  return der(0x03, Buffer.concat([Buffer.from([0]), content]));
}

function utcTime(text: string): Buffer {
  return der(0x17, Buffer.from(text));
}

function distinguishedName(commonName: string): Buffer {
  return sequence(der(0x31, sequence(objectId('550403'), der(0x0c, Buffer.from(commonName)))));
}

function generalName(name: string): Buffer {
  return isIPv4(name) ? der(0x87, Buffer.from(name.split('.').map(Number))) : der(0x82, Buffer.from(name));
}

function pem(label: string, content: Buffer): string {
  const lines = content.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

function keyPem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}
