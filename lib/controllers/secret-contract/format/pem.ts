import { decodeBase64 } from './base64.ts';

export interface PemBlock {
  readonly label: string;
  readonly content: Buffer;
}

const BEGIN = /^-----BEGIN ([!-~]+(?: [!-~]+)*)-----$/;
const END = /^-----END ([!-~]+(?: [!-~]+)*)-----$/;
const HEADER = /^[!-9;-~]+:/;

/**
 * The blocks of a value in PEM (RFC 7468; header lines as in RFC 1421 are allowed, and so is text between blocks), or
 * undefined when a block is malformed: not ended, ended by another label, empty, or not base64.
 */
export function pemBlocks(value: Buffer): PemBlock[] | undefined {
  const blocks: PemBlock[] = [];
  let open: { label: string; lines: string[] } | undefined;
  for (const line of value.toString('latin1').split('\n')) {
    const text = line.trim();
    const begins = BEGIN.exec(text)?.[1];
    const ends = END.exec(text)?.[1];
    if (begins !== undefined) {
      if (open !== undefined) return undefined;
      open = { label: begins, lines: [] };
    } else if (ends !== undefined) {
      const content = open?.label === ends ? decodeBody(open.lines) : undefined;
      if (content === undefined || open === undefined) return undefined;
      blocks.push({ label: open.label, content });
      open = undefined;
    } else {
      open?.lines.push(text);
    }
  }
  return open === undefined ? blocks : undefined;
}

/** Headers, if there are any, end with an empty line. */
function decodeBody(lines: readonly string[]): Buffer | undefined {
  const hasHeaders = HEADER.test(lines[0] ?? '');
  const body = hasHeaders ? lines.slice(lines.indexOf('') + 1) : lines;
  if (hasHeaders && !lines.includes('')) return undefined;
  const content = decodeBase64(body.join(''));
  return content === undefined || content.length === 0 ? undefined : content;
}
