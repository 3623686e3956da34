import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { definitionIssues } from '../../lib/apiserver/definitions/definition-issues.ts';
import { RULE_COST_LIMIT } from '../../lib/apiserver/definitions/schema-issues.ts';
import type { JsonObject } from '../../lib/apiserver/json.ts';
import { compileSchema } from '../../lib/apiserver/schema/schema.ts';
import { costRows, togetherTooMuch } from '../apiserver/schema/cost-rows.ts';
import type { ApiServer } from '../real-apiserver/connect-api-server.ts';
import { sharedApiServer } from '../real-apiserver/shared-api-server.ts';
import { causesOf, definitionOf, tryDefinition } from './served-kind.ts';

let server: ApiServer;

beforeAll(async () => {
  server = await sharedApiServer();
});

afterAll(async () => {
  await server.disconnect();
});

/** The embedded API server's errors for a definition with one field. */
function ours(schema: JsonObject): string[] {
  return definitionIssues(definitionOf('rulecosts', schema))
    .map(({ path, message }) => `${path}: ${message}`)
    .sort();
}

/**
 * Puts the schema into a list so long that its most expensive rule is slightly over the limit. The error then contains
 * by how much.
 */
function tooOften(schema: JsonObject): JsonObject {
  const { costs } = compileSchema({ type: 'object', properties: { f: { type: 'array', maxItems: 1, items: schema } } });
  const highest = Math.max(1, ...costs.filter(({ keyword }) => keyword === 'rule').map(({ cost }) => cost));
  return { type: 'array', maxItems: Math.max(1, Math.ceil((RULE_COST_LIMIT * 1.2) / highest)), items: schema };
}

describe('the cost of a rule', () => {
  // A rule on the items of a list must not use `oldSelf`.
  const repeated = costRows.filter(([what]) => !what.includes('oldSelf'));

  it.each(repeated)('R-6.9 %s costs as much as the real API server says', async (_what, f) => {
    const schema = { type: 'object', properties: { f: tooOften(f) } };
    const theirs = causesOf(await tryDefinition(server, 'rulecosts', schema));
    expect(ours(schema)).toEqual(theirs);
  });

  it.each(costRows)('R-6.9 %s is estimated as the real API server estimates it', async (_what, f) => {
    const schema = { type: 'object', properties: { f } };
    expect(ours(schema)).toEqual(causesOf(await tryDefinition(server, 'rulecosts', schema)));
  });

  it('R-6.9 rules that are too expensive together are refused as the real API server refuses them', async () => {
    const schema = { type: 'object', properties: { f: togetherTooMuch } };
    const theirs = causesOf(await tryDefinition(server, 'rulecosts', schema));
    expect(theirs).toHaveLength(5);
    expect(ours(schema)).toEqual(theirs);
  });
});
