import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { bitString, boolean, der, integer, objectId, octets, sequence, time, utf8 } from './der.ts';

/** A certificate and its key, PEM. */
export interface Identity {
  readonly certificate: string;
  readonly key: string;
}

export interface Issuer extends Identity {
  /** A certificate signed by this one; each name is a DNS name or an IPv4 address. */
  issue(commonName: string, names?: readonly string[]): Identity;
}

export interface Validity {
  /** Milliseconds since the epoch; fractions of a second are dropped. */
  readonly fromMs: number;
  readonly untilMs: number;
}

const SERIAL_BYTES = 16;
const SIGNATURE_ALGORITHM = sequence(objectId('2a8648ce3d040302'));
/** Bits of a key's use (RFC 5280, 4.2.1.3): digitalSignature; keyCertSign and cRLSign. */
const SIGNS_DATA = Buffer.from([0x07, 0x80]);
const SIGNS_CERTIFICATES = Buffer.from([0x01, 0x06]);

/**
 * A certificate authority: RFC 5280, ECDSA with P-256 and SHA-256. Node.js reads X.509 certificates but cannot create
 * them. Strict clients (Python from 3.13 on) require the extensions key usage and key identifiers.
 */
export function certificateAuthority(commonName: string, validity: Validity): Issuer {
  const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ownIdentifier = keyIdentifier(own.publicKey);
  const make = (subject: string, publicKey: KeyObject, extensions: readonly Buffer[]): string => {
    const body = sequence(
      der(0xa0, integer(Buffer.from([2]))),
      integer(Buffer.concat([Buffer.from([1]), randomBytes(SERIAL_BYTES)])),
      SIGNATURE_ALGORITHM,
      distinguishedName(commonName),
      sequence(time(validity.fromMs), time(validity.untilMs)),
      distinguishedName(subject),
      publicKey.export({ type: 'spki', format: 'der' }),
      der(0xa3, sequence(...extensions, extension('551d0e', octets(keyIdentifier(publicKey))))),
    );
    const signature = sign('sha256', body, own.privateKey);
    return pem('CERTIFICATE', sequence(body, SIGNATURE_ALGORITHM, bitString(0, signature)));
  };
  return {
    certificate: make(commonName, own.publicKey, [
      extension('551d13', sequence(boolean(true), integer(Buffer.from([0]))), 'critical'),
      keyUsage(SIGNS_CERTIFICATES),
    ]),
    key: keyPem(own.privateKey),
    issue(subject, names = []) {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const alternatives = names.length === 0 ? [] : [extension('551d11', sequence(...names.map(generalName)))];
      const forServersAndClients = sequence(objectId('2b06010505070301'), objectId('2b06010505070302'));
      const certificate = make(subject, publicKey, [
        extension('551d13', sequence(), 'critical'),
        keyUsage(SIGNS_DATA),
        extension('551d25', forServersAndClients),
        extension('551d23', sequence(der(0x80, ownIdentifier))),
        ...alternatives,
      ]);
      return { certificate, key: keyPem(privateKey) };
    },
  };
}

/** Computed only from the bits of the key, and cut to the usual length (RFC 7093, 2). */
function keyIdentifier(publicKey: KeyObject): Buffer {
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest()
    .subarray(0, 20);
}

function extension(id: string, value: Buffer, critical?: 'critical'): Buffer {
  return sequence(objectId(id), ...(critical === undefined ? [] : [boolean(true)]), octets(value));
}

/** @param bits the number of unused bits of the last byte, and that byte. */
function keyUsage(bits: Buffer): Buffer {
  return extension('551d0f', bitString(bits[0] ?? 0, bits.subarray(1)), 'critical');
}

function distinguishedName(commonName: string): Buffer {
  return sequence(der(0x31, sequence(objectId('550403'), utf8(commonName))));
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
