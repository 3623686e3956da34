import * as fc from 'fast-check';
import { check, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  difference,
  type FieldSet,
  FieldSetBuilder,
  hasPath,
  intersection,
  isFieldSet,
  membersOf,
  ordered,
  union,
  withoutMembers,
} from '../../../lib/apiserver/fields/field-set.ts';
import { printPath } from '../../../lib/apiserver/fields/path-element.ts';

type Path = readonly string[];

function setOf(paths: readonly Path[]): FieldSet {
  const builder = new FieldSetBuilder();
  for (const path of paths) builder.add(path);
  return builder.build();
}

function names(set: FieldSet): string[] {
  return membersOf(set).map((path) => path.join('/'));
}

describe('field sets', () => {
  it('R-6.2 they have the form of FieldsV1: a dot where a field is owned together with fields below', () => {
    const set = setOf([
      ['f:spec'],
      ['f:spec', 'f:replicas'],
      ['f:spec', 'f:list', 'k:{"name":"a"}'],
      ['f:data', 'v:"x"'],
    ]);
    expect(ordered(set)).toEqual({
      'f:data': { 'v:"x"': {} },
      'f:spec': { '.': {}, 'f:list': { 'k:{"name":"a"}': {} }, 'f:replicas': {} },
    });
    expect(JSON.stringify(ordered(set))).toMatch(/^\{"f:data".*"f:spec":\{"\.":\{\},"f:list".*"f:replicas"/);
    expect(hasPath(set, ['f:spec'])).toBe(true);
    expect(hasPath(set, ['f:spec', 'f:list'])).toBe(false);
    expect(isFieldSet(set)).toBe(true);
    expect(isFieldSet({ spec: {} })).toBe(false);
  });

  it('R-6.2 a member does not depend on the order in which it and those below it were added', () => {
    expect(setOf([['f:a'], ['f:a', 'f:b']])).toEqual(setOf([['f:a', 'f:b'], ['f:a']]));
  });

  it('R-6.2 the difference with a field leaves what lies below it', () => {
    const set = setOf([['f:a'], ['f:a', 'f:b'], ['f:c']]);
    expect(difference(set, setOf([['f:a']]))).toEqual({ 'f:a': { 'f:b': {} }, 'f:c': {} });
    expect(difference(set, setOf([['f:a', 'f:b']]))).toEqual({ 'f:a': {}, 'f:c': {} });
    expect(withoutMembers(set, ['a'])).toEqual({ 'f:c': {} });
  });

  it('R-6.4 paths are printed as the real server prints them', () => {
    expect(printPath(['f:spec', 'f:ports', 'k:{"port":80,"protocol":"TCP"}', 'f:name'])).toBe(
      '.spec.ports[port=80,protocol="TCP"].name',
    );
    expect(printPath(['f:metadata', 'f:finalizers', 'v:"a/b"'])).toBe('.metadata.finalizers[="a/b"]');
  });

  it('R-6.2 union, intersection and difference are those of their members', () => {
    const element = fc.constantFrom('f:a', 'f:b', 'f:c', 'k:{"n":"x"}', 'v:1');
    const paths = fc.array(fc.array(element, { minLength: 1, maxLength: 3 }), { maxLength: 8 });
    const laws = property(paths, paths, (left, right) => {
      const [a, b] = [setOf(left), setOf(right)];
      const [inA, inB] = [new Set(names(a)), new Set(names(b))];
      expect(new Set(names(union(a, b)))).toEqual(new Set([...inA, ...inB]));
      expect(names(intersection(a, b))).toEqual(names(a).filter((name) => inB.has(name)));
      expect(names(difference(a, b))).toEqual(names(a).filter((name) => !inB.has(name)));
      expect(setOf(membersOf(a))).toEqual(a);
    });
    const outcome = check(laws, { numRuns: 500, seed: 7 });
    expect(outcome.failed, fc.defaultReportMessage(outcome)).toBe(false);
  });
});
