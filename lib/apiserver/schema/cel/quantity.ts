/** Powers behind the suffixes of a Kubernetes quantity: [base, exponent]. */
const SUFFIXES: ReadonlyMap<string, readonly [bigint, number]> = new Map<string, readonly [bigint, number]>([
  ['n', [10n, -9]],
  ['u', [10n, -6]],
  ['m', [10n, -3]],
  ['', [10n, 0]],
  ['k', [10n, 3]],
  ['M', [10n, 6]],
  ['G', [10n, 9]],
  ['T', [10n, 12]],
  ['P', [10n, 15]],
  ['E', [10n, 18]],
  ['Ki', [2n, 10]],
  ['Mi', [2n, 20]],
  ['Gi', [2n, 30]],
  ['Ti', [2n, 40]],
  ['Pi', [2n, 50]],
  ['Ei', [2n, 60]],
]);

const SYNTAX = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|[eE][+-]?\d{1,3}|)$/;
/** Quantities are exact to the nano; what is finer is rounded up (k8s.io/apimachinery/pkg/api/resource). */
const NANO = 10n ** 9n;
const INT64_MAX = 2n ** 63n - 1n;

/** A Kubernetes quantity (`10Gi`, `500m`, `1e3`), exact to a billionth. */
export class Quantity {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }

  compareTo(other: Quantity): bigint {
    return this.nanos < other.nanos ? -1n : this.nanos > other.nanos ? 1n : 0n;
  }

  isInteger(): boolean {
    const whole = this.nanos / NANO;
    return this.nanos % NANO === 0n && whole <= INT64_MAX && whole >= -INT64_MAX - 1n;
  }

  /** @throws RangeError when the quantity is no 64-bit integer. */
  asInteger(): bigint {
    if (!this.isInteger()) throw new RangeError('cannot convert value to integer');
    return this.nanos / NANO;
  }

  asApproximateFloat(): number {
    return Number(this.nanos) / 1e9;
  }
}

/** The quantity that the text says, or undefined when it is none. */
export function parseQuantity(text: string): Quantity | undefined {
  const parts = SYNTAX.exec(text);
  if (parts === null) return undefined;
  const [whole = '', fraction = ''] = (parts[2] ?? '').split('.');
  const digits = BigInt(`${whole}${fraction}`) * NANO;
  const suffix = parts[3] ?? '';
  const [base, exponent] = SUFFIXES.get(suffix) ?? [10n, Number(suffix.slice(1))];
  const scaled = exponent < 0 ? digits : digits * base ** BigInt(exponent);
  const divisor = 10n ** BigInt(fraction.length) * (exponent < 0 ? base ** BigInt(-exponent) : 1n);
  const nanos = (scaled + divisor - 1n) / divisor;
  return new Quantity(parts[1] === '-' ? -nanos : nanos);
}
