import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../lib/apiserver/json.ts';
import { compileSchema, SchemaError } from '../../../lib/apiserver/schema/schema.ts';
import { faultRows, withField } from './fault-rows.ts';

function faults(schema: JsonObject): string[] {
  try {
    compileSchema(schema);
    return [];
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    return error.faults.map((fault) => `${fault.path.replace(/^openAPIV3Schema\.?/, '')}: ${fault.message}`);
  }
}

describe('schemas that the real API server refuses', () => {
  it.each(faultRows)('R-6.4 %s', (_what, schema, lines) => {
    expect(faults(schema)).toEqual(lines);
  });

  it('R-6.4 every error is reported, not only the first one', () => {
    const schema: JsonObject = {
      type: 'object',
      properties: { a: {}, b: { type: 'array' }, c: { type: 'string', uniqueItems: true } },
    };
    expect(faults(schema)).toHaveLength(3);
  });

  it('R-6.2 the patterns for integer or string are structural although they name types', () => {
    const anyOf = [{ type: 'integer' }, { type: 'string' }];
    expect(faults(withField({ 'x-kubernetes-int-or-string': true, anyOf }))).toEqual([]);
    expect(faults(withField({ 'x-kubernetes-int-or-string': true, allOf: [{ anyOf }, { pattern: '^a$' }] }))).toEqual(
      [],
    );
  });
});

describe('pruning and defaults', () => {
  const schema: JsonObject = {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          a: { type: 'string', default: 'x' },
          free: {
            type: 'object',
            'x-kubernetes-preserve-unknown-fields': true,
            properties: { known: { type: 'object' } },
          },
          map: {
            type: 'object',
            additionalProperties: { type: 'object', properties: { a: { type: 'integer', default: 1 } } },
          },
          list: {
            type: 'array',
            items: { type: 'object', properties: { a: { type: 'string' }, n: { type: 'string', nullable: true } } },
          },
          deep: { type: 'object', default: {}, properties: { a: { type: 'boolean', default: true } } },
        },
      },
    },
  };
  const compiled = compileSchema(schema);

  it('R-6.2 undeclared fields are named and removed, except where the schema preserves them', () => {
    const object: JsonObject = {
      apiVersion: 'v1',
      kind: 'K',
      metadata: { name: 'x', labels: { a: 'b' }, odd: 1 },
      odd: 1,
      spec: {
        odd: 1,
        free: { odd: { deep: 1 }, known: { odd: 1 } },
        map: { m: { a: 1, odd: 1 } },
        list: [{ a: 'x', odd: 1 }],
      },
    };
    const unknown = ['odd', 'spec.free.known.odd', 'spec.list[0].odd', 'spec.map.m.odd', 'spec.odd'];
    expect(compiled.unknownFields(object)).toEqual(unknown);
    expect(object.odd).toBe(1);
    compiled.prune(object);
    expect(object).toEqual({
      apiVersion: 'v1',
      kind: 'K',
      metadata: { name: 'x', labels: { a: 'b' }, odd: 1 },
      spec: { free: { odd: { deep: 1 }, known: {} }, map: { m: { a: 1 } }, list: [{ a: 'x' }] },
    });
    expect(compiled.unknownFields(object)).toEqual([]);
  });

  it('R-6.2 defaults are filled in at every level of the present fields', () => {
    const object: JsonObject = { spec: { map: { m: {} }, a: null, list: [{ a: null, n: null }] } };
    compiled.applyDefaults(object);
    expect(object).toEqual({ spec: { map: { m: { a: 1 } }, a: 'x', list: [{ n: null }], deep: { a: true } } });
    const empty: JsonObject = {};
    compiled.applyDefaults(empty);
    expect(empty).toEqual({});
  });

  it('R-6.2 after an apply defaults are filled in and other nulls stay', () => {
    const object: JsonObject = { spec: { a: null, free: null } };
    compiled.fillDefaults(object);
    expect(object).toEqual({ spec: { a: 'x', free: null, deep: { a: true } } });
  });

  it('R-6.2 a default is copied, so that one object cannot change it for the next', () => {
    const first: JsonObject = { spec: {} };
    compiled.applyDefaults(first);
    (first.spec as { deep: JsonObject }).deep.a = false;
    const second: JsonObject = { spec: {} };
    compiled.applyDefaults(second);
    expect(second).toEqual({ spec: { a: 'x', deep: { a: true } } });
  });
});
