import { GrowingBytes } from '../../http/growing-bytes.ts';
import { MAX_OBJECT_BYTES } from '../../http/read-body.ts';

/** One line, or `undefined` for a line that is longer than the limit. */
export type Line = string | undefined;

const LINE_END = 0x0a;

/**
 * Splits a stream of bytes into lines. A chunk may end inside a character or inside a line. The time depends on the
 * number of bytes, not on the number of chunks. It keeps at most one line of `maxBytes`, and skips the rest of a longer
 * one.
 */
export class LineDecoder {
  readonly #maxBytes: number;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  /** The bytes of the line that has not ended yet. */
  readonly #begun = new GrowingBytes();
  #isTooLong = false;

  constructor(maxBytes = MAX_OBJECT_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that end in this chunk, without empty ones. @throws TypeError for bytes that are not UTF-8. */
  push(chunk: Uint8Array): Line[] {
    const lines: Line[] = [];
    let start = 0;
    for (let end = chunk.indexOf(LINE_END); end !== -1; end = chunk.indexOf(LINE_END, start)) {
      this.#keep(chunk.subarray(start, end));
      const line = this.#complete();
      if (line !== '') lines.push(line);
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
    return lines;
  }

  /** The text after the last line end; '' when there is none. @throws TypeError when it ends inside a character. */
  end(): Line {
    return this.#complete()?.trim();
  }

  #keep(piece: Uint8Array): void {
    if (this.#isTooLong) return;
    if (this.#begun.length + piece.byteLength <= this.#maxBytes) {
      this.#begun.append(piece);
      return;
    }
    this.#isTooLong = true;
    this.#begun.clear();
  }

  #complete(): Line {
    if (this.#isTooLong) {
      this.#isTooLong = false;
      return undefined;
    }
    try {
      return this.#decoder.decode(this.#begun.bytes());
    } finally {
      this.#begun.clear();
    }
  }
}
