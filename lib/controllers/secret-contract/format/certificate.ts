import { X509Certificate } from 'node:crypto';
import { sequenceLength } from './der.ts';
import { holdsBoundary, type PemBlock, pemBlocks } from './pem.ts';

/** When all certificates of a value are valid at once: from the latest notBefore until before the earliest notAfter. */
export interface Validity {
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

/** The labels of OpenSSL and others: `CERTIFICATE`, `X509 CERTIFICATE`, `TRUSTED CERTIFICATE`. */
const CERTIFICATE_LABEL = /(?:^| )CERTIFICATE$/i;
/** Not an X.509 certificate, although its name says so (RFC 5755). */
const ATTRIBUTE_CERTIFICATE = 'ATTRIBUTE CERTIFICATE';
/** Containers of certificates. They are not parsed, so a value with one is refused. */
const CONTAINER_LABEL = /^(?:PKCS ?#?7.*|CMS)$/i;

/**
 * The validity of the X.509 certificates in a value. The value is PEM, and every certificate block counts; or it is one
 * certificate in DER, without PEM in it. Each certificate is parsed to its last byte. Undefined when there is no
 * certificate, when one does not parse, or when bytes are left over.
 */
export function certificateValidity(value: Buffer): Validity | undefined {
  const encoded = holdsBoundary(value) ? certificatesOfPem(value) : certificateOfDer(value);
  if (encoded === undefined || encoded.length === 0) return undefined;
  let notBeforeMs = Number.NEGATIVE_INFINITY;
  let notAfterMs = Number.POSITIVE_INFINITY;
  try {
    for (const der of encoded) {
      const certificate = new X509Certificate(der);
      // The parser also accepts PEM in the middle of the bytes, and ignores what follows it.
      if (!certificate.raw.equals(der)) return undefined;
      notBeforeMs = Math.max(notBeforeMs, Date.parse(certificate.validFrom));
      notAfterMs = Math.min(notAfterMs, Date.parse(certificate.validTo));
    }
  } catch {
    return undefined;
  }
  return Number.isNaN(notBeforeMs) || Number.isNaN(notAfterMs) ? undefined : { notBeforeMs, notAfterMs };
}

/** True for a block that is not a certificate, and for a certificate block of exactly one ASN.1 SEQUENCE. */
export function isOneCertificateOrOther(block: PemBlock): boolean {
  return !isCertificate(block) || isOneSequence(block.content);
}

function certificatesOfPem(value: Buffer): Buffer[] | undefined {
  const blocks = pemBlocks(value);
  if (blocks === undefined || blocks.some(({ label }) => CONTAINER_LABEL.test(label))) return undefined;
  const certificates = blocks.filter(isCertificate).map(({ content }) => content);
  return certificates.every(isOneSequence) ? certificates : undefined;
}

/** White space may follow, such as the line end that an editor leaves. */
function certificateOfDer(value: Buffer): Buffer[] | undefined {
  const length = sequenceLength(value);
  if (length === undefined) return undefined;
  return /^[ \t\r\n]*$/.test(value.toString('latin1', length)) ? [value.subarray(0, length)] : undefined;
}

function isCertificate({ label }: PemBlock): boolean {
  return CERTIFICATE_LABEL.test(label) && label.toUpperCase() !== ATTRIBUTE_CERTIFICATE;
}

function isOneSequence(content: Buffer): boolean {
  return sequenceLength(content) === content.length;
}
