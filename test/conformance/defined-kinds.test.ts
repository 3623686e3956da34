import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../../lib/core/kube-object.ts';
import { defineKind } from '../../lib/index.ts';
import { convertSchema } from '../../lib/kit/schema/convert-schema.ts';
import { CONVERTED } from '../kit/schema/construct-rows.ts';
import type { ApiServer } from '../real-apiserver/connect-api-server.ts';
import { sharedApiServer } from '../real-apiserver/shared-api-server.ts';
import { installDefinition } from './install-definition.ts';
import { causesOf, type ServedKind, serveKind } from './served-kind.ts';

// The table of the unit test, checked against the real server: every zod construct is a field in the spec of one kind.

let server: ApiServer;

beforeAll(async () => {
  server = await sharedApiServer();
});

afterAll(async () => {
  await server.disconnect();
});

describe('a schema that was converted from zod', () => {
  let served: ServedKind;

  beforeAll(async () => {
    const fields = CONVERTED.map(({ schema }, index) => [`f${index}`, schema.optional()] as const);
    // A field with a default is never absent, so its schema is used as it is.
    const shape = Object.fromEntries(
      fields.map(([field, schema], index) => [
        field,
        /default|prefault|nullish/.test(CONVERTED[index]?.name ?? '') ? CONVERTED[index]?.schema : schema,
      ]),
    ) as Record<string, z.ZodType>;
    const { schema: spec, faults } = convertSchema(z.object(shape), 'spec', { isStatus: false });
    expect(faults).toEqual([]);
    served = await serveKind(server, 'definedkinds', { type: 'object', properties: { spec } });
  });

  afterAll(() => served.remove());

  it.each(CONVERTED.map((row, index) => ({ ...row, index })))(
    'R-6.9 $name is accepted and refused by the real API server as by zod',
    async ({ index, good, bad }) => {
      const accepts = async (value: unknown) => {
        const { path, apiVersion, kind } = served;
        const body = { apiVersion, kind, metadata: { name: 'x' }, spec: { [`f${index}`]: value } };
        const { status } = await server.request({ method: 'POST', path: `${path}?dryRun=All`, body });
        return [value, status === 201];
      };
      for (const value of good) expect(await accepts(value)).toEqual([value, true]);
      for (const value of bad) expect(await accepts(value)).toEqual([value, false]);
    },
  );
});

describe('a kind of defineKind', () => {
  it('R-6.13 a new object shows observedGeneration -1, and the real API server keeps every key of the definition', async () => {
    const kind = defineKind({
      group: 'defined.example.com',
      version: 'v1',
      kind: 'Shelf',
      plural: 'shelves',
      scope: 'Cluster',
      spec: z.object({ size: z.int().default(3), unit: z.enum(['a', 'b']).optional() }),
      status: z.object({ books: z.array(z.object({ title: z.string() })) }),
      columns: [{ name: 'Size', jsonPath: '.spec.size', type: 'integer' }],
      validations: [{ rule: 'self.size >= 0', message: 'size must not be negative' }],
    });
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const tried = { method: 'POST', path: `${definitions}?dryRun=All`, body: kind.definition } as const;
    expect(causesOf(await server.request(tried))).toEqual([]);
    await installDefinition(server, kind.definition);
    const installed = await server.expectOk({ method: 'GET', path: `${definitions}/shelves.defined.example.com` });
    expect(installed.json<JsonObject>()).toMatchObject(kind.definition as object);
    const path = '/apis/defined.example.com/v1/shelves';
    const body = { apiVersion: 'defined.example.com/v1', kind: 'Shelf', plural: 'shelves', metadata: { name: 'one' } };
    const created = (await server.expectOk({ method: 'POST', path, body })).json<JsonObject>();
    expect(created).toMatchObject({ spec: { size: 3 }, status: { observedGeneration: -1 } });
    expect((await server.expectOk({ method: 'GET', path: `${path}/one` })).json<JsonObject>()).toMatchObject({
      status: { observedGeneration: -1 },
    });
  });
});
