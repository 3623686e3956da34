import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it, vi } from 'vitest';
import { parseContract } from '../../../lib/controllers/secret-contract/parse-contract.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { contractObject } from './objects.ts';

const KEY = { name: 'password' };
const manyKeys = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `key-${index}` }));

function faultsOf(spec: unknown): string[] {
  const parsed = parseContract({ ...contractObject(), spec } as KubeObject);
  return parsed.valid ? [] : parsed.contract.faults.map(({ path, message }) => `${path} ${message}`);
}

const base = { secretRef: { name: 'db' }, keys: [KEY] };

describe('costly patterns', () => {
  const COSTLY = '(a?){0,999}'.repeat(46);

  it('R-1.6 R-6.4 patterns that together would take long to compile are refused, and none is compiled', () => {
    const compile = vi.spyOn(RE2JS, 'compile');
    const keys = manyKeys(64).map((key) => ({ ...key, pattern: COSTLY }));
    const parsed = parseContract({ ...contractObject(), spec: { ...base, keys } } as KubeObject);
    expect(parsed.valid ? [] : parsed.contract.findings).toHaveLength(64);
    expect(parsed.valid ? '' : parsed.contract.faults[0]?.message).toMatch(/^is too large, .* repeat less$/);
    expect(compile).not.toHaveBeenCalled();
    compile.mockRestore();
  });

  it('R-2.5 64 patterns of some hundred repetitions are fine', () => {
    const keys = manyKeys(64).map((key) => ({ ...key, pattern: 'pk-[0-9a-zA-Z_-]{1,253}' }));
    expect(faultsOf({ ...base, keys })).toEqual([]);
  });
});

describe('a valid contract', () => {
  it('R-2.5 takes the defaults of the schema where fields are absent', () => {
    expect(parseContract(contractObject())).toEqual({
      valid: true,
      contract: {
        namespace: 'app',
        name: 'db',
        uid: 'contract-uid',
        secret: { namespace: 'app', name: 'db' },
        keys: [
          {
            name: 'password',
            optional: false,
            nonEmpty: true,
            minLength: undefined,
            maxLength: undefined,
            pattern: undefined,
            format: undefined,
          },
        ],
        maxAgeMs: undefined,
        ageSource: 'CreationTimestamp',
        externalSecret: undefined,
        targets: [],
        mutation: 'Disabled',
      },
    });
  });

  it('R-2.5 reads every field', () => {
    const parsed = parseContract(
      contractObject({
        spec: {
          secretRef: { name: 'a.b', namespace: 'vault' },
          keys: [
            { name: 'tls.crt', optional: true, nonEmpty: false, minLength: 0, maxLength: 1_048_576, format: 'PEM' },
          ],
          maxAge: '1h30m',
          ageSource: 'Annotation',
          externalSecretRef: { name: 'db', pollInterval: '30s' },
          targets: [{ kind: 'Deployment', name: 'web' }, { name: 'api' }],
          mutation: 'Annotate',
        },
      }),
    );
    expect(parsed).toMatchObject({
      valid: true,
      contract: {
        secret: { namespace: 'vault', name: 'a.b' },
        keys: [{ name: 'tls.crt', optional: true, nonEmpty: false, minLength: 0, maxLength: 1_048_576, format: 'PEM' }],
        maxAgeMs: 5_400_000,
        ageSource: 'Annotation',
        externalSecret: { name: 'db', pollIntervalMs: 30_000 },
        targets: ['web', 'api'],
        mutation: 'Annotate',
      },
    });
  });

  it('R-2.5 an explicit null counts as absent, as on the server', () => {
    expect(faultsOf({ ...base, maxAge: null, externalSecretRef: null, targets: null })).toEqual([]);
  });
});

describe('what slips past admission is told by field, with what to do', () => {
  it.each<[string, unknown, string]>([
    ['no spec', undefined, 'spec is missing: add it'],
    ['a spec that is no object', [], 'spec must be an object'],
    ['no secretRef', { keys: [KEY] }, 'spec.secretRef is missing: add it'],
    ['no Secret name', { ...base, secretRef: {} }, 'spec.secretRef.name is missing: add it'],
    [
      'a Secret name that is none',
      { ...base, secretRef: { name: '../db' } },
      'spec.secretRef.name must be a DNS subdomain name, at most 253 characters long',
    ],
    [
      'a namespace that is none',
      { ...base, secretRef: { name: 'db', namespace: 'a/b' } },
      'spec.secretRef.namespace must be a DNS label, at most 63 characters long',
    ],
    ['no keys', { secretRef: { name: 'db' } }, 'spec.keys must have at least 1 entry: add one'],
    ['keys that are no list', { ...base, keys: {} }, 'spec.keys must be a list'],
    ['65 keys', { ...base, keys: manyKeys(65) }, 'spec.keys has 65 entries: at most 64 are allowed, so remove some'],
    ['a key that is no object', { ...base, keys: ['a'] }, 'spec.keys[0] must be an object'],
    ['a key without a name', { ...base, keys: [{}] }, 'spec.keys[0].name is missing: add it'],
    [
      'a key name that no Secret can have',
      { ...base, keys: [{ name: 'a/b' }] },
      'spec.keys[0].name must be a key of a Secret (letters, digits, dashes, dots and underscores), at most 253 characters long',
    ],
    ['a key named twice', { ...base, keys: [KEY, KEY] }, 'spec.keys[1].name is there already: name each key once'],
    [
      'a flag that is none',
      { ...base, keys: [{ ...KEY, optional: 'yes' }] },
      'spec.keys[0].optional must be true or false',
    ],
    [
      'a length that is no whole number',
      { ...base, keys: [{ ...KEY, minLength: 1.5 }] },
      'spec.keys[0].minLength must be a whole number from 0 to 1048576',
    ],
    [
      'a length out of range',
      { ...base, keys: [{ ...KEY, maxLength: 1_048_577 }] },
      'spec.keys[0].maxLength must be a whole number from 0 to 1048576',
    ],
    [
      'a minimum above the maximum',
      { ...base, keys: [{ ...KEY, minLength: 9, maxLength: 8 }] },
      'spec.keys[0].minLength is greater than maxLength: no value can satisfy both, so change one',
    ],
    [
      'a pattern that does not compile',
      { ...base, keys: [{ ...KEY, pattern: 'a(' }] },
      'spec.keys[0].pattern is no regular expression in RE2 syntax (missing closing )): correct it',
    ],
    [
      'a pattern that is too long',
      { ...base, keys: [{ ...KEY, pattern: 'a'.repeat(513) }] },
      'spec.keys[0].pattern must be a regular expression, at most 512 characters long',
    ],
    [
      'an unknown format',
      { ...base, keys: [{ ...KEY, format: 'YAML' }] },
      'spec.keys[0].format must be one of PEM, JSON, Base64, Certificate',
    ],
    [
      'a maxAge that is none',
      { ...base, maxAge: 'soon' },
      'spec.maxAge must be a duration: write it like 30s, 15m or 24h',
    ],
    ['a maxAge that is too short', { ...base, maxAge: '59s' }, 'spec.maxAge must be at least 1m'],
    [
      'a maxAge beyond what Kubernetes can express',
      { ...base, maxAge: '2562048h' },
      'spec.maxAge is longer than Kubernetes can express: write a shorter one',
    ],
    [
      'an unknown age source',
      { ...base, ageSource: 'Label' },
      'spec.ageSource must be one of CreationTimestamp, Annotation',
    ],
    [
      'an ExternalSecret without a name',
      { ...base, externalSecretRef: {} },
      'spec.externalSecretRef.name is missing: add it',
    ],
    [
      'a poll interval that is too short',
      { ...base, externalSecretRef: { name: 'db', pollInterval: '29s' } },
      'spec.externalSecretRef.pollInterval must be at least 30s',
    ],
    [
      'a poll interval that is too long',
      { ...base, externalSecretRef: { name: 'db', pollInterval: '61m' } },
      'spec.externalSecretRef.pollInterval must be at most 1h',
    ],
    [
      '17 targets',
      { ...base, targets: manyKeys(17) },
      'spec.targets has 17 entries: at most 16 are allowed, so remove some',
    ],
    [
      'a target of another kind',
      { ...base, targets: [{ kind: 'StatefulSet', name: 'web' }] },
      'spec.targets[0].kind must be one of Deployment',
    ],
    [
      'a target named twice',
      { ...base, targets: [{ name: 'web' }, { name: 'web' }] },
      'spec.targets[1].name is there already: name each target once',
    ],
    [
      'Annotate without a target',
      { ...base, mutation: 'Annotate' },
      'spec.mutation is Annotate, which needs at least one target: add one to spec.targets, or set Disabled',
    ],
  ])('R-6.4 %s', (_, spec, fault) => {
    expect(faultsOf(spec)).toContain(fault);
  });

  it('R-6.4 every error is reported, not only the first one', () => {
    expect(faultsOf({ secretRef: {}, keys: [{ name: '' }], maxAge: 'x' })).toHaveLength(3);
  });

  it('R-1.23 a faulty rule is a finding of its key', () => {
    const parsed = parseContract(
      contractObject({
        spec: {
          keys: [
            { name: 'b', pattern: '(' },
            { name: 'a', format: 'X', optional: 1 },
          ],
        },
      }),
    );
    expect(parsed.valid ? [] : parsed.contract.findings).toEqual([
      { key: 'b', rule: 'pattern', reason: 'InvalidRule' },
      { key: 'a', rule: 'optional', reason: 'InvalidRule' },
      { key: 'a', rule: 'format', reason: 'InvalidRule' },
    ]);
  });

  it('R-6.4 parsing never throws, for any specification', () => {
    const anything = fc.anything({ withNullPrototype: true, withBigInt: false });
    const fields = ['secretRef', 'keys', 'maxAge', 'ageSource', 'externalSecretRef', 'targets', 'mutation'];
    const likely = fc.dictionary(fc.constantFrom(...fields), fc.oneof(anything, fc.array(fc.object())));
    fc.assert(
      fc.property(fc.oneof(anything, likely), (spec) => {
        const parsed = parseContract({ ...contractObject(), spec } as KubeObject);
        return parsed.valid || parsed.contract.faults.length > 0;
      }),
    );
  });
});
