import { decodeBase64 } from './base64.ts';
import { decodeUtf8 } from './text.ts';

export interface PemBlock {
  readonly label: string;
  readonly content: Buffer;
}

const BEGIN = /^-----BEGIN ([!-~]+(?: [!-~]+)*)-----$/;
const END = /^-----END ([!-~]+(?: [!-~]+)*)-----$/;
/** What another parser might take for the first or last line of a block, although it stands within a line or is misspelt. */
const LIKE_BOUNDARY = /-----(?:BEGIN|END)/;
const HEADER = /^[!-9;-~]+:/;
/** Of ASCII alone: bytes beyond it are no white space before they are decoded. */
const WHITE_SPACE = ' \t\r\v\f';
const NO_TEXT = /[^\P{Cc}\t\n\v\f\r]/u;

/** Whether a block of PEM begins anywhere in the bytes. */
export function holdsBoundary(bytes: Buffer): boolean {
  return bytes.includes('-----BEGIN');
}

/**
 * The blocks of a value in PEM (RFC 7468; header lines as in RFC 1421 are allowed, and so is text around blocks), or
 * undefined when a block is malformed (not ended, ended by another label, empty, not base64, holding PEM itself), or when
 * what is around the blocks is no text.
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

/** By hand: an expression for what a line ends in is quadratic in a run of white space within it. */
function trimmed(line: string): string {
  let [from, to] = [0, line.length];
  while (from < to && WHITE_SPACE.includes(line[from] ?? '')) from += 1;
  while (from < to && WHITE_SPACE.includes(line[to - 1] ?? '')) to -= 1;
  return line.slice(from, to);
}

/** Headers, if there are any, end with an empty line. */
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
