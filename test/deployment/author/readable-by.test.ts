import { describe, expect, it } from 'vitest';
import { unreadableFields } from '../../../lib/deployment/author/readable-by.ts';

function definition(size: object | undefined, more: object = {}, version: object = {}) {
  const properties = { ...(size !== undefined && { size }), ...more };
  const spec = { type: 'object', required: ['size'], properties };
  const openAPIV3Schema = { type: 'object', properties: { spec } };
  return { spec: { versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema }, ...version }] } };
}

const NUMBER = { type: 'integer', minimum: 1, maximum: 9 };
const CHOICE = { type: 'string', enum: ['a', 'b'] };

describe('a new CustomResourceDefinition', () => {
  it.each<[string, object, object, string[]]>([
    ['is the same', definition(NUMBER), definition(NUMBER), []],
    ['has a new optional field', definition(NUMBER), definition(NUMBER, { more: CHOICE }), []],
    ['is tighter', definition(NUMBER), definition({ ...NUMBER, minimum: 2, maximum: 5 }), []],
    ['lacks a field', definition(NUMBER), definition(undefined), ['spec.size: it is gone']],
    [
      'has another type',
      definition(NUMBER),
      definition(CHOICE),
      ['spec.size: its type is another one', 'spec.size: its maximum is wider', 'spec.size: its minimum is wider'],
    ],
    ['allows more', definition(NUMBER), definition({ ...NUMBER, maximum: 10 }), ['spec.size: its maximum is wider']],
    [
      'has another value',
      definition(CHOICE),
      definition({ type: 'string', enum: ['a', 'c'] }),
      ['spec.size: "c" is allowed'],
    ],
    ['allows any value', definition(CHOICE), definition({ type: 'string' }), ['spec.size: any value is allowed']],
    ['allows null', definition(NUMBER), definition({ ...NUMBER, nullable: true }), ['spec.size: it may be null']],
    [
      'lacks a default',
      definition({ ...NUMBER, default: 1 }),
      definition(NUMBER),
      ['spec.size: it has no default any more'],
    ],
    [
      'lacks a rule',
      definition({ ...NUMBER, 'x-kubernetes-validations': [{ rule: 'self > 0' }] }),
      definition(NUMBER),
      ['spec.size: the rule self > 0 is gone'],
    ],
    [
      'has other elements',
      definition({ type: 'array', items: NUMBER }),
      definition({ type: 'array', items: { type: 'integer' } }),
      ['spec.size[*]: its maximum is wider', 'spec.size[*]: its minimum is wider'],
    ],
    [
      'is not served',
      definition(NUMBER),
      definition(NUMBER, {}, { served: false }),
      ['version v1: it is not served any more'],
    ],
    [
      'is not stored',
      definition(NUMBER),
      definition(NUMBER, {}, { storage: false }),
      ['version v1: objects are stored in another version'],
    ],
  ])('R-6.11 comparison finds what old code cannot read when the definition %s', (_when, before, after, found) => {
    expect(unreadableFields(before, after)).toEqual(found);
  });

  it('R-6.11 comparison finds a field that may be absent when it is not required any more', () => {
    const before = definition(NUMBER);
    const after = structuredClone(before);
    const [version] = after.spec.versions as unknown as {
      schema: { openAPIV3Schema: { properties: { spec: { required?: string[] } } } };
    }[];
    delete version?.schema.openAPIV3Schema.properties.spec.required;
    expect(unreadableFields(before, after)).toEqual(['spec.size: it may be absent']);
  });
});
