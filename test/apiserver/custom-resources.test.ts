import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../lib/apiserver/json.ts';
import { ApiClient, definitions, testServer, widget, widgetDefinition, widgets } from './api-client.ts';

const spec: JsonObject = {
  type: 'object',
  required: ['size'],
  properties: {
    size: { type: 'integer', minimum: 1 },
    colour: { type: 'string', default: 'grey' },
    tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
  },
  'x-kubernetes-validations': [
    { rule: "self.size < 10 || self.colour != 'grey'", message: 'large widgets need a colour' },
    { rule: 'self.size >= oldSelf.size', message: 'a widget does not shrink' },
  ],
};
const status: JsonObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

function schemaOf(specSchema: JsonObject): JsonObject {
  return { openAPIV3Schema: { type: 'object', properties: { spec: specSchema, status } } };
}

async function start(version: JsonObject = {}, more: JsonObject = {}): Promise<ApiClient> {
  const client = new ApiClient(testServer());
  const created = await client.post(definitions, widgetDefinition({ schema: schemaOf(spec), ...version }, more));
  expect(created.status).toBe(201);
  return client;
}

describe('custom resources of the embedded API server', () => {
  it('R-6.4 prunes undeclared fields and fills in defaults', async () => {
    const client = await start();
    const { body } = await client.post(widgets, widget('a', { size: 1, sice: 2 }));
    expect(body.spec).toEqual({ size: 1, colour: 'grey' });
  });

  it('R-6.4 reports unknown fields as the request asks for it', async () => {
    const client = await start();
    const body = widget('a', { size: 1, sice: 2 }, { nmae: 'x' });
    const warned = await client.post(`${widgets}?fieldValidation=Warn`, body);
    expect(warned.headers.warning).toBe(
      '299 - "unknown field \\"metadata.nmae\\"", 299 - "unknown field \\"spec.sice\\""',
    );
    const strict = await client.post(`${widgets}?fieldValidation=Strict`, widget('b', { size: 1, sice: 2 }));
    expect(strict.body).toMatchObject({
      code: 400,
      message: 'Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "spec.sice"',
    });
    const patch = await client.merge(`${widgets}/a?fieldValidation=Strict`, { spec: { sice: 2 } });
    expect(patch.body).toMatchObject({ code: 422, details: { causes: [{ field: 'patch' }] } });
    expect(patch.body.message).toContain('strict decoding error: unknown field \\"spec.sice\\"'.replaceAll('\\', ''));
  });

  it('R-6.4 refuses values that the schema or its rules forbid, with a cause for each', async () => {
    const client = await start();
    const answer = await client.post(widgets, widget('a', { size: 0, tags: ['x', 'x'] }));
    expect(answer.body).toMatchObject({
      code: 422,
      reason: 'Invalid',
      details: {
        name: 'a',
        group: 'example.com',
        kind: 'Widget',
        causes: [
          { reason: 'FieldValueInvalid', field: 'spec.size' },
          { reason: 'FieldValueDuplicate', field: 'spec.tags[1]', message: 'Duplicate value: "x"' },
        ],
      },
    });
    expect((await client.post(widgets, widget('a', {}))).body.message).toBe(
      'Widget.example.com "a" is invalid: [spec.size: Required value, <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation]',
    );
    expect((await client.post(widgets, widget('a', { size: 12 }))).body.message).toBe(
      'Widget.example.com "a" is invalid: spec: Invalid value: large widgets need a colour',
    );
  });

  it('R-1.12 judges transitions against the object as it is', async () => {
    const client = await start();
    await client.post(widgets, widget('a', { size: 5 }));
    expect((await client.merge(`${widgets}/a`, { spec: { size: 4 } })).body.message).toContain(
      'a widget does not shrink',
    );
    expect((await client.merge(`${widgets}/a`, { spec: { size: 6 } })).status).toBe(200);
  });

  it('R-6.4 refuses a definition that the real server refuses, saying where', async () => {
    const client = new ApiClient(testServer());
    const untyped = widgetDefinition({ schema: schemaOf({ properties: { size: { type: 'integer' } } }) });
    expect((await client.post(definitions, untyped)).body).toMatchObject({
      code: 422,
      message: expect.stringContaining('spec.validation.openAPIV3Schema.properties[spec].type: Required value'),
    });
    const misnamed = { ...widgetDefinition(), metadata: { name: 'gadgets.example.com' } };
    expect((await client.post(definitions, misnamed)).body.message).toContain(
      'metadata.name: Invalid value: "gadgets.example.com": must be spec.names.plural+"."+spec.group',
    );
    const webhook = widgetDefinition({}, { conversion: { strategy: 'Webhook' } });
    expect((await client.post(definitions, webhook)).body.message).toContain('by the strategy None only');
  });

  it('serves an object in each of several versions, under the schema of each', async () => {
    const versions = [
      {
        name: 'v1alpha1',
        served: true,
        storage: false,
        deprecated: true,
        schema: schemaOf({ type: 'object', properties: { size: { type: 'integer' } } }),
      },
      { name: 'v1', served: true, storage: true, schema: schemaOf(spec) },
    ];
    const client = await start({}, { versions });
    const alpha = '/apis/example.com/v1alpha1/namespaces/default/widgets';
    const created = await client.post(alpha, { ...widget('a', { size: 1 }), apiVersion: 'example.com/v1alpha1' });
    expect(created.body.apiVersion).toBe('example.com/v1alpha1');
    expect(created.headers.warning).toBe('299 - "example.com/v1alpha1 is deprecated"');
    expect((await client.get(`${widgets}/a`)).body).toMatchObject({ apiVersion: 'example.com/v1', spec: { size: 1 } });
    await client.merge(`${widgets}/a`, { spec: { colour: 'red' } });
    expect((await client.get(`${alpha}/a`)).body).toMatchObject({
      apiVersion: 'example.com/v1alpha1',
      spec: { size: 1 },
    });
    expect((await client.get('/apis/example.com')).body).toMatchObject({
      preferredVersion: { version: 'v1' },
      versions: [{ version: 'v1' }, { version: 'v1alpha1' }],
    });
  });

  it('R-5.15 shows defaults of a new schema on objects that were written before it', async () => {
    const client = await start();
    await client.post(widgets, widget('a', { size: 1 }));
    const shape = { type: 'string', default: 'round' };
    const path = '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/shape';
    await client.jsonPatch(`${definitions}/widgets.example.com`, [{ op: 'add', path, value: shape }]);
    expect((await client.get(`${widgets}/a`)).body.spec).toEqual({ size: 1, colour: 'grey', shape: 'round' });
    expect((await client.get(widgets)).body.items[0].spec.shape).toBe('round');
  });

  it('selects by the fields that the definition offers', async () => {
    const client = await start({ selectableFields: [{ jsonPath: '.spec.colour' }] });
    await client.post(widgets, widget('a', { size: 1, colour: 'red' }));
    await client.post(widgets, widget('b', { size: 1 }));
    const { body } = await client.get(`${widgets}?fieldSelector=spec.colour%3Dred`);
    expect(body.items).toMatchObject([{ metadata: { name: 'a' } }]);
  });

  it('does not serve a definition whose names another one has', async () => {
    const client = await start();
    const other = {
      ...widgetDefinition({}, { names: { plural: 'others', kind: 'Widget' } }),
      metadata: { name: 'others.example.com' },
    };
    await client.post(definitions, other);
    const { body } = await client.get(`${definitions}/others.example.com`);
    expect(body.status).toMatchObject({
      acceptedNames: { plural: 'others', kind: '' },
      conditions: [
        { type: 'NamesAccepted', status: 'False', reason: 'ListKindConflict' },
        { type: 'Established', status: 'False' },
      ],
    });
    expect((await client.get('/apis/example.com/v1/others')).status).toBe(404);
    await client.delete(`${definitions}/others.example.com`);
    expect((await client.get(`${definitions}/others.example.com`)).status).toBe(404);
  });

  it('R-6.4 names are judged in the words of the real server', async () => {
    const client = await start();
    const answer = await client.post(widgets, widget('Not_a_name', { size: 1 }, { labels: { 'a b': '-' } }));
    expect(answer.body.details.causes.map((cause: { field: string }) => cause.field)).toEqual([
      'metadata.name',
      'metadata.labels',
      'metadata.labels',
    ]);
    expect(answer.body.message).toContain(
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
    );
    const generated = await client.post(widgets, widget('', { size: 1 }, { generateName: 'gen-' }));
    expect(generated.body.metadata.name).toMatch(/^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });
});
