import { type Environment, Optional } from '@marcbachmann/cel-js';
import { celEqual } from './struct.ts';

class SetsNamespace {}

type List = readonly unknown[];

function has(list: List, value: unknown): boolean {
  return list.some((each) => celEqual(each, value));
}

function extreme(list: List, name: string, better: (left: bigint, right: bigint) => boolean): unknown {
  if (list.length === 0) throw new RangeError(`${name} called on empty list`);
  return list.reduce((best, each) => (better(each as bigint, best as bigint) ? each : best));
}

/** Registers Kubernetes' list library and the sets extension. */
export function registerCollections(environment: Environment): void {
  const register = (signature: string, handler: (...values: never[]) => unknown): void => {
    environment.registerFunction(signature, handler, { async: false });
  };
  register('list<A>.isSorted(): bool', (list: readonly bigint[]) =>
    list.every((each, index) => index === 0 || (list[index - 1] as bigint) <= each),
  );
  register('list<A>.min(): A', (list: List) => extreme(list, 'min', (left, right) => left < right));
  register('list<A>.max(): A', (list: List) => extreme(list, 'max', (left, right) => left > right));
  register('list<int>.sum(): int', (list: readonly bigint[]) => list.reduce((sum, each) => sum + each, 0n));
  register('list<double>.sum(): double', (list: readonly number[]) => list.reduce((sum, each) => sum + each, 0));
  register('list<A>.indexOf(A): int', (list: List, value: unknown) =>
    BigInt(list.findIndex((each) => celEqual(each, value))),
  );
  register('list<A>.lastIndexOf(A): int', (list: List, value: unknown) =>
    BigInt(list.findLastIndex((each) => celEqual(each, value))),
  );
  register('list<A>.slice(int, int): list<A>', (list: List, start: bigint, end: bigint) => {
    if (start < 0n || end > BigInt(list.length) || start > end) {
      throw new RangeError(`cannot slice(${start}, ${end}), list is length ${list.length}`);
    }
    return list.slice(Number(start), Number(end));
  });
  register('list<A>.sort(): list<A>', (list: readonly bigint[]) =>
    [...list].sort((left, right) => (left < right ? -1 : left > right ? 1 : 0)),
  );
  register('list<A>.first(): optional<A>', (list: List) => Optional.of(list[0]));
  register('list<A>.last(): optional<A>', (list: List) => Optional.of(list.at(-1)));
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
