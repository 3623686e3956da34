/** A line longer than this is no event of an API server, whose objects are bounded by etcd's request size. */
const MAX_LINE_LENGTH = 64 * 1024 * 1024;

/**
 * Cuts a stream of bytes into lines, wherever the chunks end: inside a character or inside a line of many megabytes.
 * Takes time in the order of the bytes, however many chunks a line comes in.
 */
export class LineDecoder {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  /** The pieces of the line that has not ended yet. */
  #pieces: string[] = [];
  #length = 0;

  /** The lines that end in this chunk, empty ones left out. @throws TypeError for bytes that are not UTF-8. */
  push(chunk: Uint8Array): string[] {
    const text = this.#decoder.decode(chunk, { stream: true });
    const lines: string[] = [];
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      const line = this.#complete(text.slice(start, end));
      if (line !== '') lines.push(line);
      start = end + 1;
    }
    this.#keep(text.slice(start));
    return lines;
  }

  /** What was left without a line end, '' when nothing was. @throws TypeError when it ends inside a character. */
  end(): string {
    return this.#complete(this.#decoder.decode()).trim();
  }

  #keep(piece: string): void {
    if (piece === '') return;
    this.#pieces.push(piece);
    this.#length += piece.length;
    if (this.#length > MAX_LINE_LENGTH) throw new RangeError(`a line of more than ${MAX_LINE_LENGTH} characters`);
  }

  #complete(last: string): string {
    if (this.#pieces.length === 0) return last;
    const line = this.#pieces.join('') + last;
    this.#pieces = [];
    this.#length = 0;
    return line;
  }
}
