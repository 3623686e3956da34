/** One encoded field: a number, or the bytes of a text, a message or raw data. */
export interface WireField {
  readonly number: number;
  readonly value: bigint | Uint8Array;
}

/** The bytes are not a protobuf message. */
export class WireError extends Error {}

const VARINT = 0;
const FIXED_64 = 1;
const BYTES = 2;
const FIXED_32 = 5;
/** A varint of 64 bits has ten bytes. */
const LONGEST_VARINT = 10;

/**
 * The fields of a message in their order (https://protobuf.dev/programming-guides/encoding).
 * @throws WireError when the message is truncated, or has groups.
 */
export function* readFields(message: Uint8Array): Generator<WireField> {
  const reader = new Reader(message);
  while (!reader.atEnd) {
    const tag = Number(reader.varint());
    const number = tag >>> 3;
    switch (tag & 7) {
      case VARINT:
        yield { number, value: reader.varint() };
        break;
      case BYTES:
        yield { number, value: reader.bytes(Number(reader.varint())) };
        break;
      case FIXED_64:
        yield { number, value: reader.bytes(8) };
        break;
      case FIXED_32:
        yield { number, value: reader.bytes(4) };
        break;
      default:
        throw new WireError(`field ${number} has an unknown wire type`);
    }
  }
}

class Reader {
  readonly #source: Uint8Array;
  #offset = 0;

  constructor(source: Uint8Array) {
    this.#source = source;
  }

  get atEnd(): boolean {
    return this.#offset >= this.#source.length;
  }

  varint(): bigint {
    let value = 0n;
    for (let index = 0; index < LONGEST_VARINT; index += 1) {
      const [byte = 0] = this.bytes(1);
      value |= BigInt(byte & 0x7f) << BigInt(7 * index);
      if (byte < 0x80) return BigInt.asIntN(64, value);
    }
    throw new WireError('a number is longer than 64 bits');
  }

  bytes(length: number): Uint8Array {
    const end = this.#offset + length;
    if (length < 0 || end > this.#source.length) throw new WireError('the message is cut short');
    const bytes = this.#source.subarray(this.#offset, end);
    this.#offset = end;
    return bytes;
  }
}
