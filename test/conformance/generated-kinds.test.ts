import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonObject, JsonValue } from '../../lib/core/kube-object.ts';
import { convertSchema } from '../../lib/kit/schema/convert-schema.ts';
import type { ApiServer } from '../real-apiserver/connect-api-server.ts';
import { sharedApiServer } from '../real-apiserver/shared-api-server.ts';
import { type ServedKind, serveKind } from './served-kind.ts';

// The test generates schemas and converts them. The real API server serves them as fields of one kind. Then it
// generates values for each schema, most of them near its bounds. The parser and the API server must accept the same
// values.

const SCHEMAS = 40;
const VALUES_OF_EACH = 12;
const SEED = 20_261_130;

let server: ApiServer;
let served: ServedKind;

/** A schema, and values near its bounds. */
interface Drawn {
  readonly schema: z.ZodType;
  readonly values: fc.Arbitrary<JsonValue>;
}

/** Characters of one to four bytes in UTF-8, and of one or two units in UTF-16. */
const text = (maxLength: number) =>
  fc
    .array(fc.constantFrom('a', 'b', 'Z', '9', '-', ' ', 'é', '漢', '😀', '𝒳'), { maxLength })
    .map((characters) => characters.join(''));

const texts: fc.Arbitrary<Drawn> = fc
  .tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 4 }))
  .map(([min, more]) => ({
    schema: z
      .string()
      .min(min)
      .max(min + more),
    values: text(min + more + 2),
  }));

const patterns: fc.Arbitrary<Drawn> = fc
  .constantFrom(/^[a-z]+$/, /^(a|b)*$/, /9$/, /^.{2}$/u)
  .map((pattern) => ({ schema: z.string().regex(pattern.flags === '' ? pattern : /^a?b?$/), values: text(3) }));

const numbers: fc.Arbitrary<Drawn> = fc
  .tuple(fc.integer({ min: -3, max: 3 }), fc.integer({ min: 0, max: 4 }), fc.boolean())
  .map(([min, more, whole]) => ({
    schema: whole
      ? z
          .int()
          .min(min)
          .max(min + more)
      : z
          .number()
          .gt(min)
          .max(min + more),
    values: fc.oneof(fc.integer({ min: min - 2, max: min + more + 2 }), fc.constantFrom(min + 0.5, min, 1e3)),
  }));

const choices: fc.Arbitrary<Drawn> = fc.constant({
  schema: z.enum(['one', 'two', '3']),
  values: fc.constantFrom<JsonValue>('one', 'two', '3', 'four', 3, ''),
});

const booleans: fc.Arbitrary<Drawn> = fc.constant({
  schema: z.boolean(),
  values: fc.constantFrom<JsonValue>(true, false, 'true', 0),
});

const leaves = fc.oneof(texts, patterns, numbers, choices, booleans);

function listOf(item: Drawn, min: number, more: number): Drawn {
  return {
    schema: z
      .array(item.schema)
      .min(min)
      .max(min + more),
    values: fc.array(item.values, { maxLength: min + more + 2 }),
  };
}

function objectOf(first: Drawn, second: Drawn): Drawn {
  return {
    schema: z.object({ first: first.schema, second: second.schema.optional() }),
    values: fc
      .record({ first: first.values, second: second.values }, { requiredKeys: [] })
      .map((fields) => ({ ...fields }) as JsonObject),
  };
}

function mapOf(value: Drawn): Drawn {
  return {
    schema: z.record(z.string(), value.schema),
    values: fc.dictionary(fc.constantFrom('a', 'b', 'x.y/z', '😀'), value.values, {
      maxKeys: 3,
    }) as fc.Arbitrary<JsonObject>,
  };
}

const composed: fc.Arbitrary<Drawn> = fc.oneof(
  { weight: 3, arbitrary: leaves },
  {
    weight: 2,
    arbitrary: fc
      .tuple(leaves, fc.integer({ min: 0, max: 2 }), fc.integer({ min: 0, max: 2 }))
      .map(([item, min, more]) => listOf(item, min, more)),
  },
  { weight: 2, arbitrary: fc.tuple(leaves, leaves).map(([first, second]) => objectOf(first, second)) },
  { weight: 1, arbitrary: leaves.map(mapOf) },
  {
    weight: 1,
    arbitrary: fc.tuple(leaves, leaves).map(([first, second]) => listOf(objectOf(first, second), 0, 2)),
  },
);

/** Every schema is tried with null; only nullable ones accept it. */
const nullable: fc.Arbitrary<Drawn> = fc.tuple(composed, fc.boolean()).map(([{ schema, values }, takesNull]) => ({
  schema: takesNull ? schema.nullable() : schema,
  values: fc.oneof({ weight: 6, arbitrary: values }, { weight: 1, arbitrary: fc.constant<JsonValue>(null) }),
}));

const drawn = fc.sample(nullable, { numRuns: SCHEMAS, seed: SEED });
const rows = drawn.flatMap(({ values }, index) =>
  fc.sample(values, { numRuns: VALUES_OF_EACH, seed: SEED + index }).map((value) => ({ index, value })),
);

beforeAll(async () => {
  server = await sharedApiServer();
  const shape = Object.fromEntries(drawn.map(({ schema }, index) => [`f${index}`, schema.optional()]));
  const { schema, faults } = convertSchema(z.object(shape), 'spec', { isStatus: false });
  expect(faults).toEqual([]);
  served = await serveKind(server, 'generatedkinds', { type: 'object', properties: { spec: schema } });
});

afterAll(async () => {
  await served.remove();
  await server.disconnect();
});

/**
 * Where the two differ, with the reason: before it validates, the API server drops a null for a field that takes none, as if the
 * field were absent. The engine parses what the API server returns, so it never sees that null.
 */
function asStored(value: JsonValue, index: number): JsonValue | undefined {
  if (value === null && drawn[index]?.schema.safeParse(null).success !== true) return undefined;
  return value;
}

describe('a schema that was drawn, and converted from zod', () => {
  it('R-6.9 the real API server takes the values that the parser takes, and refuses those that it refuses', async () => {
    const { path, apiVersion, kind } = served;
    const differing: unknown[] = [];
    let taken = 0;
    for (const { index, value } of rows) {
      const body = { apiVersion, kind, metadata: { name: 'x' }, spec: { [`f${index}`]: value } };
      const { status } = await server.request({ method: 'POST', path: `${path}?dryRun=All`, body });
      const theirs = status === 201;
      const ours = drawn[index]?.schema.optional().safeParse(asStored(value, index)).success;
      if (theirs) taken += 1;
      if (ours !== theirs) differing.push({ index, value, ours, theirs });
    }
    expect(differing).toEqual([]);
    // Both results must occur often.
    expect(taken).toBeGreaterThan(rows.length / 5);
    expect(taken).toBeLessThan((rows.length * 4) / 5);
  });
});
