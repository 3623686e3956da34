import { GrowingBytes } from './growing-bytes.ts';

/** The limit for one page of a list. When a page is larger, the list continues with smaller pages. */
export const MAX_PAGE_BYTES = 4 * 1_048_576;

/**
 * The limit for an answer about one object, and for one event of a watch. The API server accepts requests of 3 MiB, and etcd
 * stores 1.5 MiB. In JSON a control character takes six times its size.
 */
export const MAX_OBJECT_BYTES = 12 * 1_048_576;

/** An error is a Status, which is small. */
export const MAX_ERROR_BYTES = 1_048_576;

/** Only a few answers larger than this are in memory at once. */
const LARGE_BYTES = 1_048_576;

/** How much of a too large answer is kept. The head of a list and the name of its first object are within it. */
const HEAD_BYTES = 65_536;

export interface Body {
  /** The body as UTF-8, or its head when it is not whole. */
  readonly text: string;
  /** How much was read. */
  readonly bytes: number;
  /** False when the body is larger than allowed; its rest was not read. */
  readonly isWhole: boolean;
}

/**
 * Reads a body up to the limit. The length that the sender announces does not matter.
 * @param whenLarge awaited before more than a megabyte is held.
 */
export async function readBody(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
  whenLarge: () => Promise<void> = async () => {},
): Promise<Body> {
  const read = new GrowingBytes();
  for await (const chunk of chunks) {
    const bytes = read.length + chunk.byteLength;
    if (bytes > maxBytes) {
      if (read.length < HEAD_BYTES) read.append(chunk.subarray(0, HEAD_BYTES - read.length));
      return { text: read.bytes().toString('utf8', 0, HEAD_BYTES), bytes, isWhole: false };
    }
    read.append(chunk);
    if (bytes > LARGE_BYTES) await whenLarge();
  }
  return { text: read.bytes().toString('utf8'), bytes: read.length, isWhole: true };
}
