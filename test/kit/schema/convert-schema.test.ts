import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { compileSchema } from '../../../lib/apiserver/schema/schema.ts';
import type { JsonObject, JsonValue } from '../../../lib/core/kube-object.ts';
import { convertSchema } from '../../../lib/kit/schema/convert-schema.ts';
import { CONVERTED } from './construct-rows.ts';
import { DEFAULTS, ENDLESS, EXPRESSIONS, KEYWORDS, NAMES, RULES_ON_PARTS } from './refused-more.ts';
import { REFUSED } from './refused-rows.ts';

/** A spec with one required field. */
function converted(schema: z.ZodType) {
  return convertSchema(z.object({ f: schema }), 'spec', { isStatus: false });
}

/** Whether the API server accepts a value of the field. */
function serverAccepts(spec: JsonObject, value: JsonValue): boolean {
  const compiled = compileSchema({ type: 'object', properties: { spec } });
  const object = { spec: { f: structuredClone(value) } };
  compiled.prune(object);
  compiled.applyDefaults(object);
  return compiled.validate(object).length === 0;
}

describe('convertSchema', () => {
  it.each(CONVERTED)('R-6.9 $name becomes a schema that accepts and refuses what zod does', (row) => {
    const { schema, faults, notes } = converted(row.schema);
    expect(faults).toEqual([]);
    expect((schema.properties as JsonObject).f).toEqual(row.expected);
    if (row.note === undefined) expect(notes).toEqual([]);
    else expect(notes).toEqual([expect.stringMatching(row.note)]);
    for (const value of row.good) {
      expect([value, serverAccepts(schema, value)]).toEqual([value, true]);
      expect([value, row.schema.safeParse(value).success]).toEqual([value, true]);
    }
    for (const value of row.bad) {
      expect([value, serverAccepts(schema, value)]).toEqual([value, false]);
      expect([value, row.schema.safeParse(value).success]).toEqual([value, false]);
    }
  });

  it.each([...REFUSED, ...RULES_ON_PARTS, ...KEYWORDS, ...ENDLESS, ...DEFAULTS, ...EXPRESSIONS, ...NAMES])(
    'R-6.9 R-6.4 %s is refused with its path and a remedy',
    (_, schema, message) => {
      const { faults } = converted(schema);
      expect(faults.length).toBeGreaterThan(0);
      for (const fault of faults) expect(fault).toMatch(/^spec\.f\S*: .+; .+\.$/);
      expect(faults.join('\n')).toMatch(message);
    },
  );

  it('R-6.9 a tagged union keeps its own rules when meta() adds more', () => {
    const rule = { rule: 'true', message: 'always' };
    const union = z.discriminatedUnion('t', [
      z.object({ t: z.literal('a'), x: z.string() }),
      z.object({ t: z.literal('b') }),
    ]);
    const { schema, faults } = converted(union.meta({ 'x-kubernetes-validations': [rule] }).readonly());
    expect(faults).toEqual([]);
    const { f } = schema.properties as { f: JsonObject };
    expect(f['x-kubernetes-validations']).toEqual([
      expect.objectContaining({ rule: expect.stringContaining('has(self.x)') }),
      rule,
    ]);
    expect(serverAccepts(schema, { t: 'b', x: 'no' })).toBe(false);
  });

  it('R-6.9 meta() sets keywords that only the API server checks, and requires a field that may be null', () => {
    const fields = z.object({ a: z.string().nullish(), b: z.string().optional(), c: z.string() });
    const meta = { required: ['a'], maxProperties: 2, not: { required: ['b'] } };
    const { schema, faults } = converted(fields.meta(meta));
    expect(faults).toEqual([]);
    expect((schema.properties as JsonObject).f).toMatchObject({ ...meta, required: ['c', 'a'] });
    expect(serverAccepts(schema, { a: null, c: '' })).toBe(true);
    for (const wrong of [{ c: '' }, { a: 'x' }, { a: 'x', b: '', c: '' }]) {
      expect([wrong, serverAccepts(schema, wrong)]).toEqual([wrong, false]);
    }
    const refused = converted(fields.meta({ required: 'a' }));
    expect(refused.faults).toEqual(["spec.f: required must be a list of fields; write ['name']."]);
  });

  it('R-6.4 every fault of a schema is found, each with its path', () => {
    const schema = z.object({
      hosts: z.array(z.object({ name: z.string().trim() })),
      labels: z.record(z.string(), z.date()),
      deep: z.object({ value: z.string().nullable() }).optional(),
    });
    const { faults } = convertSchema(schema, 'spec', { isStatus: false });
    expect(faults.map((fault) => fault.split(': ')[0])).toEqual([
      'spec.hosts[].name',
      'spec.labels.*',
      'spec.deep.value',
    ]);
  });

  it('R-6.8 no field of a status is required, at any depth', () => {
    const schema = z.object({ a: z.string(), inner: z.object({ b: z.string() }) });
    const { schema: status } = convertSchema(schema, 'status', { isStatus: true });
    expect(JSON.stringify(status)).not.toContain('required');
  });

  it('R-6.4 a value that is not a zod schema is refused', () => {
    expect(convertSchema({ type: 'object' }, 'spec', { isStatus: false }).faults).toEqual([
      'spec: must be a schema of zod 4, such as z.object({ ... }).',
    ]);
  });
});
