const ALPHABET = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * Decodes base64 of the standard alphabet with padding (RFC 4648 section 4), with or without line breaks; undefined for
 * invalid text.
 */
export function decodeBase64(text: string): Buffer | undefined {
  const joined = text.replace(/[\r\n]/g, '');
  return joined.length % 4 === 0 && ALPHABET.test(joined) ? Buffer.from(joined, 'base64') : undefined;
}
