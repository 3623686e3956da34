import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { COMMANDS } from '../../../cli/commands.ts';
import { runCommandLine } from '../../../cli/run-command-line.ts';
import { expressionOf } from '../../../cli/types/expression-of.ts';
import { WRITTEN } from '../../../cli/types/kind-module.ts';
import { Notes } from '../../../cli/types/notes.ts';
import { schemaText } from '../../../cli/types/schema-text.ts';
import { Writing } from '../../../cli/types/writing.ts';
import type { JsonObject } from '../../../lib/core/kube-object.ts';
import { RecordedTerminal } from '../../deployment/terminal/recorded-terminal.ts';

const shape = (name: string) => fileURLToPath(new URL(`shapes/${name}.yaml`, import.meta.url));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'evenkeel-types-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function types(...args: string[]) {
  const terminal = new RecordedTerminal();
  const code = await runCommandLine(['types', ...args], terminal, COMMANDS, (error) => `unforeseen: ${String(error)}`);
  return { code, out: terminal.outLines.join('\n'), err: terminal.errLines.join('\n') };
}

function written(schema: JsonObject, isStatus = false): { text: string; notes: string[] } {
  const notes = new Notes();
  const text = schemaText(schema, 'spec', new Writing(schemaText, { notes, isStatus, imports: new Set() }));
  return { text, notes: notes.lines() };
}

const TEXT = { type: 'string' };
const OPEN = { 'x-kubernetes-preserve-unknown-fields': true };
const BIG = /a whole number beyond 2\^53 - 1 is refused/;

describe('evenkeel types', () => {
  it.each<[string, JsonObject, string, RegExp?]>([
    ['a text', { ...TEXT, minLength: 1, maxLength: 3 }, 'z.string().min(1).max(3)'],
    ['a pattern', { ...TEXT, pattern: '^a/b\\s$' }, 'z.string().regex(/^a\\/b[\\t\\n\\f\\r ]$/)'],
    ['a pattern of RE2', { ...TEXT, pattern: '(?i)a' }, `z.string().meta({ pattern: '(?i)a' })`, /only the API server/],
    ['a format', { ...TEXT, format: 'date-time' }, `z.string().meta({ format: 'date-time' })`],
    ['words', { ...TEXT, enum: ['a', "it's"], minLength: 1 }, `z.enum(['a', "it's"]).meta({ minLength: 1 })`],
    ['int32', { type: 'integer', format: 'int32', minimum: 0 }, 'z.int32().min(0)'],
    ['a whole number', { type: 'integer' }, 'z.int()', BIG],
    ['a bounded whole number', { type: 'integer', minimum: 0, maximum: 9 }, 'z.int().min(0).max(9)'],
    [
      'a number',
      { type: 'number', minimum: 0, exclusiveMinimum: true, multipleOf: 0.5 },
      'z.number().gt(0).multipleOf(0.5)',
    ],
    ['words of numbers', { type: 'integer', enum: [1, 2] }, 'z.literal([1, 2])'],
    ['numbers with fractions', { type: 'number', enum: [0.5] }, 'z.number().meta({ enum: [0.5] })'],
    ['true alone', { type: 'boolean', enum: [true] }, 'z.literal(true)'],
    ['a number or a text', { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, TEXT] }, 'intOrString()'],
    [
      'a list',
      { type: 'array', items: { ...TEXT, nullable: true }, maxItems: 2 },
      'z.array(z.string().nullish()).max(2)',
    ],
    [
      'a map',
      { type: 'object', additionalProperties: TEXT, maxProperties: 2 },
      'z.record(z.string(), z.string()).meta({ maxProperties: 2 })',
    ],
    ['anything', OPEN, 'z.unknown()'],
    ['an open object', { type: 'object', ...OPEN }, 'z.looseObject({})'],
    ['fields', { type: 'object', properties: { 'a-b': TEXT } }, `z.object({\n  'a-b': z.string().optional(),\n})`],
    [
      'a default of an object',
      { type: 'object', properties: { a: { type: 'object', default: {} } } },
      'z.object({\n  a: z.object({}).prefault({}),\n})',
    ],
    [
      'a required field that may be null',
      { type: 'object', required: ['a', 'b'], properties: { a: { ...TEXT, nullable: true }, b: TEXT } },
      `z.object({\n  a: z.string().nullish(),\n  b: z.string(),\n}).meta({ required: ['a'] })`,
    ],
    [
      'a default of a field that may be null',
      { type: 'object', properties: { a: { ...TEXT, nullable: true, default: 'x' } } },
      `z.object({\n  a: z.string().default('x'),\n})`,
      /^spec\.a: the API server replaces null by the default\.$/,
    ],
    ['a keyword without a word', { ...TEXT, 'x-kubernetes-other': 1 }, 'z.string()', /x-kubernetes-other is left out/],
  ])('R-6.9 types writes %s as the same schema of zod', (_, schema, expected, note) => {
    const { text, notes } = written(schema);
    expect(text).toBe(expected);
    expect(notes).toEqual(note === undefined ? [] : [expect.stringMatching(note)]);
  });

  it('R-6.8 R-6.9 types requires the keys of a list in a status, and no other field', () => {
    const items = { type: 'object', required: ['host', 'why'], properties: { host: TEXT, why: TEXT } };
    const keyed = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['host'] };
    const { text, notes } = written({ type: 'array', items, ...keyed }, true);
    expect(text).toContain(`meta({ required: ['host'] })`);
    expect(notes).toEqual([expect.stringMatching(/^spec\[\]: no field of a status is required/)]);
  });

  it.each([
    ['^[a-z]+$', '/^[a-z]+$/'],
    ['^[\\s-]$', '/^[\\t\\n\\f\\r \\-]$/'],
    ['\\S', '/[^\\t\\n\\f\\r ]/'],
    ['[^\\S]', undefined],
    ['(?P<a>b)', undefined],
    ['\\pL', undefined],
    ['[[:alpha:]]', undefined],
    ['a\\z', undefined],
    ['[😀]', undefined],
    ['[]a]', undefined],
  ])('R-6.9 the pattern %s of the API server is %s in TypeScript', (pattern, expected) => {
    expect(expressionOf(pattern)).toBe(expected);
  });

  it('R-6.9 types prints the module, and notes what the kind does in another way', async () => {
    const { code, out, err } = await types(shape('rollouts'));
    expect(code).toBe(0);
    expect(out.split('\n')[0]).toBe(WRITTEN);
    expect(out).toContain("import { defineKind, intOrString, type ObjectOf } from 'evenkeel';");
    expect(out).toContain('export const Releases = defineKind({');
    expect(out).toContain('export type Release = ObjectOf<typeof Releases>;');
    expect(err).toMatch(/^note: releases\.ship\.example\.com subresources\.scale: left out, so kubectl scale fails/m);
    for (const line of err.split('\n')) expect(out).toContain(`// Note: ${line.replace('note: ', '')}`);
  });

  it('R-6.9 types writes the versions of a kind, and one constant for those with the same schema', async () => {
    const { out, err } = await types(shape('routes'));
    expect(out).toContain(`{ name: 'v1beta1', served: false, spec: tracksSpec }`);
    expect(out).toContain(`{ name: 'v1alpha1', spec: tracksSpecV1alpha1, status: tracksStatusV1alpha1 }`);
    expect(out).toContain("scope: 'Cluster'");
    expect(err).toContain('version v1beta1: deprecated: left out');
  });

  it('R-6.9 types replaces its own file, and refuses one that a person wrote or took over', async () => {
    const file = join(folder, 'kinds.ts');
    expect(await types(shape('bundles'), '--out', file)).toMatchObject({ code: 0, out: `${file} written` });
    const text = readFileSync(file, 'utf8');
    expect(await types(shape('bundles'), '--out', file)).toMatchObject({ code: 0 });
    expect(readFileSync(file, 'utf8')).toBe(text);
    writeFileSync(file, text.replace(`${WRITTEN}\n`, ''));
    const refused = await types(shape('bundles'), '--out', file);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('Name another file with --out.');
    expect(readFileSync(file, 'utf8')).not.toContain(WRITTEN);
  });

  const names = { kind: 'Thing', plural: 'things' };
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } };
  const definition = (spec: object, apiVersion = 'apiextensions.k8s.io/v1') => ({
    apiVersion,
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.com' },
    spec: { group: 'example.com', scope: 'Namespaced', names, versions: [version], ...spec },
  });
  it.each<[string, unknown, RegExp]>([
    ['no definition', { apiVersion: 'v1', kind: 'ConfigMap' }, /contains no CustomResourceDefinition.*kubectl get crd/],
    ['an old API', definition({}, 'apiextensions.k8s.io/v1beta1'), /apiVersion: must be apiextensions\.k8s\.io\/v1\./],
    ['no versions', definition({ versions: [] }), /spec\.versions: must have one version with storage: true\./],
    [
      'no schema',
      definition({ versions: [{ ...version, schema: undefined }] }),
      /spec\.versions\[0\]\.schema: must be/,
    ],
    [
      'an odd version',
      definition({ versions: [{ ...version, name: 'stable' }] }),
      /version: must be a version such as v1/,
    ],
    ['objects without a schema', definition({ preserveUnknownFields: true }), /preserveUnknownFields: must be false/],
    [
      'a spec that is no object',
      definition({
        versions: [{ ...version, schema: { openAPIV3Schema: { properties: { spec: { type: 'array' } } } } }],
      }),
      /things\.example\.com: version v1: spec: must be of type object\./,
    ],
  ])('R-6.4 types refuses a file with %s and writes nothing', async (_, content, message) => {
    const [file, out] = [join(folder, 'crd.yaml'), join(folder, 'kinds.ts')];
    writeFileSync(file, stringify(content));
    const refused = await types(file, '--out', out);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toMatch(message);
    expect(() => readFileSync(out)).toThrow('ENOENT');
  });

  it('R-6.4 types names the line of a file that is no YAML, and a file that is not there', async () => {
    const file = join(folder, 'crd.yaml');
    expect((await types(file)).err).toMatch(/crd\.yaml cannot be read: .*ENOENT/);
    writeFileSync(file, 'a: b\n  c: [\n');
    expect((await types(file)).err).toMatch(/crd\.yaml:[0-9]+: not valid YAML/);
  });
});
