import { durationNanos } from '../../core/duration.ts';

/** Go keeps a duration in 64 bits. */
const LIMIT = 1n << 63n;

/**
 * A duration in Go's syntax (`1h30m`, `-1.5s`, `0`), in nanoseconds; undefined when the text is not one, or out of
 * range.
 */
export function parseDuration(text: string): bigint | undefined {
  const sign = text.startsWith('-') ? -1n : 1n;
  const digits = /^[+-]/.test(text) ? text.slice(1) : text;
  const nanos = digits === '0' ? 0n : durationNanos(digits);
  return nanos !== undefined && nanos < LIMIT ? sign * nanos : undefined;
}
