import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { definitionChanges } from '../../../cli/definitions/definition-changes.ts';
import { schemaChanges } from '../../../cli/definitions/schema-changes.ts';
import type { CustomDefinition } from '../../../cli/types/custom-definition.ts';
import type { JsonObject } from '../../../lib/core/kube-object.ts';
import { defineKind, type KindDefinition } from '../../../lib/index.ts';

const TEXT = { type: 'string' };
const NUMBER = { type: 'integer' };
const list = (more: JsonObject) => ({ type: 'array', items: TEXT, ...more });
const object = (properties: JsonObject, more: JsonObject = {}) => ({ type: 'object', properties, ...more });
const rules = (...texts: string[]) => ({ 'x-kubernetes-validations': texts.map((rule) => ({ rule })) });
const OPEN = { 'x-kubernetes-preserve-unknown-fields': true };

describe('manifests --check --against', () => {
  it.each<[string, JsonObject, JsonObject, string]>([
    ['a field is gone', object({ a: TEXT }), object({}), 'removed spec.a: the field is gone'],
    [
      'a field below is gone',
      object({ a: object({ b: TEXT }) }),
      object({ a: object({}) }),
      'removed spec.a.b: the field is gone',
    ],
    ['an open object is closed', object({}, OPEN), object({}), 'removed spec: fields without a name in the schema'],
    [
      'a field is required',
      object({ a: TEXT }),
      object({ a: TEXT }, { required: ['a'] }),
      'tightened spec.a: it is required',
    ],
    ['a type is another', TEXT, NUMBER, 'tightened spec: it was a text and is a whole number'],
    [
      'a bound is lower',
      { ...NUMBER, maximum: 9 },
      { ...NUMBER, maximum: 5 },
      'tightened spec: maximum was 9 and is 5',
    ],
    ['a bound is new', TEXT, { ...TEXT, minLength: 1 }, 'tightened spec: minLength was not there and is 1'],
    [
      'a bound is excluded',
      { ...NUMBER, minimum: 0 },
      { ...NUMBER, minimum: 0, exclusiveMinimum: true },
      'tightened spec: exclusiveMinimum was not there and is true',
    ],
    ['words are new', TEXT, { ...TEXT, enum: ['a'] }, 'tightened spec: only "a" is allowed'],
    [
      'a word is gone',
      { ...TEXT, enum: ['a', 'b'] },
      { ...TEXT, enum: ['b', 'c'] },
      'tightened spec: "a" is not allowed any more',
    ],
    [
      'a pattern is another',
      { ...TEXT, pattern: 'a' },
      { ...TEXT, pattern: 'b' },
      'tightened spec: pattern was "a" and is "b"',
    ],
    ['null is refused', { ...TEXT, nullable: true }, TEXT, 'tightened spec: null is not allowed any more'],
    [
      'a list is a set',
      list({}),
      list({ 'x-kubernetes-list-type': 'set' }),
      'tightened spec: x-kubernetes-list-type was not there and is "set"',
    ],
    ['a rule is new', { ...TEXT, ...rules('a') }, { ...TEXT, ...rules('a', 'b') }, 'tightened spec: a new rule: b'],
    [
      'an item is stricter',
      list({}),
      list({ items: { ...TEXT, maxLength: 3 } }),
      'tightened spec[]: maxLength was not there and is 3',
    ],
    [
      'a value is stricter',
      { type: 'object', additionalProperties: TEXT },
      { type: 'object', additionalProperties: NUMBER },
      'tightened spec.*: it was a text and is a whole number',
    ],
  ])('R-6.9 a change is reported when %s', (_, before, after, expected) => {
    expect(schemaChanges(before, after, 'spec').map(({ type, path, what }) => `${type} ${path}: ${what}`)).toEqual([
      expected,
    ]);
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['nothing changes', object({ a: TEXT }, rules('x')), object({ a: TEXT }, rules('x'))],
    ['a field is new', object({}), object({ a: TEXT })],
    [
      'a required field has a default',
      object({ a: TEXT }),
      object({ a: { ...TEXT, default: '' } }, { required: ['a'] }),
    ],
    ['a bound is wider', { ...NUMBER, minimum: 1, maximum: 5 }, { ...NUMBER, minimum: 0, maximum: 9 }],
    ['a bound is gone', { ...TEXT, pattern: 'a', maxLength: 3 }, TEXT],
    ['words are more', { ...TEXT, enum: ['a'] }, { ...TEXT, enum: ['a', 'b'] }],
    ['a number may have a fraction', NUMBER, { type: 'number' }],
    ['a whole number has the format int64', NUMBER, { ...NUMBER, format: 'int64' }],
    ['a rule is gone', { ...TEXT, ...rules('a') }, TEXT],
    ['an object becomes open', object({ a: TEXT }), object({}, OPEN)],
    ['anything is allowed', object({ a: TEXT }), OPEN],
  ])('R-6.9 no change is reported when %s', (_, before, after) => {
    expect(schemaChanges(before, after, 'spec')).toEqual([]);
  });

  const spec = z.object({ host: z.string() });
  const kind = (more: Partial<KindDefinition<z.ZodType, z.ZodType>> = {}) =>
    defineKind({ group: 'example.com', version: 'v1', kind: 'Website', spec, ...more })
      .definition as unknown as CustomDefinition;
  const older = { name: 'v1beta1', spec };
  const at = 'websites.example.com';
  it.each<[string, CustomDefinition, CustomDefinition[], string[]]>([
    ['is the same', kind(), [kind()], []],
    ['is gone', kind(), [], [`removed: ${at}: the kind is gone, and its objects go with its definition`]],
    ['has a version less', kind({ versions: [older] }), [kind()], [`removed: ${at} v1beta1: the version is gone`]],
    [
      'has another scope',
      kind(),
      [kind({ scope: 'Cluster' })],
      [expect.stringContaining('tightened: websites.example.com: the scope was Namespaced')],
    ],
    [
      'serves a version no more',
      kind({ versions: [older] }),
      [kind({ versions: [{ ...older, served: false }] })],
      [`removed: ${at} v1beta1: the version is not served any more`],
    ],
    [
      'has a stricter version',
      kind({ versions: [older] }),
      [kind({ versions: [{ name: 'v1beta1', spec: z.object({ host: z.string().max(9) }) }] })],
      [`tightened: ${at} v1beta1 spec.host: maxLength was not there and is 9`],
    ],
    [
      'has a smaller status',
      kind({ status: z.object({ url: z.string() }) }),
      [kind()],
      [`removed: ${at} v1 status.url: the field is gone`],
    ],
  ])('R-6.9 each change is reported with kind, version and path when a kind %s', (_, before, after, expected) => {
    expect(definitionChanges([before], after as never)).toEqual(expected);
  });
});
