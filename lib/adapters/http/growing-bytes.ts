/**
 * Smaller pieces are copied into one block, because the overhead of a piece that is kept is larger than a small piece.
 */
const SMALL_BYTES = 4_096;
const BLOCK_BYTES = 16_384;

/** Collects bytes that arrive in pieces. It needs little more memory than their sum, also for small pieces. */
export class GrowingBytes {
  #pieces: Uint8Array[] = [];
  /** Holds small pieces that came one after the other. */
  #block = Buffer.alloc(0);
  #blockLength = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(piece: Uint8Array): void {
    // Most answers are one piece.
    if (this.#length === 0 || piece.byteLength >= SMALL_BYTES) this.#keep(piece);
    else this.#copy(piece);
    this.#length += piece.byteLength;
  }

  /** All collected bytes. */
  bytes(): Buffer {
    this.#endBlock();
    const [first] = this.#pieces;
    if (first !== undefined && this.#pieces.length === 1) {
      return Buffer.from(first.buffer, first.byteOffset, first.byteLength);
    }
    return Buffer.concat(this.#pieces, this.#length);
  }

  clear(): void {
    this.#pieces = [];
    this.#block = Buffer.alloc(0);
    this.#blockLength = 0;
    this.#length = 0;
  }

  #keep(piece: Uint8Array): void {
    this.#endBlock();
    if (piece.byteLength > 0) this.#pieces.push(piece);
  }

  #copy(piece: Uint8Array): void {
    if (this.#blockLength + piece.byteLength > this.#block.byteLength) {
      this.#endBlock();
      this.#block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
    }
    this.#block.set(piece, this.#blockLength);
    this.#blockLength += piece.byteLength;
  }

  /** Later pieces do not overwrite these bytes. */
  #endBlock(): void {
    if (this.#blockLength > 0) this.#pieces.push(this.#block.subarray(0, this.#blockLength));
    this.#block = this.#block.subarray(this.#blockLength);
    this.#blockLength = 0;
  }
}
