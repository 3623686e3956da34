import { parseQuantity, type Quantity } from '../../../core/quantity.ts';
import { isObject, type JsonObject, type JsonValue } from '../../json.ts';

const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const decimalSuffixes = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]);

/** All amounts are in billionths, the smallest unit of a Kubernetes quantity. */
const nano = 1_000_000_000n;

function parse(value: JsonValue | undefined): Quantity | undefined {
  return parseQuantity(String(value ?? '').trim());
}

/**
 * The quantity in the form in which the real server stores it: `1024Mi` becomes `1Gi`, `0.5` becomes `500m`. A text
 * that is no quantity does not change.
 */
export function canonicalQuantity(value: JsonValue): JsonValue {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') return value;
  const quantity = parse(value);
  if (quantity === undefined) return value;
  const { nanos, form } = quantity;
  const small = nanos > -1024n * nano && nanos < 1024n * nano;
  if (form === 'binary' && !small && nanos % nano === 0n) return binaryText(nanos / nano);
  return decimalText(nanos, form === 'exponent');
}

function binaryText(amount: bigint): string {
  let rest = amount;
  let power = 0;
  while (power < binarySuffixes.length - 1 && rest % 1024n === 0n) {
    rest /= 1024n;
    power += 1;
  }
  return `${rest}${binarySuffixes[power] ?? ''}`;
}

function decimalText(nanos: bigint, asExponent: boolean): string {
  if (nanos === 0n) return '0';
  let rest = nanos;
  let exponent = -9;
  while (exponent < 18 && rest % 1000n === 0n) {
    rest /= 1000n;
    exponent += 3;
  }
  if (asExponent) return exponent === 0 ? `${rest}` : `${rest}e${exponent}`;
  const suffix = [...decimalSuffixes].find(([, each]) => each === exponent)?.[0] ?? '';
  return `${rest}${suffix}`;
}

/**
 * Negative, zero or positive when the left quantity is smaller, equal or larger; undefined when one of them is invalid.
 */
export function compareQuantities(left: JsonValue | undefined, right: JsonValue | undefined): number | undefined {
  const a = parse(left);
  const b = parse(right);
  if (a === undefined || b === undefined) return undefined;
  return a.nanos < b.nanos ? -1 : a.nanos > b.nanos ? 1 : 0;
}

/** Writes the quantities of a resource list (`requests`, `limits`, `capacity`) in their canonical form, in place. */
export function canonicalizeResources(list: JsonObject | undefined): void {
  if (!isObject(list)) return;
  for (const [name, value] of Object.entries(list)) list[name] = canonicalQuantity(value);
}
