const SEQUENCE = 0x30;
const LONG_FORM = 0x80;

/**
 * The length of the ASN.1 SEQUENCE at the start of the bytes, tag and length included. Undefined when there is none or
 * it is incomplete. Lengths must be those of DER (X.690 10.1): definite, and as short as possible.
 */
export function sequenceLength(bytes: Buffer): number | undefined {
  const [tag, first] = bytes;
  if (tag !== SEQUENCE || first === undefined) return undefined;
  const lengthBytes = first < LONG_FORM ? 0 : first - LONG_FORM;
  // Four length bytes allow 4 GiB; a Secret has at most 1 MiB.
  if (first === LONG_FORM || lengthBytes > 4 || bytes.length < 2 + lengthBytes) return undefined;
  const content = lengthBytes === 0 ? first : bytes.readUIntBE(2, lengthBytes);
  const isShortest = lengthBytes === 0 || content >= (lengthBytes === 1 ? LONG_FORM : 256 ** (lengthBytes - 1));
  const length = 2 + lengthBytes + content;
  return isShortest && length <= bytes.length ? length : undefined;
}
