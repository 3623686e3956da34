const UNIT_NANOS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y;
const LIMIT = 1n << 63n;

/** Nanoseconds of a duration in Go's syntax (`1h30m`, `-1.5s`, `0`), or undefined where it is none or out of range. */
export function parseDuration(text: string): bigint | undefined {
  const sign = text.startsWith('-') ? -1n : 1n;
  const digits = /^[+-]/.test(text) ? text.slice(1) : text;
  if (digits === '0') return 0n;
  if (digits === '') return undefined;
  let nanos = 0n;
  PART.lastIndex = 0;
  while (PART.lastIndex < digits.length) {
    const part = PART.exec(digits);
    if (part === null) return undefined;
    const [whole = '', fraction = ''] = (part[1] ?? '').split('.');
    const unit = UNIT_NANOS[part[2] ?? ''] ?? 0n;
    nanos += BigInt(whole === '' ? '0' : whole) * unit;
    if (fraction !== '') nanos += (BigInt(fraction) * unit) / 10n ** BigInt(fraction.length);
  }
  return nanos < LIMIT ? sign * nanos : undefined;
}
