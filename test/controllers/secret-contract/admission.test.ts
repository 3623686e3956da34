import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { JsonObject } from '../../../lib/adapters/apiserver/json.ts';
import { type CompiledSchema, compileSchema } from '../../../lib/adapters/apiserver/schema/schema.ts';
import { parseContract } from '../../../lib/controllers/secret-contract/parse-contract.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
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
    return [definition?.spec.names.kind ?? '', compileSchema(schema, () => 0)];
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

const KEY = { name: 'password' };
const keys = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `key-${index}` }));

describe('the SecretContract schema', () => {
  it.each<[string, Record<string, unknown>]>([
    ['the least', {}],
    ['64 keys', { keys: keys(64) }],
    ['16 targets', { targets: keys(16), mutation: 'Annotate' }],
    ['bounds of lengths', { keys: [{ ...KEY, minLength: 0, maxLength: 1_048_576 }] }],
    ['equal lengths', { keys: [{ ...KEY, minLength: 4, maxLength: 4 }] }],
    ['a pattern', { keys: [{ ...KEY, pattern: '(?i)^[a-z]{2,8}\\d$' }] }],
    ['the least maxAge', { maxAge: '1m' }],
    ['a composed maxAge', { maxAge: '1h30m' }],
    ['bounds of the poll interval', { externalSecretRef: { name: 'db', pollInterval: '1h' } }],
  ])('R-6.4 admits %s', (_, spec) => {
    const contract = contractObject({ spec });
    expect(faults(contract)).toEqual([]);
    expect(parseContract(contract).valid).toBe(true);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['no secretRef', { secretRef: undefined }, 'spec.secretRef: Required value'],
    ['no Secret name', { secretRef: {} }, 'spec.secretRef.name: Required value'],
    ['a Secret name in capitals', { secretRef: { name: 'DB' } }, 'spec.secretRef.name: '],
    ['a namespace with a dot', { secretRef: { name: 'db', namespace: 'a.b' } }, 'spec.secretRef.namespace: '],
    ['no keys', { keys: undefined }, 'spec.keys: Required value'],
    ['zero keys', { keys: [] }, 'spec.keys: '],
    ['65 keys', { keys: keys(65) }, 'spec.keys: Too many: 65'],
    ['a key twice', { keys: [KEY, KEY] }, 'spec.keys[1]: Duplicate value'],
    ['a key name with a slash', { keys: [{ name: 'a/b' }] }, 'spec.keys[0].name: '],
    ['a key name of 254 characters', { keys: [{ name: 'a'.repeat(254) }] }, 'spec.keys[0].name: Too long'],
    ['a negative length', { keys: [{ ...KEY, minLength: -1 }] }, 'spec.keys[0].minLength: '],
    ['a length beyond 1 MiB', { keys: [{ ...KEY, maxLength: 1_048_577 }] }, 'spec.keys[0].maxLength: '],
    ['a minimum above the maximum', { keys: [{ ...KEY, minLength: 2, maxLength: 1 }] }, 'spec.keys[0].minLength: '],
    ['a pattern that does not compile', { keys: [{ ...KEY, pattern: '(' }] }, 'spec.keys[0].pattern: '],
    ['a pattern of 513 characters', { keys: [{ ...KEY, pattern: 'a'.repeat(513) }] }, 'spec.keys[0].pattern: Too long'],
    ['an unknown format', { keys: [{ ...KEY, format: 'YAML' }] }, 'spec.keys[0].format: Unsupported value'],
    ['a maxAge below a minute', { maxAge: '59s' }, 'spec.maxAge: Invalid value: "59s": maxAge must be at least 1m'],
    ['a maxAge that is none', { maxAge: 'soon' }, 'spec.maxAge: '],
    ['an unknown age source', { ageSource: 'Label' }, 'spec.ageSource: Unsupported value'],
    [
      'a poll interval below 30 s',
      { externalSecretRef: { name: 'db', pollInterval: '29s' } },
      'spec.externalSecretRef.pollInterval: ',
    ],
    [
      'a poll interval above 1 h',
      { externalSecretRef: { name: 'db', pollInterval: '61m' } },
      'spec.externalSecretRef.pollInterval: ',
    ],
    ['17 targets', { targets: keys(17) }, 'spec.targets: Too many: 17'],
    [
      'a target twice',
      { targets: [{ name: 'web' }, { kind: 'Deployment', name: 'web' }] },
      'spec.targets[1]: Duplicate value',
    ],
    [
      'a target of another kind',
      { targets: [{ kind: 'Job', name: 'web' }] },
      'spec.targets[0].kind: Unsupported value',
    ],
    ['Annotate without targets', { mutation: 'Annotate' }, 'spec.mutation: '],
    ['Annotate with an empty list of targets', { mutation: 'Annotate', targets: [] }, 'spec.mutation: '],
  ])('R-6.4 refuses %s, and so does the controller where it slips past', (_, spec, fault) => {
    const contract = contractObject({ spec });
    expect(faults(contract)).toContainEqual(expect.stringContaining(fault));
    expect(parseContract(contract).valid).toBe(false);
  });
});

describe('the SecretContractGrant schema', () => {
  it.each<[string, Record<string, unknown>, string | undefined]>([
    ['a grant', {}, undefined],
    ['a grant that expires', { expiresAt: '2026-07-01T02:00:00+02:00' }, undefined],
    [
      'two contracts of one namespace',
      {
        from: [
          { namespace: 'a', contractName: 'x' },
          { namespace: 'a', contractName: 'y' },
        ],
      },
      undefined,
    ],
    ['nobody', { from: [] }, 'spec.from: '],
    ['no from', { from: undefined }, 'spec.from: Required value'],
    [
      '33 sources',
      { from: Array.from({ length: 33 }, (_, index) => ({ namespace: `n${index}` })) },
      'spec.from: Too many: 33',
    ],
    ['a source without a namespace', { from: [{ contractName: 'db' }] }, 'spec.from[0].namespace: Required value'],
    ['a source twice', { from: [{ namespace: 'a' }, { namespace: 'a' }] }, 'spec.from[1]: Duplicate value'],
    ['no Secret', { secretNames: [] }, 'spec.secretNames: '],
    ['no secretNames', { secretNames: undefined }, 'spec.secretNames: Required value'],
    ['a wildcard', { secretNames: ['*'] }, 'spec.secretNames[0]: '],
    [
      '65 Secrets',
      { secretNames: Array.from({ length: 65 }, (_, index) => `s${index}`) },
      'spec.secretNames: Too many: 65',
    ],
    ['an expiry without a zone', { expiresAt: '2026-07-01T00:00:00' }, 'spec.expiresAt: '],
    ['an expiry that is no time', { expiresAt: 'never' }, 'spec.expiresAt: '],
  ])('R-2.11 judges %s', (_, spec, fault) => {
    const found = faults(grantObject(spec));
    if (fault === undefined) expect(found).toEqual([]);
    else expect(found).toContainEqual(expect.stringContaining(fault));
  });
});

describe('the examples', () => {
  const folder = 'examples/secret-contract/';
  const files = readdirSync(new URL(folder, ROOT)).filter((name) => name.endsWith('.yaml'));

  it('R-6.4 are there', () => {
    expect(files.length).toBeGreaterThan(0);
  });

  it.each(files)('R-6.4 %s is admitted as it stands, without an unknown field', (file) => {
    for (const object of documents(`${folder}${file}`)) {
      const schema = schemas.get(String(object.kind));
      if (schema === undefined) continue;
      expect(schema.unknownFields(object)).toEqual([]);
      expect(faults(object as unknown as KubeObject)).toEqual([]);
    }
  });
});
