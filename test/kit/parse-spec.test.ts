import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { faultsMessage, parseSpec, withoutNulls } from '../../lib/kit/parse-spec.ts';

const schema = z.object({
  size: z.int('must be a whole number').default(1),
  keys: z.array(z.object({ name: z.string('must be a text') }, 'must be an object'), 'must be a list'),
});

function parsed(spec: unknown) {
  const metadata = { name: 'a', uid: 'uid', resourceVersion: '1' };
  return parseSpec(schema, { apiVersion: 'v1', kind: 'A', metadata, spec });
}

describe('a specification', () => {
  it('parseSpec returns what the schema makes of a valid one', () => {
    expect(parsed({ keys: [{ name: 'a' }] })).toEqual({ valid: true, spec: { size: 1, keys: [{ name: 'a' }] } });
  });

  it('parseSpec takes an explicit null for an absent field', () => {
    expect(parsed({ size: null, keys: [] })).toEqual({ valid: true, spec: { size: 1, keys: [] } });
  });

  it('R-6.4 R-1.24 parseSpec names the field at fault, without its value', () => {
    expect(parsed({ keys: [{ name: 'a' }, { name: 4711 }] })).toEqual({
      valid: false,
      message: 'The specification is invalid: spec.keys[1].name must be a text.',
    });
  });

  it.each([undefined, null, 7, 'text', []])('R-6.4 parseSpec refuses %j and does not throw', (spec) => {
    expect(parsed(spec).valid).toBe(false);
  });

  it('R-6.4 faultsMessage shows three faults and counts the rest', () => {
    const faults = ['a', 'b', 'c', 'd', 'e'].map((path) => ({ path, message: 'is wrong' }));
    const text = 'The specification is invalid: a is wrong; b is wrong; c is wrong; and 2 more.';
    expect(faultsMessage(faults)).toBe(text);
    expect(faultsMessage(faults.slice(0, 1))).toBe('The specification is invalid: a is wrong.');
  });

  it('withoutNulls keeps the places of a list', () => {
    expect(withoutNulls({ a: [null, { b: null, c: 1 }], d: null })).toEqual({ a: [null, { c: 1 }] });
  });
});
