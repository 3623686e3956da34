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
/** Kubernetes writes no longer quantity: 19 digits, 9 of them after the point, and a suffix. */
const MAX_LENGTH = 32;
const MAX_EXPONENT = 30;
const NANOS_EXPONENT = 9;

/** An amount in the form of Kubernetes: `20Gi`, `1500M`, `500m`, `1e9`. */
export interface Quantity {
  /** In billionths, the smallest unit of Kubernetes. A finer value is rounded away from zero. */
  readonly nanos: bigint;
  /** The form of the suffix: a power of 1024 (`Gi`), a power of 1000 or nothing (`G`), or an exponent (`e9`). */
  readonly form: 'binary' | 'decimal' | 'exponent';
}

/**
 * Reads a Kubernetes quantity. Compare quantities in different forms by `nanos`.
 * @returns undefined for a text that is not a quantity, is longer than 32 characters, or has an exponent beyond 30.
 */
export function parseQuantity(text: string): Quantity | undefined {
  // Checked first, because the expression does not run in linear time.
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
  const form = exponent !== undefined ? 'exponent' : binary !== undefined ? 'binary' : 'decimal';
  return { nanos: sign === '-' ? -nanos : nanos, form };
}

/** The amount of a quantity in billionths; undefined for a text that is not a quantity. */
export function quantityNanos(text: string): bigint | undefined {
  return parseQuantity(text)?.nanos;
}

function shifted(units: bigint, exponent: number): bigint {
  if (exponent >= 0) return units * 10n ** BigInt(exponent);
  const divisor = 10n ** BigInt(-exponent);
  return (units + divisor - 1n) / divisor;
}
