import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../lib/apiserver/json.ts';
import { issueText } from '../../lib/apiserver/schema/issue.ts';
import { type CompiledSchema, compileSchema, SchemaError } from '../../lib/apiserver/schema/schema.ts';
import { faultRows } from '../apiserver/schema/fault-rows.ts';
import { failingSpec, properties, ruleMessageRows, ruleRows } from '../apiserver/schema/rule-rows.ts';
import { valueRows } from '../apiserver/schema/value-rows.ts';
import type { ApiServer } from '../real-apiserver/connect-api-server.ts';
import { sharedApiServer } from '../real-apiserver/shared-api-server.ts';
import { causesOf, type ServedKind, serveKind, tryDefinition } from './served-kind.ts';

// The tables of the unit tests, checked against the real server: every row is a field in the spec of one kind.

let server: ApiServer;

beforeAll(async () => {
  server = await sharedApiServer();
});

afterAll(async () => {
  await server.disconnect();
});

function withSpec(fields: JsonObject): JsonObject {
  return { type: 'object', properties: { spec: { type: 'object', properties: fields } } };
}

/** Our schema's errors for an object as the server receives it. */
function ours(compiled: CompiledSchema, spec: JsonObject): string[] {
  const object: JsonObject = { metadata: { name: 'x' }, spec: structuredClone(spec) };
  compiled.prune(object);
  compiled.applyDefaults(object);
  return compiled.validate(object).map(issueText).sort();
}

async function theirs({ path, apiVersion, kind }: ServedKind, spec: JsonObject): Promise<string[]> {
  const body = { apiVersion, kind, metadata: { name: 'x' }, spec };
  return causesOf(await server.request({ method: 'POST', path: `${path}?dryRun=All`, body }));
}

describe('values', () => {
  const schema = withSpec(Object.fromEntries(valueRows.map(([, field], index) => [`f${index}`, field])));
  const compiled = compileSchema(schema);
  let served: ServedKind;

  beforeAll(async () => {
    served = await serveKind(server, 'schemavalues', schema);
  });

  afterAll(() => served.remove());

  it.each(valueRows.map(([what, , value], index): [string, JsonValue, number] => [what, value, index]))(
    'R-6.4 %s is answered as the real API server answers it',
    async (_what, value, index) => {
      const spec = { [`f${index}`]: value };
      expect(ours(compiled, spec)).toEqual(await theirs(served, spec));
    },
  );
});

describe('rules', () => {
  const fields = [
    ...ruleRows.map(([rule]): JsonObject => ({ rule, message: 'no' })),
    ...ruleMessageRows.map(([, rule]) => rule),
  ].map((rule, index): [string, JsonValue] => [
    `f${index}`,
    { type: 'object', properties, 'x-kubernetes-validations': [rule] },
  ]);
  const schema = withSpec(Object.fromEntries(fields));
  const compiled = compileSchema(schema);
  let served: ServedKind;

  beforeAll(async () => {
    served = await serveKind(server, 'schemarules', schema);
  });

  afterAll(() => served.remove());

  it.each(
    ruleRows.map(([rule, holds, fails], index): [string, JsonObject, JsonObject, number] => [
      rule,
      holds,
      fails,
      index,
    ]),
  )('R-6.2 %s', async (_rule, holds, fails, index) => {
    expect(await theirs(served, { [`f${index}`]: holds })).toEqual([]);
    expect(await theirs(served, { [`f${index}`]: fails })).toEqual([`spec.f${index}: Invalid value: no`]);
  });

  it.each(ruleMessageRows.map(([what], index): [string, number] => [what, ruleRows.length + index]))(
    'R-6.4 %s',
    async (_what, index) => {
      const spec = { [`f${index}`]: failingSpec };
      expect(ours(compiled, spec)).toEqual(await theirs(served, spec));
    },
  );
});

describe('schemas', () => {
  // The server refuses an object that it cannot decode before it checks the schema.
  const rows = faultRows.filter(([what]) => what !== 'a keyword of the wrong shape');

  it.each(rows.map(([what, schema]): [string, JsonObject] => [what, schema]))(
    'R-6.4 %s is refused as the real API server refuses it',
    async (_what, schema) => {
      const real = causesOf(await tryDefinition(server, 'schemafaults', schema));
      const told = faultsOf(schema).map((fault) =>
        fault.replaceAll(/(?<![.\w])openAPIV3Schema/g, 'spec.validation.openAPIV3Schema'),
      );
      expect(told.sort()).toEqual(real);
    },
  );
});

function faultsOf(schema: JsonObject): string[] {
  try {
    compileSchema(schema);
    return [];
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    return error.faults.map(issueText);
  }
}
