/*
 * A cut inside a character leaves half of it. The API server replaces that half, and then the written text differs from
 * the read one in every pass. Half characters that existed before are replaced here in the same way.
 */

/**
 * The beginning of the text, with at most `max` Unicode code points, as `maxLength` in a CustomResourceDefinition
 * counts them.
 */
export function cutToCodePoints(text: string, max: number): string {
  return cutTo(text, max, () => 1);
}

/**
 * The beginning of the text, with at most `max` bytes of UTF-8, as the limits of the API server's own kinds count them.
 */
export function cutToUtf8Bytes(text: string, max: number): string {
  return cutTo(text, max, utf8Bytes);
}

function cutTo(text: string, max: number, sizeOf: (codePoint: number) => number): string {
  const whole = text.toWellFormed();
  let size = 0;
  let end = 0;
  for (const character of whole) {
    size += sizeOf(character.codePointAt(0) ?? 0);
    if (size > max) return whole.slice(0, end);
    end += character.length;
  }
  return whole;
}

function utf8Bytes(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}
