/** The value as text; undefined when it is not UTF-8. A byte order mark is part of the text. */
export function decodeUtf8(value: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value);
  } catch {
    return undefined;
  }
}
