import { deepEqual } from '../../json.ts';
import { Quantity } from './quantity.ts';
import { Struct } from './struct.ts';

/** Equality of two values of the evaluator, for functions that look for a value in a list. */
export function celEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left === 'bigint' && typeof right === 'number') return Number(left) === right;
  if (typeof left === 'number' && typeof right === 'bigint') return left === Number(right);
  if (left instanceof Struct && right instanceof Struct) return deepEqual(left.json, right.json);
  if (left instanceof Quantity && right instanceof Quantity) return left.nanos === right.nanos;
  if (left instanceof Date && right instanceof Date) return left.getTime() === right.getTime();
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((each, index) => celEqual(each, right[index]));
  }
  return false;
}
