import { decodeBase64 } from './base64.ts';
import { decodeUtf8 } from './text.ts';

export interface PemBlock {
  readonly label: string;
  readonly content: Buffer;
}

const BEGIN = /^-----BEGIN ([!-~]+(?: [!-~]+)*)-----$/;
const END = /^-----END ([!-~]+(?: [!-~]+)*)-----$/;
/** A boundary inside a line, or a misspelt one. Another parser could take it for the first or last line of a block. */
const LIKE_BOUNDARY = /-----(?:BEGIN|END)/;
const HEADER = /^[!-9;-~]+:/;
/** Only ASCII, because bytes beyond ASCII are not white space before they are decoded. */
const WHITE_SPACE = ' \t\r\v\f';
const NO_TEXT = /[^\P{Cc}\t\n\v\f\r]/u;

/** Whether a PEM block starts anywhere in the bytes. */
export function holdsBoundary(bytes: Buffer): boolean {
  return bytes.includes('-----BEGIN');
}

/**
 * The blocks of a value in PEM (RFC 7468). Header lines as in RFC 1421 are allowed, and so is text around the blocks.
 * Undefined when a block is malformed (not ended, ended by another label, empty, not base64, with PEM in it), or when
 * the rest of the value is not text.
 */
export function pemBlocks(value: Buffer): PemBlock[] | undefined {
  const blocks: PemBlock[] = [];
  const around: string[] = [];
  let open: { label: string; lines: string[] } | undefined;
  for (const line of value.toString('latin1').split('\n')) {
    const text = trimmed(line);
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
    } else if (LIKE_BOUNDARY.test(text)) {
      return undefined;
    } else {
      (open?.lines ?? around).push(text);
    }
  }
  return open === undefined && isText(around.join('\n')) ? blocks : undefined;
}

/** Without a regular expression: for the end of a line, it would need quadratic time in a run of white space. */
function trimmed(line: string): string {
  let [from, to] = [0, line.length];
  while (from < to && WHITE_SPACE.includes(line[from] ?? '')) from += 1;
  while (from < to && WHITE_SPACE.includes(line[to - 1] ?? '')) to -= 1;
  return line.slice(from, to);
}

/** If there are headers, an empty line ends them. */
function decodeBody(lines: readonly string[]): Buffer | undefined {
  const hasHeaders = HEADER.test(lines[0] ?? '');
  const body = hasHeaders ? lines.slice(lines.indexOf('') + 1) : lines;
  if (hasHeaders && !lines.includes('')) return undefined;
  const content = decodeBase64(body.join(''));
  return content === undefined || content.length === 0 || holdsBoundary(content) ? undefined : content;
}

function isText(latin1: string): boolean {
  const text = decodeUtf8(Buffer.from(latin1, 'latin1'));
  return text !== undefined && !NO_TEXT.test(text);
}
