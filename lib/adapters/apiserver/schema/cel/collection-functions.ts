import type { Environment } from '@marcbachmann/cel-js';
import { celEqual } from './equality.ts';

class SetsNamespace {}

type List = readonly unknown[];

function has(list: List, value: unknown): boolean {
  return list.some((each) => celEqual(each, value));
}

function extreme(list: List, better: (left: bigint, right: bigint) => boolean): unknown {
  if (list.length === 0) throw new RangeError('min/max called on empty list');
  return list.reduce((best, each) => (better(each as bigint, best as bigint) ? each : best));
}

/** Kubernetes' list library and the sets extension. */
export function registerCollections(environment: Environment): void {
  const register = (signature: string, handler: (...values: never[]) => unknown): void => {
    environment.registerFunction(signature, handler, { async: false });
  };
  register('list<A>.isSorted(): bool', (list: readonly bigint[]) =>
    list.every((each, index) => index === 0 || (list[index - 1] as bigint) <= each),
  );
  register('list<A>.min(): A', (list: List) => extreme(list, (left, right) => left < right));
  register('list<A>.max(): A', (list: List) => extreme(list, (left, right) => left > right));
  register('list<int>.sum(): int', (list: readonly bigint[]) => list.reduce((sum, each) => sum + each, 0n));
  register('list<double>.sum(): double', (list: readonly number[]) => list.reduce((sum, each) => sum + each, 0));
  register('list<A>.indexOf(A): int', (list: List, value: unknown) =>
    BigInt(list.findIndex((each) => celEqual(each, value))),
  );
  register('list<A>.lastIndexOf(A): int', (list: List, value: unknown) =>
    BigInt(list.findLastIndex((each) => celEqual(each, value))),
  );
  register('list<A>.distinct(): list<A>', (list: List) =>
    list.filter((each, index) => list.findIndex((other) => celEqual(other, each)) === index),
  );

  environment.registerType('SetsNamespace', SetsNamespace);
  environment.registerConstant('sets', 'SetsNamespace', new SetsNamespace());
  register('SetsNamespace.contains(list<A>, list<A>): bool', (_: SetsNamespace, list: List, sublist: List) =>
    sublist.every((each) => has(list, each)),
  );
  register('SetsNamespace.intersects(list<A>, list<A>): bool', (_: SetsNamespace, left: List, right: List) =>
    left.some((each) => has(right, each)),
  );
  register(
    'SetsNamespace.equivalent(list<A>, list<A>): bool',
    (_: SetsNamespace, left: List, right: List) =>
      left.every((each) => has(right, each)) && right.every((each) => has(left, each)),
  );
}
