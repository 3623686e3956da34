import type { Format } from '../contract.ts';
import { decodeBase64 } from './base64.ts';
import { certificateValidity, isOneCertificateOrOther } from './certificate.ts';
import { pemBlocks } from './pem.ts';
import { decodeUtf8 } from './text.ts';

export interface FormatCheck {
  readonly holds: boolean;
  /** The time at which the answer changes without another cause, epoch ms. */
  readonly boundaryMs?: number;
  /** The boundary that has passed and caused the negative answer, epoch ms. */
  readonly expiredAtMs?: number;
}

/** Whether a value has the format, at `nowMs`. */
export function checkFormat(format: Format, value: Buffer, nowMs: number): FormatCheck {
  switch (format) {
    case 'PEM':
      return { holds: isPem(value) };
    case 'JSON':
      return { holds: isJson(value) };
    case 'Base64':
      return { holds: decodeBase64(value.toString('latin1')) !== undefined };
    case 'Certificate':
      return checkCertificate(value, nowMs);
  }
}

function isPem(value: Buffer): boolean {
  const blocks = pemBlocks(value) ?? [];
  return blocks.length > 0 && blocks.every(isOneCertificateOrOther);
}

function isJson(value: Buffer): boolean {
  const text = decodeUtf8(value);
  if (text === undefined) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function checkCertificate(value: Buffer, nowMs: number): FormatCheck {
  const validity = certificateValidity(value);
  if (validity === undefined) return { holds: false };
  const { notBeforeMs, notAfterMs } = validity;
  if (nowMs >= notAfterMs) return { holds: false, expiredAtMs: notAfterMs };
  if (nowMs < notBeforeMs)
    return notBeforeMs < notAfterMs ? { holds: false, boundaryMs: notBeforeMs } : { holds: false };
  return { holds: true, boundaryMs: notAfterMs };
}
