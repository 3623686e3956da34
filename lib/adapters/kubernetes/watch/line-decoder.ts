import { GrowingBytes } from '../../http/growing-bytes.ts';
import { MAX_OBJECT_BYTES } from '../../http/read-body.ts';

/** A line as it stands, or `undefined` for one that is longer than is read of one. */
export type Line = string | undefined;

const LINE_END = 0x0a;

/**
 * Cuts a stream of bytes into lines, wherever the chunks end: inside a character or inside a line of many megabytes.
 * Takes time in the order of the bytes, however many chunks a line comes in, and holds at most one line of `maxBytes`: of
 * a longer one the rest is passed over.
 */
export class LineDecoder {
  readonly #maxBytes: number;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  /** What came of the line that has not ended yet. */
  readonly #begun = new GrowingBytes();
  #isTooLong = false;

  constructor(maxBytes = MAX_OBJECT_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that end in this chunk, empty ones left out. @throws TypeError for bytes that are not UTF-8. */
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

  /** What was left without a line end, '' when nothing was. @throws TypeError when it ends inside a character. */
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
