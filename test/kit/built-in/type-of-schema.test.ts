import { describe, expect, it } from 'vitest';
import { typeModules } from '../../conformance/built-in-types/type-modules.ts';
import { referencesOf, type Schema, typeOfSchema } from '../../conformance/built-in-types/type-of-schema.ts';

const ref = (id: string) => ({ $ref: `#/components/schemas/${id}` });
const nameOf = (id: string) => id.toUpperCase();
const words = (count: number) => Array.from({ length: count }, (_, index) => `w${index}`);

describe('the types of built-in kinds', () => {
  it.each<[construct: string, schema: Schema, type: string]>([
    ['a text', { type: 'string' }, 'string'],
    ['a whole number', { type: 'integer' }, 'number'],
    ['a reference', ref('a'), 'A'],
    ['a reference with a default', { allOf: [ref('a')], default: {} }, 'A'],
    ['a number or a text', { oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'integer' }] }, 'number | string'],
    ['words', { type: 'string', enum: ['A', 'B'] }, "'A' | 'B'"],
    ['more words than help', { type: 'string', enum: words(17) }, 'string'],
    ['a list', { type: 'array', items: ref('a') }, 'A[]'],
    ['a list of words', { type: 'array', items: { type: 'string', enum: ['A', 'B'] } }, "('A' | 'B')[]"],
    ['a map', { type: 'object', additionalProperties: { type: 'boolean' } }, 'Record<string, boolean>'],
    ['an object of any fields', { type: 'object' }, 'Record<string, unknown>'],
  ])('R-6.9 a schema becomes a type when it is %s', (_construct, schema, type) => {
    expect(typeOfSchema(schema, nameOf)).toBe(type);
  });

  it.each<[construct: string, schema: Schema]>([
    ['has two parts', { allOf: [ref('a'), ref('b')] }],
    ['has no type', {}],
    ['has fields inside of another one', { type: 'object', properties: { a: { type: 'string' } } }],
  ])('R-6.9 the generator refuses a schema when it %s', (_construct, schema) => {
    expect(() => typeOfSchema(schema, nameOf)).toThrow('this schema has no type here');
  });

  it('R-6.9 the generator follows every reference when it collects schemas', () => {
    const schema = {
      properties: { a: { allOf: [ref('a')] }, b: { type: 'array', items: ref('b') } },
      additionalProperties: ref('c'),
      oneOf: [ref('d')],
    };
    expect(referencesOf(schema).sort()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('R-6.9 the generator names a schema that no document has', () => {
    expect(() => typeModules({})).toThrow('no document has the schema io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');
  });
});
