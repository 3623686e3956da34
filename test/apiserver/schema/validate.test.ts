import { describe, expect, it } from 'vitest';
import { isObject, type JsonObject, type JsonValue } from '../../../lib/apiserver/json.ts';
import { issueText } from '../../../lib/apiserver/schema/issue.ts';
import { compileSchema } from '../../../lib/apiserver/schema/schema.ts';
import { keyed, valueRows } from './value-rows.ts';

const SKIPPED =
  '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';

/** What the server says of `{spec: {field: value}}` under a schema of that field, one line an issue. */
function verdict(
  schema: JsonObject,
  value: JsonValue | undefined,
  old?: JsonValue,
  specSchema: JsonObject = {},
): string[] {
  const compiled = compileSchema({
    type: 'object',
    properties: { spec: { type: 'object', properties: { field: schema }, ...specSchema } },
  });
  const object = { spec: value === undefined ? {} : { field: value } };
  const before = old === undefined ? undefined : { spec: { field: old } };
  return compiled.validate(object, before).map(issueText);
}

describe('the messages of the real API server', () => {
  it.each(valueRows)('R-6.4 %s', (_what, schema, value, lines) => {
    expect(verdict(schema, value)).toEqual(lines);
  });

  it('R-6.4 rules are not run on an object that is not of the right shape, and the answer says so', () => {
    const rules = { 'x-kubernetes-validations': [{ rule: 'self.field > 1' }] };
    expect(verdict({ type: 'integer' }, 'x', undefined, rules)).toEqual([
      'spec.field: Invalid value: "string": spec.field in body must be of type integer: "string"',
      SKIPPED,
    ]);
    expect(verdict({ type: 'integer' }, 1, undefined, rules)).toEqual([
      'spec: Invalid value: failed rule: self.field > 1',
    ]);
  });
});

describe('ratcheting', () => {
  it('R-6.2 a value that was wrong before and did not change does not stop an update', () => {
    expect(verdict({ type: 'string', pattern: '^a$' }, 'b', 'b')).toEqual([]);
    expect(verdict({ type: 'string', pattern: '^a$' }, 'c', 'b')).toHaveLength(1);
  });

  it('R-6.2 items of a list map are compared with the old item of the same keys, those of other lists are not', () => {
    const old = [{ name: 'BAD', size: 1 }, { name: 'ok' }];
    expect(verdict(keyed, [{ name: 'new', size: 1 }, { name: 'ok' }, { name: 'BAD', size: 1 }], old)).toEqual([]);
    expect(verdict(keyed, [{ name: 'BAD', size: 2 }], old)).toEqual([]);
    const plain: JsonObject = { type: 'array', items: { type: 'string', pattern: '^a$' } };
    expect(verdict(plain, ['b', 'a'], ['b'])).toHaveLength(1);
    expect(verdict(plain, ['b'], ['b'])).toEqual([]);
  });

  it('R-6.2 a list with repetitions may stay as wrong as it was', () => {
    const set: JsonObject = { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } };
    expect(verdict(set, ['a', 'a', 'b'], ['a', 'a'])).toEqual([]);
    expect(verdict(set, ['a', 'a'], ['a'])).toHaveLength(1);
  });
});

describe('embedded resources', () => {
  it('R-6.4 an embedded object must have apiVersion and kind, and its metadata is not pruned', () => {
    const schema: JsonObject = {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    };
    expect(verdict(schema, { kind: 'X' })).toEqual(['spec.field.apiVersion: Required value: must not be empty']);
    const compiled = compileSchema({ type: 'object', properties: { spec: schema } });
    const object: JsonObject = { spec: { apiVersion: 'v1', kind: 'X', metadata: { name: 'x' }, data: 1 }, extra: 1 };
    compiled.prune(object);
    expect(object).toEqual({ spec: { apiVersion: 'v1', kind: 'X', metadata: { name: 'x' }, data: 1 } });
    expect(isObject(object.spec)).toBe(true);
  });
});
