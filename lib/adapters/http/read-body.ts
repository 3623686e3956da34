import { GrowingBytes } from './growing-bytes.ts';

/** A page of a list is not read further than this: the list goes on in smaller pages. */
export const MAX_PAGE_BYTES = 4 * 1_048_576;

/**
 * An answer about one object, or one event of a watch, is not read further than this. The API server takes requests of
 * 3 MiB and etcd stores 1.5 MiB; in JSON, control characters take six times their size.
 */
export const MAX_OBJECT_BYTES = 12 * 1_048_576;

/** An error is a Status, which is small. */
export const MAX_ERROR_BYTES = 1_048_576;

/** Of answers larger than this only a few are held at once. */
const LARGE_BYTES = 1_048_576;

/** What is kept of an answer that is too large: the head of a list, and the name of its first object, lie in it. */
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
 * Reads a body, and no more of it than allowed, whatever the sender says of its length.
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
