import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { JsonObject } from '../../../lib/apiserver/json.ts';
import { type CompiledSchema, compileSchema } from '../../../lib/apiserver/schema/schema.ts';
import { parseContract } from '../../../lib/controllers/secret-contract/parse-contract.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { CONTRACT_CASES, GRANT_CASES, UNCOMPILED_PATTERNS } from './admission-cases.ts';
import { contractObject, grantObject } from './objects.ts';

const ROOT = new URL('../../../', import.meta.url);
const DEFINITIONS = ['secretcontracts', 'secretcontractgrants'] as const;

function documents(path: string): JsonObject[] {
  return parseAllDocuments(readFileSync(new URL(path, ROOT), 'utf8')).map((document) => document.toJS() as JsonObject);
}

interface Definition {
  readonly spec: { names: { kind: string }; versions: { schema: { openAPIV3Schema: JsonObject } }[] };
}

const schemas = new Map<string, CompiledSchema>(
  DEFINITIONS.map((plural) => {
    const [definition] = documents(`infra/kubernetes/crds/${plural}.evenkeel.dev.yaml`) as unknown as Definition[];
    const schema = definition?.spec.versions[0]?.schema.openAPIV3Schema ?? {};
    return [definition?.spec.names.kind ?? '', compileSchema(schema)];
  }),
);

/** What admission says of an object: the paths at fault. */
function faults(object: KubeObject): string[] {
  const schema = schemas.get(object.kind);
  if (schema === undefined) throw new Error(`no schema for ${object.kind}`);
  const copy = JSON.parse(JSON.stringify(object)) as JsonObject;
  schema.prune(copy);
  schema.applyDefaults(copy);
  return schema.validate(copy).map(({ path, message }) => `${path}: ${message}`);
}

describe('the SecretContract schema', () => {
  it.each(CONTRACT_CASES)('R-6.4 judges $title as the controller does: $verdict', ({ spec, fault }) => {
    const contract = contractObject({ spec });
    if (fault === undefined) expect(faults(contract)).toEqual([]);
    else expect(faults(contract)).toContainEqual(expect.stringContaining(fault));
    expect(parseContract(contract).valid).toBe(fault === undefined);
  });
});

describe('what admission compiles', () => {
  it.each(UNCOMPILED_PATTERNS)(
    'R-2.14 admission does not compile %j, and the controller refuses it, because it costs too much',
    (pattern) => {
      expect([...pattern].length).toBeLessThanOrEqual(512);
      const contract = contractObject({ spec: { keys: [{ name: 'password', pattern }] } });
      expect(faults(contract)).toEqual([]);
      expect(parseContract(contract).valid).toBe(false);
    },
  );
});

describe('the SecretContractGrant schema', () => {
  it.each(GRANT_CASES)('R-2.11 judges $title: $verdict', ({ spec, fault }) => {
    const found = faults(grantObject(spec));
    if (fault === undefined) expect(found).toEqual([]);
    else expect(found).toContainEqual(expect.stringContaining(fault));
  });
});

describe('the examples', () => {
  const folder = 'examples/secret-contract/';
  const files = readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.yaml'),
  );

  it('R-6.4 the folder of examples has files', () => {
    expect(files.length).toBeGreaterThan(0);
  });

  it.each(files)('R-6.4 %s is admitted unchanged, without an unknown field', (file) => {
    for (const object of documents(`${folder}${file}`)) {
      const schema = schemas.get(String(object.kind));
      if (schema === undefined) continue;
      expect(schema.unknownFields(object)).toEqual([]);
      expect(faults(object as unknown as KubeObject)).toEqual([]);
    }
  });
});
