import { describe, expect, it } from 'vitest';
import type { SecretContract } from '../../../lib/controllers/secret-contract/contract.ts';
import {
  type Judgement,
  judge,
  judgeInvalid,
  type Observations,
} from '../../../lib/controllers/secret-contract/judgement.ts';
import { NOT_READ, type Observation } from '../../../lib/controllers/secret-contract/observation.ts';
import { parseContract } from '../../../lib/controllers/secret-contract/parse-contract.ts';
import { secretValues } from '../../../lib/controllers/secret-contract/secret-values.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { ApiError, type ApiErrorReason } from '../../../lib/ports/cluster-api.ts';
import { CERTIFICATE_2026 } from './certificates.ts';
import { contractObject, externalSecretObject, grantObject, NOW_MS, secretObject } from './objects.ts';

const DAY_MS = 86_400_000;
const ABSENT = { type: 'absent' } as const;

function found<Value>(value: Value): Observation<Value> {
  return { type: 'found', value };
}

function refusal(type: 'denied' | 'failed' | 'kindMissing', reason: ApiErrorReason) {
  return { type, error: new ApiError(reason, 'the API answered so') } as const;
}

const DENIED = refusal('denied', 'Forbidden');
const TIMED_OUT = refusal('failed', 'Timeout');
const KIND_MISSING = refusal('kindMissing', 'KindMissing');

function contract(spec: Record<string, unknown> = {}): SecretContract {
  const parsed = parseContract(contractObject({ spec }));
  if (!parsed.valid) throw new Error(JSON.stringify(parsed.contract.faults));
  return parsed.contract;
}

function judged(
  spec: Record<string, unknown>,
  seen: { grants?: Observations['grants']; secret?: Observation<KubeObject>; external?: Observation<KubeObject> },
  nowMs = NOW_MS,
): Judgement {
  const parsed = contract(spec);
  const secret = seen.secret ?? found(secretObject());
  return judge(
    parsed,
    {
      grants: seen.grants ?? NOT_READ,
      secret:
        secret.type === 'found'
          ? found({ object: secret.value, values: secretValues(secret.value, parsed.keys) ?? new Map() })
          : secret,
      externalSecret: seen.external ?? NOT_READ,
    },
    nowMs,
  );
}

function shown({ conditions }: Judgement): Record<string, string> {
  return Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status} ${reason}`]));
}

const FOREIGN = { secretRef: { name: 'db', namespace: 'vault' } };
const FOREIGN_SECRET = found(secretObject({ password: 'hunter2' }, { namespace: 'vault' }));
const EXPIRED = '2026-06-30T23:59:59Z';
const CONTENT = { keys: [{ name: 'password', minLength: 4 }] };
const PERMITTING = { 'evenkeel.dev/allow-content-rules': 'true' };

describe('Authorized', () => {
  it('R-2.11 rests on the grant that holds for the longest: while it does, the end of another one changes nothing', () => {
    const soon = grantObject({ expiresAt: new Date(NOW_MS + DAY_MS).toISOString() }, { name: 'a-soon' });
    const later = grantObject({ expiresAt: new Date(NOW_MS + 2 * DAY_MS).toISOString() }, { name: 'b-later' });
    const seen = { grants: found([soon, later]), secret: FOREIGN_SECRET };
    const authorizedAt = (nowMs: number) => {
      const { conditions } = judged(FOREIGN, seen, nowMs);
      return conditions.find(({ type }) => type === 'Authorized');
    };
    expect(authorizedAt(NOW_MS)).toMatchObject({ status: 'True', message: expect.stringContaining('b-later') });
    expect(authorizedAt(NOW_MS + DAY_MS + 1)).toEqual(authorizedAt(NOW_MS));
  });

  it.each<[string, Record<string, unknown>, Parameters<typeof judged>[1], string]>([
    ['the same namespace', {}, {}, 'True SameNamespace'],
    ['the same namespace, written out', { secretRef: { name: 'db', namespace: 'app' } }, {}, 'True SameNamespace'],
    ['a grant', FOREIGN, { grants: found([grantObject()]), secret: FOREIGN_SECRET }, 'True GrantFound'],
    [
      'one valid grant beside an expired one',
      FOREIGN,
      { grants: found([grantObject({ expiresAt: EXPIRED }), grantObject()]), secret: FOREIGN_SECRET },
      'True GrantFound',
    ],
    ['no grant', FOREIGN, { grants: found([]) }, 'False GrantMissing'],
    ['an expired grant', FOREIGN, { grants: found([grantObject({ expiresAt: EXPIRED })]) }, 'False GrantExpired'],
    [
      'a grant that expires right now',
      FOREIGN,
      { grants: found([grantObject({ expiresAt: '2026-07-01T00:00:00Z' })]) },
      'False GrantExpired',
    ],
    ['grants that may not be listed', FOREIGN, { grants: DENIED }, 'Unknown GrantAccessDenied'],
    ['grants that could not be listed', FOREIGN, { grants: TIMED_OUT }, 'Unknown GrantReadFailed'],
    ['no grant kind', FOREIGN, { grants: KIND_MISSING }, 'Unknown GrantReadFailed'],
    [
      'content rules with the label',
      CONTENT,
      { secret: found(secretObject(undefined, { labels: PERMITTING })) },
      'True SameNamespace',
    ],
    [
      'content rules with another value of the label',
      CONTENT,
      {
        grants: found([]),
        secret: found(
          secretObject(undefined, { labels: { ...PERMITTING, 'evenkeel.dev/allow-content-rules': 'yes' } }),
        ),
      },
      'False ContentRulesNotPermitted',
    ],
    [
      'content rules with a grant in the same namespace',
      CONTENT,
      { grants: found([grantObject({ allowContentRules: true })]) },
      'True SameNamespace',
    ],
    [
      'content rules with a grant that does not permit them',
      CONTENT,
      { grants: found([grantObject()]) },
      'False ContentRulesNotPermitted',
    ],
    [
      'content rules with an expired grant',
      CONTENT,
      { grants: found([grantObject({ allowContentRules: true, expiresAt: EXPIRED })]) },
      'False ContentRulesNotPermitted',
    ],
    [
      'content rules in another namespace under a plain grant',
      { ...FOREIGN, ...CONTENT },
      { grants: found([grantObject()]), secret: FOREIGN_SECRET },
      'False ContentRulesNotPermitted',
    ],
    [
      'content rules in another namespace under two grants',
      { ...FOREIGN, ...CONTENT },
      { grants: found([grantObject(), grantObject({ allowContentRules: true })]), secret: FOREIGN_SECRET },
      'True GrantFound',
    ],
    ['content rules and grants that may not be listed', CONTENT, { grants: DENIED }, 'Unknown GrantAccessDenied'],
    ['content rules and grants that could not be listed', CONTENT, { grants: TIMED_OUT }, 'Unknown GrantReadFailed'],
    ['content rules for a Secret that is absent', CONTENT, { secret: ABSENT }, 'True SameNamespace'],
  ])('R-2.10 %s', (_, spec, seen, expected) => {
    expect(shown(judged(spec, seen)).Authorized).toBe(expected);
  });

  it.each<[string, KubeObject]>([
    ['names another namespace', grantObject({ from: [{ namespace: 'other' }] })],
    ['names another contract', grantObject({ from: [{ namespace: 'app', contractName: 'cache' }] })],
    ['names another Secret', grantObject({ secretNames: ['db2'] })],
    ['names no Secret', grantObject({ secretNames: undefined })],
    ['has an expiry that is no time', grantObject({ expiresAt: 'never' })],
    ['has an expiry of another type', grantObject({ expiresAt: 1 })],
    ['is being deleted', grantObject({}, { deletionTimestamp: '2026-06-30T00:00:00Z' })],
    ['has no from', grantObject({ from: 'app' })],
    ['has no spec', { ...grantObject(), spec: undefined }],
  ])('R-2.11 a grant that %s is none', (_, grant) => {
    expect(shown(judged(FOREIGN, { grants: found([grant]) })).Authorized).toBe('False GrantMissing');
  });

  it('R-2.11 a grant for exactly this contract is one', () => {
    const grant = grantObject({ from: [{ namespace: 'x' }, { namespace: 'app', contractName: 'db' }] });
    expect(shown(judged(FOREIGN, { grants: found([grant]), secret: FOREIGN_SECRET })).Authorized).toBe(
      'True GrantFound',
    );
  });
});

describe('SecretExists', () => {
  it.each<[string, Record<string, unknown>, Parameters<typeof judged>[1], string]>([
    ['found', {}, {}, 'True SecretFound'],
    ['absent', {}, { secret: ABSENT }, 'False SecretNotFound'],
    ['forbidden', {}, { secret: DENIED }, 'Unknown SecretAccessDenied'],
    ['timed out', {}, { secret: TIMED_OUT }, 'Unknown SecretReadFailed'],
    ['not authorized', FOREIGN, { grants: found([]), secret: NOT_READ }, 'Unknown NotEvaluated'],
    ['authorization unknown', FOREIGN, { grants: TIMED_OUT, secret: NOT_READ }, 'Unknown NotEvaluated'],
  ])('R-2.3 %s', (_, spec, seen, expected) => {
    expect(shown(judged(spec, seen)).SecretExists).toBe(expected);
  });
});

describe('KeysValid', () => {
  const keys = [{ name: 'a' }, { name: 'b', format: 'JSON' }];
  it.each<[string, Record<string, unknown>, Parameters<typeof judged>[1], string]>([
    [
      'every rule satisfied, extra keys ignored',
      {},
      { secret: found(secretObject({ password: 'x', more: '' })) },
      'True RulesSatisfied',
    ],
    ['a key absent', { keys }, { secret: found(secretObject({ b: '{}' })) }, 'False KeyMissing'],
    ['a rule violated', { keys }, { secret: found(secretObject({ a: 'x', b: 'x' })) }, 'False RuleViolated'],
    ['a key absent and a rule violated', { keys }, { secret: found(secretObject({ b: 'x' })) }, 'False KeyMissing'],
    ['a Secret without data', {}, { secret: found({ ...secretObject(), data: undefined }) }, 'False KeyMissing'],
    ['content rules not permitted, the others satisfied', CONTENT, { grants: found([]) }, 'True RulesSatisfied'],
    [
      'content rules not permitted, another violated',
      { keys: [{ name: 'password', minLength: 99, format: 'JSON' }] },
      { grants: found([]) },
      'False RuleViolated',
    ],
    ['the Secret absent', {}, { secret: ABSENT }, 'Unknown NotEvaluated'],
    ['the Secret unread', {}, { secret: TIMED_OUT }, 'Unknown NotEvaluated'],
    ['not authorized', FOREIGN, { grants: found([]), secret: NOT_READ }, 'Unknown NotEvaluated'],
  ])('R-2.5 %s', (_, spec, seen, expected) => {
    expect(shown(judged(spec, seen)).KeysValid).toBe(expected);
  });

  it('R-2.10 says that rules were left out', () => {
    const judgement = judged(CONTENT, { grants: found([]) });
    const keysValid = judgement.conditions.find(({ type }) => type === 'KeysValid');
    expect(keysValid?.message).toBe('Every key satisfies its rules. Rules that reveal content were not evaluated.');
  });

  it('R-6.4 names the keys and rules, the first few of many', () => {
    const many = Array.from({ length: 5 }, (_, index) => ({ name: `k${index}`, format: 'JSON' }));
    const judgement = judged(
      { keys: [...many, { name: 'gone' }] },
      { secret: found(secretObject(Object.fromEntries(many.map(({ name }) => [name, 'x'])))) },
    );
    expect(judgement.conditions.at(-1)?.message).toBe(
      'Absent: gone. Violated: format of k0, format of k1, format of k2 and 2 more.',
    );
  });
});

describe('Fresh', () => {
  const annotated = (value: string) =>
    found(secretObject(undefined, { annotations: { 'evenkeel.dev/rotated-at': value } }));
  const byAnnotation = { maxAge: '24h', ageSource: 'Annotation' };
  it.each<[string, Record<string, unknown>, Parameters<typeof judged>[1], string]>([
    ['no maxAge', {}, {}, 'True NoMaxAge'],
    ['younger than maxAge', { maxAge: '721h' }, {}, 'True WithinMaxAge'],
    ['exactly of maxAge', { maxAge: '720h' }, {}, 'False MaxAgeExceeded'],
    ['older than maxAge', { maxAge: '24h' }, {}, 'False MaxAgeExceeded'],
    [
      'no creation time',
      { maxAge: '24h' },
      { secret: found(secretObject(undefined, { creationTimestamp: 'x' })) },
      'False AgeUnparseable',
    ],
    ['rotated lately', byAnnotation, { secret: annotated('2026-06-30T00:00:01Z') }, 'True WithinMaxAge'],
    ['rotated 5 minutes ahead', byAnnotation, { secret: annotated('2026-07-01T00:05:00Z') }, 'True WithinMaxAge'],
    [
      'rotated a second more ahead',
      byAnnotation,
      { secret: annotated('2026-07-01T00:05:01Z') },
      'False AgeUnparseable',
    ],
    ['rotated a day ahead', byAnnotation, { secret: annotated('2026-07-02T00:00:00Z') }, 'False AgeUnparseable'],
    [
      'rotated in another millennium',
      byAnnotation,
      { secret: annotated('9999-12-31T23:59:59Z') },
      'False AgeUnparseable',
    ],
    [
      'rotated lately, in small letters',
      byAnnotation,
      { secret: annotated('2026-06-30t00:00:01z') },
      'True WithinMaxAge',
    ],
    ['younger than 31 days', { maxAge: '31d' }, {}, 'True WithinMaxAge'],
    ['30 days old', { maxAge: '30d' }, {}, 'False MaxAgeExceeded'],
    ['younger than 30 days and a minute', { maxAge: '30d1m' }, {}, 'True WithinMaxAge'],
    ['rotated long ago', byAnnotation, { secret: annotated('2026-06-29T00:00:00Z') }, 'False MaxAgeExceeded'],
    ['no annotation', byAnnotation, {}, 'False AgeUnparseable'],
    ['an annotation that is no time', byAnnotation, { secret: annotated('last week') }, 'False AgeUnparseable'],
    ['an annotation that nobody asks for', {}, { secret: annotated('last week') }, 'True NoMaxAge'],
    ['the Secret absent', { maxAge: '24h' }, { secret: ABSENT }, 'Unknown NotEvaluated'],
    ['the Secret unread', {}, { secret: TIMED_OUT }, 'Unknown NotEvaluated'],
  ])('R-2.5 %s', (_, spec, seen, expected) => {
    expect(shown(judged(spec, seen)).Fresh).toBe(expected);
  });
});

describe('an ExternalSecret', () => {
  const external = { externalSecretRef: { name: 'db' } };
  const ready = externalSecretObject('True');
  const withGeneration = (generation: number, status: object = {}, condition: object = {}): KubeObject => ({
    ...ready,
    metadata: { ...ready.metadata, generation },
    status: { conditions: [{ type: 'Ready', status: 'True', ...condition }], ...status },
  });

  it.each<[string, KubeObject, string]>([
    ['was synchronized at this generation', withGeneration(2, { syncedResourceVersion: '2-abc' }), 'True'],
    ['was synchronized at the generation before', withGeneration(2, { syncedResourceVersion: '1-abc' }), 'False'],
    ['was synchronized at generation 1 of 12', withGeneration(12, { syncedResourceVersion: '1-2abc' }), 'False'],
    ['says Ready of this generation', withGeneration(3, {}, { observedGeneration: 3 }), 'True'],
    ['says Ready of an older generation', withGeneration(3, {}, { observedGeneration: 2 }), 'False'],
    ['has a status of an older generation', withGeneration(3, { observedGeneration: 2 }), 'False'],
    [
      'is being deleted',
      { ...ready, metadata: { ...ready.metadata, deletionTimestamp: '2026-07-01T00:00:00Z' } },
      'False',
    ],
  ])('R-1.22 that %s counts accordingly', (_, object, status) => {
    const reason = status === 'True' ? 'ExternalSecretSynced' : 'ExternalSecretNotReady';
    expect(shown(judged(external, { external: found(object) })).Synced).toBe(`${status} ${reason}`);
  });

  it.each([
    ['nothing', {}],
    ['an empty syncedResourceVersion', { syncedResourceVersion: '' }],
    ['a syncedResourceVersion in another form', { syncedResourceVersion: 'abc' }],
  ])(
    'R-1.22 R-6.4 contract names the oldest release that works when a ready ExternalSecret shows its generation by %s',
    (...args) => {
      const [, status] = args;
      const { conditions } = judged(external, { external: found(withGeneration(3, status)) });
      const synced = conditions.find(({ type }) => type === 'Synced');
      expect(synced).toMatchObject({ status: 'Unknown', reason: 'ExternalSecretsTooOld' });
      expect(synced?.message).toContain('0.16.0');
    },
  );

  const foreign = { ...FOREIGN, ...external };
  const filling = (target: string | undefined, status: 'True' | 'False' = 'True'): KubeObject => ({
    ...externalSecretObject(status, 'vault'),
    ...(target !== undefined && { spec: { target: { name: target } } }),
  });

  it.each<[string, KubeObject | undefined, string]>([
    ['fills the granted Secret', filling('db'), 'True ExternalSecretSynced'],
    ['fills the granted Secret by its own name', filling(undefined), 'True ExternalSecretSynced'],
    ['fills the granted Secret and is not ready', filling('db', 'False'), 'False ExternalSecretNotReady'],
    ['fills another Secret that is granted', filling('other'), 'True ExternalSecretSynced'],
    ['fills a Secret that is not granted', filling('payroll'), 'False ExternalSecretNotFound'],
    [
      'fills a Secret that is not granted, and is not ready',
      filling('payroll', 'False'),
      'False ExternalSecretNotFound',
    ],
    ['fills a Secret whose grant has expired', filling('expired'), 'False ExternalSecretNotFound'],
    ['does not exist', undefined, 'False ExternalSecretNotFound'],
  ])('R-1.24 of another namespace that %s is spoken of accordingly', (_, object, synced) => {
    const grants = found([
      grantObject({ secretNames: ['db', 'other'] }),
      grantObject({ secretNames: ['expired'], expiresAt: EXPIRED }, { name: 'expired' }),
    ]);
    const seen = { grants, secret: FOREIGN_SECRET, external: object === undefined ? ABSENT : found(object) };
    const judgement = judged(foreign, seen);
    expect(shown(judgement).Synced).toBe(synced);
    const absent = judged(foreign, { ...seen, external: ABSENT });
    // The messages are equal, too.
    if (synced.endsWith('NotFound')) expect(judgement.conditions).toEqual(absent.conditions);
  });
});

describe('Synced', () => {
  const external = { externalSecretRef: { name: 'db' } };
  it.each<[string, Record<string, unknown>, Parameters<typeof judged>[1], string | undefined]>([
    ['no externalSecretRef', {}, {}, undefined],
    ['ready', external, { external: found(externalSecretObject('True')) }, 'True ExternalSecretSynced'],
    ['not ready', external, { external: found(externalSecretObject('False')) }, 'False ExternalSecretNotReady'],
    ['no status yet', external, { external: found(externalSecretObject(undefined)) }, 'False ExternalSecretNotReady'],
    ['absent', external, { external: ABSENT }, 'False ExternalSecretNotFound'],
    ['timed out', external, { external: TIMED_OUT }, 'Unknown ExternalSecretReadFailed'],
    ['forbidden', external, { external: DENIED }, 'Unknown ExternalSecretReadFailed'],
    ['not installed', external, { external: KIND_MISSING }, 'Unknown ExternalSecretsNotInstalled'],
    [
      'not authorized',
      { ...FOREIGN, ...external },
      { grants: found([]), secret: NOT_READ },
      'Unknown ExternalSecretReadFailed',
    ],
  ])('R-2.5 %s', (_, spec, seen, expected) => {
    expect(shown(judged(spec, seen)).Synced).toBe(expected);
  });
});

describe('Ready', () => {
  const external = { externalSecretRef: { name: 'db' } };
  it.each<[string, Record<string, unknown>, Parameters<typeof judged>[1], string]>([
    [
      'everything True',
      { ...external, maxAge: '721h' },
      { external: found(externalSecretObject('True')) },
      'True AllSatisfied',
    ],
    ['not authorized', FOREIGN, { grants: found([]), secret: NOT_READ }, 'False GrantMissing'],
    ['the Secret absent', {}, { secret: ABSENT }, 'False SecretNotFound'],
    ['a key absent, and too old', { keys: [{ name: 'x' }], maxAge: '24h' }, {}, 'False KeyMissing'],
    ['too old', { maxAge: '24h' }, {}, 'False MaxAgeExceeded'],
    ['not synced', external, { external: ABSENT }, 'False ExternalSecretNotFound'],
    ['a False behind an Unknown', external, { secret: TIMED_OUT, external: ABSENT }, 'False ExternalSecretNotFound'],
    ['Unknown alone', external, { secret: DENIED, external: TIMED_OUT }, 'Unknown SecretAccessDenied'],
    ['Unknown at the end', external, { external: KIND_MISSING }, 'Unknown ExternalSecretsNotInstalled'],
  ])('R-1.22 %s', (_, spec, seen, expected) => {
    const judgement = judged(spec, seen);
    expect(shown(judgement).Ready).toBe(expected);
    expect(judgement.conditions.at(-1)?.type).toBe('Ready');
  });
});

describe('deadlines', () => {
  const at = (iso: string) => Date.parse(iso);
  it.each<[string, Record<string, unknown>, Parameters<typeof judged>[1], number[]]>([
    ['none', {}, {}, []],
    ['the age', { maxAge: '721h' }, {}, [NOW_MS + DAY_MS / 24]],
    ['no age that has passed', { maxAge: '24h' }, {}, []],
    [
      "the grant's expiry",
      FOREIGN,
      { grants: found([grantObject({ expiresAt: '2026-08-01T00:00:00Z' })]), secret: FOREIGN_SECRET },
      [at('2026-08-01')],
    ],
    [
      'the latest expiry of several grants, since only it changes anything',
      FOREIGN,
      {
        grants: found([
          grantObject({ expiresAt: '2026-08-01T00:00:00Z' }),
          grantObject({ expiresAt: '2026-09-01T00:00:00Z' }),
        ]),
        secret: FOREIGN_SECRET,
      },
      [at('2026-09-01')],
    ],
    [
      'none under a grant that never expires',
      FOREIGN,
      { grants: found([grantObject({ expiresAt: '2026-08-01T00:00:00Z' }), grantObject()]), secret: FOREIGN_SECRET },
      [],
    ],
    [
      'the expiry of the grant that permits content rules',
      CONTENT,
      { grants: found([grantObject({ allowContentRules: true, expiresAt: '2026-08-01T00:00:00Z' })]) },
      [at('2026-08-01')],
    ],
    [
      "a certificate's expiry",
      { keys: [{ name: 'tls.crt', format: 'Certificate' }] },
      { secret: found(secretObject({ 'tls.crt': CERTIFICATE_2026 })) },
      [at('2027-01-01')],
    ],
    [
      'a rotation in the future that can be believed then',
      { maxAge: '24h', ageSource: 'Annotation' },
      {
        secret: found(secretObject(undefined, { annotations: { 'evenkeel.dev/rotated-at': '2026-07-01T01:00:00Z' } })),
      },
      [NOW_MS + 55 * 60_000],
    ],
    ['no poll', { externalSecretRef: { name: 'db' } }, { external: found(externalSecretObject('True')) }, []],
  ])('R-1.25 %s', (_, spec, seen, expected) => {
    expect(judged(spec, seen).deadlinesMs).toEqual(expected);
  });
});

describe('what was observed of the Secret', () => {
  it.each<[string, Record<string, unknown>, Parameters<typeof judged>[1], Judgement['secret']['type'], boolean]>([
    ['found', {}, {}, 'observed', true],
    ['absent', {}, { secret: ABSENT }, 'none', true],
    ['forbidden', {}, { secret: DENIED }, 'none', false],
    ['timed out', {}, { secret: TIMED_OUT }, 'kept', false],
    ['no grant', FOREIGN, { grants: found([]), secret: NOT_READ }, 'none', true],
    ['grants forbidden', FOREIGN, { grants: DENIED, secret: NOT_READ }, 'none', false],
    ['grants timed out', FOREIGN, { grants: TIMED_OUT, secret: NOT_READ }, 'kept', false],
    ['content rules not permitted', CONTENT, { grants: found([]) }, 'observed', true],
  ])('R-2.4 %s', (_, spec, seen, type, checked) => {
    const judgement = judged(spec, seen);
    expect(judgement.secret.type).toBe(type);
    expect(judgement.checked).toBe(checked);
  });

  it.each<[string, Parameters<typeof judged>[1], Record<string, unknown>]>([
    ['the Secret', { secret: DENIED }, {}],
    ['the grants', { grants: TIMED_OUT, secret: NOT_READ }, FOREIGN],
    ['the ExternalSecret', { external: KIND_MISSING }, { externalSecretRef: { name: 'db' } }],
  ])('R-1.7 a failed read of %s is the failure', (_, seen, spec) => {
    expect(judged(spec, seen).failure).toBeInstanceOf(ApiError);
  });
});

describe('an invalid specification', () => {
  function invalid(spec: Record<string, unknown>, grants: Observations['grants'] = NOT_READ): Judgement {
    const parsed = parseContract(contractObject({ spec }));
    if (parsed.valid) throw new Error('the specification is valid');
    return judgeInvalid(parsed.contract, grants, NOW_MS);
  }

  it('R-6.4 names the field in KeysValid and in Ready, and evaluates nothing else', () => {
    const judgement = invalid({ maxAge: 'x', externalSecretRef: { name: 'db' } });
    expect(shown(judgement)).toEqual({
      Authorized: 'True SameNamespace',
      SecretExists: 'Unknown NotEvaluated',
      KeysValid: 'False InvalidRule',
      Fresh: 'Unknown NotEvaluated',
      Synced: 'Unknown ExternalSecretReadFailed',
      Ready: 'False InvalidRule',
    });
    expect(judgement.conditions.at(-1)?.message).toBe(
      'The specification is invalid: spec.maxAge must be a duration: write it like 30s, 15m or 24h.',
    );
  });

  it.each<[string, Record<string, unknown>, Observations['grants'], string]>([
    ['the own namespace', {}, NOT_READ, 'True SameNamespace'],
    ['a grant', FOREIGN, found([grantObject()]), 'True GrantFound'],
    ['no grant', FOREIGN, found([]), 'False GrantMissing'],
    ['a namespace that cannot be', { secretRef: { name: 'db', namespace: '..' } }, NOT_READ, 'False GrantMissing'],
    ['no secretRef', { secretRef: undefined }, NOT_READ, 'True SameNamespace'],
  ])('R-2.10 still judges authorization: %s', (_, spec, grants, expected) => {
    expect(shown(invalid({ ...spec, keys: [{ name: 'a', pattern: '(' }] }, grants)).Authorized).toBe(expected);
  });
});
