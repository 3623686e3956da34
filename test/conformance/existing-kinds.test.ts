import { globSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CustomDefinition, CustomVersion } from '../../cli/types/custom-definition.ts';
import { kindModule } from '../../cli/types/kind-module.ts';
import { readDefinitions } from '../../cli/types/read-definitions.ts';
import { compileSchema, SchemaError } from '../../lib/apiserver/schema/schema.ts';
import type { DesiredObject, JsonObject, JsonValue } from '../../lib/core/kube-object.ts';
import { specsOf } from '../cli/types/drawn-values.ts';
import { loadModule } from '../cli/types/load-module.ts';
import { EvenkeelFolder } from '../e2e/support/evenkeel-process.ts';
import { type RealApiServer, startRealApiServer } from '../real-apiserver/real-api-server.ts';
import { until } from '../real-apiserver/until.ts';
import { applyKustomization } from './apply-kustomization.ts';
import { installDefinition } from './install-definition.ts';
import { causesOf, tryDefinition } from './served-kind.ts';

// The original CRDs are installed on a real API server. `evenkeel types` writes a module for each, `evenkeel manifests`
// writes the CRDs of that module, and these replace the original ones.

const SHAPES = fileURLToPath(new URL('../cli/types/shapes', import.meta.url));
const NODE_MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));
const CONTROLLERS = `
import { defineController, settled } from 'evenkeel';
import * as kinds from './kinds.ts';
const reconcile = async () => settled();
export const controllers = Object.values(kinds).map((kind) => defineController({ kind, reconcile }));
`;
const WORDS =
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  );
const SEED = 20_261_202;
const VALUES = 150;

/** Why the API server refuses a value that the parser takes: these keywords have no form in zod. */
const ONLY_SERVER: Readonly<Record<string, RegExp>> = {
  'a format': /must be of type (uuid|email|duration)/,
  'an alternative':
    /(anyOf|oneOf|allOf|not)\)|validate one and only one schema|^spec\.(either\.\w|steps\[\d+\]\.\w+): /,
  'an embedded object': /^spec\.(objects\[\d+\]|template)\.(apiVersion|kind): /,
  'a number of fields': /should have at (least|most) \d+ properties|^spec\.(secretTemplate\.labels|strategy): Too many/,
  'an item that stands twice': /Duplicate value/,
  'a rule in CEL':
    /: (Invalid value|Forbidden): (not |a host must not be empty)|some validation rules were not checked/,
  'the replicas of a scale subresource': /^\.spec\.replicas: .* should be a non-negative integer$/,
  'null for a field without a value': /^spec\.budget: Required value/,
};
/** Why the CRD of the module refuses what the original one takes. */
const TIGHTENED: Readonly<Record<string, RegExp>> = {
  'JavaScript has no larger whole numbers': /(minimum|maximum) was not there and is -?9007199254740991$/,
  'a bound that the format int32 has too': /(minimum|maximum) was not there and is -?214748364[78]$/,
  'evenkeel writes the conditions': / status\.conditions(\[\]\.\w+)?: /,
  'evenkeel writes observedGeneration': / status\.observedGeneration: it was a text and is a whole number$/,
  'the same pattern with its spaces written out': /pattern was .*\\\\[sS].* and is .*\\\\t\\\\n\\\\f\\\\r /,
  'the same alternative, which x-kubernetes-int-or-string has too': /allOf was \[\{"anyOf":\[\{"type":"integer"/,
};

const definitions = globSync(`${SHAPES}/*.yaml`).sort().flatMap(readDefinitions);
const table = definitions.map((definition) => [definition.metadata.name, definition] as const);
/** What the API server stored of the values that it took, with the values. */
const taken = new Map<string, (readonly [JsonValue, JsonObject])[]>();
/** Every cause for which the API server alone refused a value. */
const onlyServer: string[] = [];
let server: RealApiServer;

beforeAll(async () => {
  server = await startRealApiServer();
  for (const definition of definitions) await installDefinition(server, definition as unknown as DesiredObject);
});

afterAll(() => server.stop());

function stored({ spec }: CustomDefinition): CustomVersion {
  const version = spec.versions.find(({ storage }) => storage);
  if (version === undefined) throw new Error('no version is stored');
  return version;
}

/** What the API server would store of an object with this spec, or why it refuses the object. */
async function tried(definition: CustomDefinition, spec: JsonValue): Promise<{ spec?: JsonObject; causes: string[] }> {
  const { group, names, scope } = definition.spec;
  const apiVersion = `${group}/${stored(definition).name}`;
  const place = scope === 'Namespaced' ? '/namespaces/default' : '';
  const path = `/apis/${apiVersion}${place}/${names.plural}?dryRun=All`;
  const body = { apiVersion, kind: names.kind, metadata: { name: 'x' }, spec };
  const answer = await server.request({ method: 'POST', path, body });
  if (answer.status === 201) return { spec: answer.json<{ spec: JsonObject }>().spec, causes: [] };
  return { causes: causesOf(answer) };
}

/** Null counts as absent. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== null && inner !== undefined);
  return Object.fromEntries(entries.map(([name, inner]) => [name, withoutNulls(inner)]));
}

const hasReason = (text: string, reasons: Readonly<Record<string, RegExp>>) =>
  Object.values(reasons).some((reason) => reason.test(text));

const unusedOf = (reasons: Readonly<Record<string, RegExp>>, texts: readonly string[]) =>
  Object.keys(reasons).filter((why) => !texts.some((text) => reasons[why]?.test(text)));

describe('the module of an existing CRD', () => {
  it.each(table)(
    'R-6.9 its parser takes what the real API server takes for %s, reads it as it is stored, and takes more for listed reasons only',
    async (name, definition) => {
      const [kind] = Object.values(loadModule(kindModule([definition]).text));
      const { properties } = stored(definition).schema.openAPIV3Schema;
      const schema = (properties as Record<string, JsonObject>).spec ?? { type: 'object' };
      const own: (readonly [JsonValue, JsonObject])[] = [];
      const unforeseen: string[] = [];
      for (const drawn of fc.sample(specsOf(schema), { numRuns: VALUES, seed: SEED })) {
        const { spec, causes } = await tried(definition, drawn);
        const parsed = kind?.spec.safeParse(spec ?? drawn);
        if (spec !== undefined) {
          own.push([drawn, spec]);
          expect(parsed?.error).toBeUndefined();
          expect(withoutNulls(parsed?.data)).toEqual(withoutNulls(spec));
        } else if (parsed?.success === true) {
          unforeseen.push(...causes.filter((cause) => !hasReason(cause, ONLY_SERVER)));
          onlyServer.push(...causes);
        }
      }
      expect(unforeseen).toEqual([]);
      // Both results must occur.
      expect(own.length).toBeGreaterThan(2);
      expect(own.length).toBeLessThan(VALUES);
      taken.set(name, own);
    },
  );

  it('R-6.9 every listed reason occurred', () => {
    expect(unusedOf(ONLY_SERVER, onlyServer)).toEqual([]);
  });

  it('R-6.9 the CRDs of the module replace the original ones, lose no field, tighten for listed reasons only, and take the same objects', async () => {
    await using folder = new EvenkeelFolder();
    symlinkSync(NODE_MODULES, join(folder.path, 'node_modules'));
    writeFileSync(join(folder.path, 'package.json'), '{"type": "module"}');
    const released = { apiVersion: 'v1', kind: 'List', items: definitions };
    writeFileSync(join(folder.path, 'released.yaml'), JSON.stringify(released));
    expect(await folder.run(['types', 'released.yaml', '--out', 'kinds.ts'])).toMatchObject({ code: 0 });
    writeFileSync(join(folder.path, 'controllers.ts'), CONTROLLERS);
    const manifests = ['manifests', '--controllers', 'controllers.ts', '--out', 'out'];
    expect(await folder.run(manifests)).toMatchObject({ code: 0 });
    const { err } = await folder.run([...manifests, '--check', '--against', 'released.yaml']);
    const changes = err.split('\n').filter((line) => /^(removed|tightened): /.test(line));
    expect(changes.filter((change) => !hasReason(change, TIGHTENED))).toEqual([]);
    expect(unusedOf(TIGHTENED, changes)).toEqual([]);

    await applyKustomization(server, join(folder.path, 'out'), ['--force-conflicts']);
    const probe = definitions.find(({ metadata }) => metadata.name === 'tracks.net.example.com') as CustomDefinition;
    const columns = async () => {
      const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${probe.metadata.name}`;
      const installed = (await server.expectOk({ method: 'GET', path })).json<CustomDefinition>();
      return stored(installed).additionalPrinterColumns?.some(({ name }) => name === 'Reason');
    };
    await until(columns);
    for (const [name, definition] of table) {
      for (const [drawn, before] of taken.get(name) ?? [])
        expect(await tried(definition, drawn)).toEqual({ spec: before, causes: [] });
    }
  });
});

describe('a rule that names a field by a word that CEL reserves', () => {
  it.each(WORDS)('R-1.32 the embedded API server takes self.%s when the real one does', async (word) => {
    const text = { type: 'string', maxLength: 9 };
    const spec = (rule: string) => ({
      type: 'object',
      properties: { [word]: text },
      'x-kubernetes-validations': [{ rule }],
    });
    for (const rule of [`self.${word} != 'x'`, `self.__${word}__ != 'x'`, `${word} == 'x'`]) {
      const schema = { type: 'object', properties: { spec: spec(rule) } };
      const { status } = await tryDefinition(server, 'words', schema);
      const embedded = () => compileSchema(schema);
      if (status === 201) expect(embedded).not.toThrow();
      else expect(embedded).toThrow(SchemaError);
    }
  });
});
