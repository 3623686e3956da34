import { describe, expect, it } from 'vitest';
import { compileSchema, SchemaError } from '../../../lib/apiserver/schema/schema.ts';

const schemaOf = (pattern: string) => ({
  type: 'object',
  properties: { spec: { type: 'object', properties: { name: { type: 'string', pattern } } } },
});

describe('a schema that was compiled before', () => {
  it('R-6.2 a schema judges as it was compiled when its caller changes its own object afterwards', () => {
    const schema = schemaOf('^a+$');
    const before = compileSchema(schema);
    schema.properties.spec.properties.name.pattern = '^b+$';
    const changed = compileSchema(schema);
    const again = compileSchema(schemaOf('^a+$'));
    const faults = (object: string) =>
      [before, changed, again].map((compiled) => compiled.validate({ spec: { name: object } }).length);
    expect(faults('aaa')).toEqual([0, 1, 0]);
    expect(faults('bbb')).toEqual([1, 0, 1]);
  });

  it('R-6.2 a schema is refused each time when it cannot be compiled', () => {
    for (let time = 0; time < 2; time += 1) expect(() => compileSchema(schemaOf('('))).toThrow(SchemaError);
  });
});
