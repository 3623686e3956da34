const DECIMAL_EXPONENTS: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const BINARY_POWERS: Readonly<Record<string, number>> = { Ki: 1, Mi: 2, Gi: 3, Ti: 4, Pi: 5, Ei: 6 };
const MAX_LENGTH = 32;
const MAX_EXPONENT = 30;
const NANOS_EXPONENT = 9;

/**
 * The amount that a Kubernetes quantity (`20Gi`, `1500M`, `1e9`) stands for, in billionths, rounded up; undefined when
 * it is none. Two quantities that are written differently compare by it.
 */
export function quantityNanos(text: string): bigint | undefined {
  // First, since the expression is not linear in the length.
  if (text.length > MAX_LENGTH) return undefined;
  const match = /^([+-]?)(\d+\.?\d*|\.\d+)(?:[eE]([+-]?\d{1,3})|([numkMGTPE]|[KMGTPE]i)?)$/.exec(text);
  if (match === null) return undefined;
  const [, sign = '', digits = '', exponent, suffix = ''] = match;
  const [whole = '', fraction = ''] = digits.split('.');
  const binary = BINARY_POWERS[suffix];
  const decimal = exponent === undefined ? (DECIMAL_EXPONENTS[suffix] ?? 0) : Number(exponent);
  if (Math.abs(decimal) > MAX_EXPONENT) return undefined;
  const units = BigInt(whole + fraction) * 1024n ** BigInt(binary ?? 0);
  const nanos = shifted(units, decimal + NANOS_EXPONENT - fraction.length);
  return sign === '-' ? -nanos : nanos;
}

function shifted(units: bigint, exponent: number): bigint {
  if (exponent >= 0) return units * 10n ** BigInt(exponent);
  const divisor = 10n ** BigInt(-exponent);
  return (units + divisor - 1n) / divisor;
}
