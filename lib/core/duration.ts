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
const NANOS_PER_MS = 1_000_000n;

/**
 * Nanoseconds of a duration without a sign in Go's syntax: a sequence of numbers with units (`1h30m`, `1.5s`, `250us`).
 * Fractions of a nanosecond are dropped.
 * @returns undefined for a text that is not a duration.
 */
export function durationNanos(text: string): bigint | undefined {
  if (text === '') return undefined;
  const part = new RegExp(PART);
  let nanos = 0n;
  while (part.lastIndex < text.length) {
    const match = part.exec(text);
    if (match === null) return undefined;
    const [whole = '', fraction = ''] = (match[1] ?? '').split('.');
    const unit = UNIT_NANOS[match[2] ?? ''] ?? 0n;
    nanos += BigInt(whole) * unit;
    if (fraction !== '') nanos += (BigInt(fraction) * unit) / 10n ** BigInt(fraction.length);
  }
  return nanos;
}

/**
 * Parses a duration in the form of Kubernetes (`30s`, `1h30m`, `250ms`) to milliseconds; undefined if the text is not a
 * duration.
 */
export function parseDuration(text: string): number | undefined {
  if (text.length > 64 || !/^([0-9]+(\.[0-9]+)?(h|ms|m|s))+$/.test(text)) return undefined;
  const nanos = durationNanos(text);
  return nanos === undefined ? undefined : Number((nanos + NANOS_PER_MS / 2n) / NANOS_PER_MS);
}

/** A duration in the form that a person writes, with at most two units: `1h30m`, `45s`, `0s`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor((seconds % 86_400) / 3_600), 'h'],
    [Math.floor((seconds % 3_600) / 60), 'm'],
    [seconds % 60, 's'],
  ];
  const shown = parts.filter(([amount]) => amount > 0).slice(0, 2);
  return shown.length === 0 ? '0s' : shown.map(([amount, unit]) => `${amount}${unit}`).join('');
}
