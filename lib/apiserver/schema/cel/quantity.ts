import { quantityNanos } from '../../../core/quantity.ts';

/** Quantities are exact to a billionth; a finer value is rounded up (k8s.io/apimachinery/pkg/api/resource). */
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

  /** @throws RangeError when the quantity is not a 64-bit integer. */
  asInteger(): bigint {
    if (!this.isInteger()) throw new RangeError('cannot convert value to integer');
    return this.nanos / NANO;
  }

  asApproximateFloat(): number {
    return Number(this.nanos) / 1e9;
  }
}

/** The quantity of the text, or undefined when the text is not a quantity. */
export function parseQuantity(text: string): Quantity | undefined {
  const nanos = quantityNanos(text);
  return nanos === undefined ? undefined : new Quantity(nanos);
}
