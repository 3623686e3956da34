import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonObject, KubeObject } from '../../../lib/core/kube-object.ts';
import { CustomResourceDefinitions } from '../../../lib/core/resource-type.ts';
import { defineKind, kindId } from '../../../lib/index.ts';
import { pluralOf } from '../../../lib/kit/kind/definition-faults.ts';
import { World } from '../../../lib/testing/world.ts';

const NAMES = { group: 'example.com', version: 'v1', kind: 'Website' } as const;
const spec = z.object({ host: z.string(), size: z.int().default(3), note: z.string().describe('').optional() });

const rich = defineKind({
  ...NAMES,
  spec,
  status: z.object({ url: z.string(), parts: z.array(z.object({ name: z.string() })) }),
  shortNames: ['web'],
  columns: [
    { name: 'Host', jsonPath: '.spec.host', priority: 0 },
    { name: 'Size', jsonPath: '.spec.size', type: 'integer', priority: 1 },
  ],
  validations: [{ rule: "self.host != 'no'", message: 'not this one' }],
  versions: [{ name: 'v1beta1', spec: z.object({ host: z.string() }), served: false }],
});

/** The paths of all leaves that are in `wanted` and not the same in `found`. */
function lost(wanted: unknown, found: unknown, path = ''): string[] {
  if (typeof wanted !== 'object' || wanted === null) return wanted === found ? [] : [path];
  const inner = (typeof found === 'object' && found !== null ? found : {}) as JsonObject;
  const isMissing = found === undefined;
  return isMissing
    ? [path]
    : Object.entries(wanted).flatMap(([key, value]) => lost(value, inner[key], `${path}.${key}`));
}

function schemaOf({ definition }: { definition: { [field: string]: unknown } }): JsonObject {
  const [first] = (definition.spec as { versions: { schema: { openAPIV3Schema: JsonObject } }[] }).versions;
  return first?.schema.openAPIV3Schema ?? {};
}

describe('defineKind', () => {
  it('R-6.9 a defined kind is a resource type whose own fields are those of the type alone', () => {
    expect({ ...rich }).toEqual({
      group: 'example.com',
      version: 'v1',
      plural: 'websites',
      kind: 'Website',
      namespaced: true,
    });
    expect(kindId(rich)).toBe('websites.example.com');
    expect(JSON.parse(JSON.stringify(rich))).toEqual({ ...rich });
  });

  it('R-6.9 the API server keeps every key of the definition, so a tool that compares sees no difference', async () => {
    const world = new World({ controllers: [] });
    await world.install([rich.definition]);
    const name = { namespace: '', name: 'websites.example.com' };
    const installed: KubeObject = await world.user.get(CustomResourceDefinitions, name);
    expect(lost(rich.definition, installed)).toEqual([]);
    const text = JSON.stringify(rich.definition);
    for (const atDefault of ['"nullable":false', '"preserveUnknownFields"', '"conversion"', '"priority":0', '""']) {
      expect(text).not.toContain(atDefault);
    }
    expect(Object.keys(rich.definition)).not.toContain('status');
  });

  it('R-6.13 a status has no required field, and its observedGeneration is -1 by default', () => {
    const { status } = schemaOf(rich).properties as { status: JsonObject };
    expect(status).not.toHaveProperty('required');
    expect(status.default).toEqual({ observedGeneration: -1 });
    expect((status.properties as JsonObject).observedGeneration).toMatchObject({ default: -1, minimum: -1 });
  });

  it('R-6.9 a spec is required when the schema refuses an empty one, and is filled in when its fields have defaults', () => {
    expect(schemaOf(rich).required).toEqual(['spec']);
    const optional = defineKind({ ...NAMES, spec: z.object({ size: z.int().default(3) }) });
    expect(schemaOf(optional)).not.toHaveProperty('required');
    expect((schemaOf(optional).properties as { spec: JsonObject }).spec.default).toEqual({ size: 3 });
  });

  it('R-6.9 other versions are in the definition and are not stored', () => {
    const { versions } = rich.definition.spec as { versions: JsonObject[] };
    expect(versions.map(({ name, served, storage }) => [name, served, storage])).toEqual([
      ['v1', true, true],
      ['v1beta1', false, false],
    ]);
  });

  it('R-6.4 a note says so when the definition is larger than 200 KB', () => {
    const large = z.object({ a: z.string().describe('x'.repeat(200_000)) });
    expect(defineKind({ ...NAMES, spec: large }).notes.join('\n')).toMatch(
      /has 20\d{4} bytes; shorten its descriptions/,
    );
    expect(rich.notes).toEqual([]);
  });

  it.each([
    [{ group: 'example' }, /^kind Website: group: must be an API group with a dot/],
    [{ version: '1' }, /version: must be a version such as v1/],
    [{ kind: 'website' }, /kind: must be a kind in CamelCase/],
    [{ plural: 'Websites' }, /plural: must be lower-case letters/],
    [{ shortNames: ['W'] }, /shortNames: must be lower-case letters/],
    [{ scope: 'Cluster-wide' as 'Cluster' }, /scope: must be 'Namespaced' or 'Cluster'/],
    [{ spec: z.string() as never }, /spec: must be an object; use z\.object/],
    [
      { spec: z.object({ a: z.date() }) as never },
      /kind Website: spec\.a: JSON has no Date; use z\.iso\.datetime\(\)\./,
    ],
    [
      { status: z.object({ conditions: z.array(z.string()) }) as never },
      /status\.conditions: evenkeel writes this field/,
    ],
    [{ shortNames: 'ab' as never }, /shortNames: must be a list/],
    [{ columns: 'ab' as never }, /columns: must be a list of objects/],
    [{ validations: [null] as never }, /validations: must be a list of objects/],
    [{ versions: 3 as never }, /versions: must be a list of objects/],
    [{ versions: [null] as never }, /versions: must be a list of objects/],
    [{ versions: [{ name: '../x', spec }] }, /versions \.\.\/x: must be a version such as v1/],
    [{ versions: [{ name: undefined as never, spec }] }, /versions undefined: must be a version such as v1/],
    [{ versions: [{ name: 'v1', spec }] }, /versions v1: another version has this name/],
    [
      {
        versions: [
          { name: 'v2', spec },
          { name: 'v2', spec },
        ],
      },
      /versions v2: another version has this name/,
    ],
    [{ versions: [{ name: 'v2', spec: z.object({ a: z.date() }) }] }, /versions v2 spec\.a: JSON has no Date/],
  ])('R-6.4 defineKind refuses %j with what to write instead', (changes, message) => {
    expect(() => defineKind({ ...NAMES, spec, ...changes })).toThrow(message);
    expect(() => defineKind({ ...NAMES, spec, ...changes })).toThrow(expect.objectContaining({ code: 'INVALID_KIND' }));
  });

  it('R-6.4 defineKind refuses a definition when the API server cannot store it', () => {
    const words = Array.from({ length: 60_000 }, (_, index) => `a-longer-word-${index}`);
    const large = { ...NAMES, spec: z.object({ word: z.enum(words) }) };
    expect(() => defineKind(large)).toThrow(/its CustomResourceDefinition has 1\d{6} bytes; .* at most 1000000/);
  });

  it.each([undefined, null, 'Website', 3])('R-6.4 defineKind refuses %j because it is no definition', (definition) => {
    expect(() => defineKind(definition as never)).toThrow(
      /definition: must be an object with group, version, kind and spec/,
    );
    expect(() => defineKind(definition as never)).toThrow(expect.objectContaining({ code: 'INVALID_KIND' }));
  });

  it.each([
    ['Website', 'websites'],
    ['Policy', 'policies'],
    ['Gateway', 'gateways'],
    ['Address', 'addresses'],
    ['Box', 'boxes'],
    ['Branch', 'branches'],
  ])('R-6.9 the plural of %s is %s', (kind, plural) => {
    expect(pluralOf(kind)).toBe(plural);
  });
});
