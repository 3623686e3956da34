import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Line, LineDecoder } from '../../../../lib/adapters/kubernetes/watch/line-decoder.ts';

const encoder = new TextEncoder();

function decode(chunks: Iterable<Uint8Array>, maxBytes?: number): Line[] {
  const decoder = new LineDecoder(maxBytes);
  const lines: Line[] = [];
  for (const chunk of chunks) lines.push(...decoder.push(chunk));
  const rest = decoder.end();
  return rest === '' ? lines : [...lines, rest];
}

function* pieces(bytes: Uint8Array, sizes: readonly number[]): Generator<Uint8Array> {
  let start = 0;
  for (const size of sizes) {
    yield bytes.subarray(start, start + size);
    start += size;
  }
  yield bytes.subarray(start);
}

describe('R-5.7 the lines of a watch', () => {
  it('lines are the same for every cut into chunks, inside characters and with empty chunks too', () => {
    const line = fc.string({ unit: 'grapheme', minLength: 1 }).map((text) => `x${text.replaceAll(/[\n\s]/gu, '')}`);
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat({ max: 5 })), fc.boolean(), (lines, sizes, lastEnds) => {
        const bytes = encoder.encode(lines.join('\n') + (lastEnds ? '\n' : ''));
        expect(decode(pieces(bytes, sizes))).toEqual(lines);
      }),
    );
  });

  it('a line may have many megabytes, in many chunks', () => {
    const long = 'é'.repeat(2_000_000);
    const bytes = encoder.encode(`first\n${long}\nlast\n`);
    const sizes = Array.from({ length: Math.ceil(bytes.length / 1_021) }, () => 1_021);
    expect(decode(pieces(bytes, sizes))).toEqual(['first', long, 'last']);
  });

  it('bytes that are not UTF-8 give no lines', () => {
    expect(() => decode([new Uint8Array([0x7b, 0xff, 0x0a])])).toThrow(TypeError);
    expect(() => decode([encoder.encode('é').subarray(0, 1)])).toThrow(TypeError);
  });

  it.each([
    ['in one chunk', 1_000_000],
    ['in many chunks', 7],
    ['byte by byte', 1],
  ])('R-5.18 a line that is too long is skipped, and the next one is read, when it comes %s', (_, size) => {
    const bytes = encoder.encode(`first\n${'x'.repeat(101)}\n${'\u0436'.repeat(50)}\n${'\u0436'.repeat(51)}\nlast\n`);
    const sizes = Array.from({ length: Math.ceil(bytes.length / size) }, () => size);
    expect(decode(pieces(bytes, sizes), 100)).toEqual(['first', undefined, '\u0436'.repeat(50), undefined, 'last']);
  });

  it('R-5.18 a line that never ends is not kept', () => {
    const decoder = new LineDecoder(1024 * 1024);
    const megabyte = encoder.encode('x'.repeat(1024 * 1024));
    const before = process.memoryUsage().arrayBuffers;
    for (let count = 0; count < 256; count += 1) expect(decoder.push(megabyte)).toEqual([]);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024);
    expect(decoder.push(encoder.encode('\nnext\n'))).toEqual([undefined, 'next']);
  });
});
