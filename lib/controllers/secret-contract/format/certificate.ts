import { X509Certificate } from 'node:crypto';
import { pemBlocks } from './pem.ts';

/** When all certificates of a value are valid together: from the latest notBefore to before the earliest notAfter. */
export interface Validity {
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

const DER_SEQUENCE = 0x30;

/**
 * The validity of the X.509 certificates in a value, PEM (every CERTIFICATE block, so a whole chain) or one in DER;
 * undefined when there is none or one does not parse.
 */
export function certificateValidity(value: Buffer): Validity | undefined {
  const encoded = value[0] === DER_SEQUENCE ? [value] : certificateBlocks(value);
  if (encoded === undefined || encoded.length === 0) return undefined;
  let notBeforeMs = Number.NEGATIVE_INFINITY;
  let notAfterMs = Number.POSITIVE_INFINITY;
  try {
    for (const der of encoded) {
      const certificate = new X509Certificate(der);
      notBeforeMs = Math.max(notBeforeMs, Date.parse(certificate.validFrom));
      notAfterMs = Math.min(notAfterMs, Date.parse(certificate.validTo));
    }
  } catch {
    return undefined;
  }
  return Number.isNaN(notBeforeMs) || Number.isNaN(notAfterMs) ? undefined : { notBeforeMs, notAfterMs };
}

function certificateBlocks(value: Buffer): Buffer[] | undefined {
  return pemBlocks(value)
    ?.filter(({ label }) => label === 'CERTIFICATE')
    .map(({ content }) => content);
}
