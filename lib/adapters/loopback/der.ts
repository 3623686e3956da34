/** The DER (X.690) encoding of the values in a certificate. */

/** @param tag the tag with its class, such as 0x30. */
export function der(tag: number, content: Buffer): Buffer {
  if (content.length < 128) return Buffer.concat([Buffer.from([tag, content.length]), content]);
  // In as few bytes as possible, because Go's parser accepts nothing else.
  const digits = content.length.toString(16);
  const length = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.from([tag, 0x80 + length.length]), length, content]);
}

export function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

/** @param bytes big-endian, without leading zeros; the first bit is the sign. */
export function integer(bytes: Buffer): Buffer {
  return der(0x02, bytes);
}

export function boolean(value: boolean): Buffer {
  return der(0x01, Buffer.from([value ? 0xff : 0]));
}

/** @param hex the encoded form. */
export function objectId(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}

export function octets(content: Buffer): Buffer {
  return der(0x04, content);
}

export function bitString(unusedBits: number, content: Buffer): Buffer {
  return der(0x03, Buffer.concat([Buffer.from([unusedBits]), content]));
}

export function utf8(text: string): Buffer {
  return der(0x0c, Buffer.from(text));
}

/** UTCTime up to 2049 and GeneralizedTime from 2050 on (RFC 5280, 4.1.2.5). */
export function time(atMs: number): Buffer {
  const digits = `${new Date(atMs)
    .toISOString()
    .slice(0, 19)
    .replace(/[^0-9]/g, '')}Z`;
  return digits < '2050' ? der(0x17, Buffer.from(digits.slice(2))) : der(0x18, Buffer.from(digits));
}
