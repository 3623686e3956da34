import { describe, expect, it } from 'vitest';
import { ExternalSecrets, SecretContractGrants } from '../../../lib/controllers/secret-contract/kinds.ts';
import { secretContractController } from '../../../lib/controllers/secret-contract/secret-contract-controller.ts';
import { kindId, Secrets } from '../../../lib/core/resource-type.ts';
import type { ApiErrorReason } from '../../../lib/ports/cluster-api.ts';
import { CERTIFICATE_2026 } from './certificates.ts';
import { FakeContext, leaseLost } from './fake-context.ts';
import { contractObject, externalSecretObject, grantObject, NOW_MS, secretObject } from './objects.ts';
import { DIGEST_KEY, pass, shown } from './pass.ts';

const HOUR_MS = 3_600_000;
const SECRET_KEY = 'secrets/app/db';
const EXTERNAL_KEY = 'externalsecrets.external-secrets.io/app/db';
const FOREIGN_GRANTS = 'secretcontractgrants.evenkeel.dev/vault/*';
const FOREIGN_SECRET = 'secrets/vault/db';
const FOREIGN = { secretRef: { name: 'db', namespace: 'vault' } };

function context(...secrets: ReturnType<typeof secretObject>[]): FakeContext {
  const fake = new FakeContext();
  for (const secret of secrets) fake.put(Secrets, secret);
  return fake;
}

describe('a pass', () => {
  it('R-2.8 over a Secret that satisfies its contract settles, and the next ones leave the same bytes', async () => {
    const fake = context(secretObject());
    const first = await pass(contractObject(), fake);
    expect(shown(first)).toEqual({
      Authorized: 'True SameNamespace',
      SecretExists: 'True SecretFound',
      KeysValid: 'True RulesSatisfied',
      Fresh: 'True NoMaxAge',
      Ready: 'True AllSatisfied',
    });
    expect(first.outcome).toEqual({ type: 'settled' });
    let { object } = first;
    for (let repetition = 0; repetition < 3; repetition += 1) {
      fake.nowMs += HOUR_MS;
      const again = await pass(object, fake);
      expect(JSON.stringify(again.status)).toBe(JSON.stringify(first.status));
      expect(again.outcome).toEqual(first.outcome);
      object = again.object;
    }
    expect(fake.patches).toEqual([]);
    expect(fake.valueSaves).toBe(0);
  });

  it('R-2.2 without the Secret settles, so that its creation is what wakes it', async () => {
    const fake = context();
    const result = await pass(contractObject({ spec: { maxAge: '24h' } }), fake);
    expect(shown(result).Ready).toBe('False SecretNotFound');
    expect(result.outcome).toEqual({ type: 'settled' });
    expect(result.status).not.toHaveProperty('observedSecret');
    expect(fake.reads).toEqual([SECRET_KEY]);
  });

  it.each<[ApiErrorReason, string]>([
    ['Forbidden', 'SecretAccessDenied'],
    ['Timeout', 'SecretReadFailed'],
    ['ServerError', 'SecretReadFailed'],
    ['TooManyRequests', 'SecretReadFailed'],
    ['Unreachable', 'SecretReadFailed'],
    ['Malformed', 'SecretReadFailed'],
    ['Unauthorized', 'SecretReadFailed'],
  ])(
    'R-2.3 a Secret whose read ends in %s is Unknown %s, retried, without the raw answer',
    async (reason, expected) => {
      const fake = context(secretObject());
      const { object } = await pass(contractObject(), fake);
      fake.fail(SECRET_KEY, reason);
      const failed = await pass(object, fake);
      expect(shown(failed)).toMatchObject({ SecretExists: `Unknown ${expected}`, Ready: `Unknown ${expected}` });
      expect(failed.outcome.type).toBe('retry');
      expect(JSON.stringify(failed.status)).not.toContain('raw server text');
      expect(failed.status.observedSecret === undefined).toBe(reason === 'Forbidden');
      expect(failed.status.lastCheckedTime).toBe('2026-07-01T00:00:00Z');
    },
  );

  it('R-2.4 a time-out repeated leaves the same bytes, and the recovery brings the first status back', async () => {
    const fake = context(secretObject());
    const first = await pass(contractObject(), fake);
    fake.fail(SECRET_KEY, 'Timeout');
    fake.nowMs += HOUR_MS;
    const failed = await pass(first.object, fake);
    fake.nowMs += HOUR_MS;
    expect(JSON.stringify((await pass(failed.object, fake)).status)).toBe(JSON.stringify(failed.status));
    fake.heal(SECRET_KEY);
    const { conditions: before, ...restBefore } = first.status;
    const { conditions: after, ...restAfter } = (await pass(failed.object, fake)).status;
    expect(restAfter).toEqual(restBefore);
    expect(after.map(({ status, reason }) => [status, reason])).toEqual(
      before.map(({ status, reason }) => [status, reason]),
    );
  });

  it('R-2.3 a read fails when the data does not have the form of the API', async () => {
    const fake = context({ ...secretObject(), data: { password: 5 } });
    const result = await pass(contractObject(), fake);
    expect(shown(result).SecretExists).toBe('Unknown SecretReadFailed');
    expect(result.outcome.type).toBe('retry');
  });

  it('R-1.5 a lost lease ends the pass', async () => {
    const fake = context(secretObject());
    fake.fail(SECRET_KEY, leaseLost());
    await expect(pass(contractObject(), fake)).rejects.toMatchObject({ code: 'LEASE_LOST' });
  });

  it('R-2.6 changes only its own status, for any content of the contract', async () => {
    const fake = context(secretObject());
    await pass(contractObject({ spec: { targets: [{ name: 'web' }], mutation: 'Annotate' } }), fake);
    expect(fake.patches).toEqual([]);
    const controller = secretContractController({ allowMutation: true, digestKey: DIGEST_KEY });
    expect(controller.owns).toEqual([]);
    expect(controller.finalizer).toBeUndefined();
    expect(controller.finalize).toBeUndefined();
  });
});

describe('another namespace', () => {
  it('R-2.10 controller reads no Secret of another namespace when there is no grant', async () => {
    const fake = context(secretObject(undefined, { namespace: 'vault' }));
    fake.put(ExternalSecrets, externalSecretObject('True', 'vault'));
    const result = await pass(contractObject({ spec: { ...FOREIGN, externalSecretRef: { name: 'db' } } }), fake);
    expect(shown(result)).toMatchObject({
      Authorized: 'False GrantMissing',
      SecretExists: 'Unknown NotEvaluated',
      Ready: 'False GrantMissing',
    });
    expect(fake.reads).toEqual([FOREIGN_GRANTS]);
    expect(result.outcome).toEqual({ type: 'settled' });
  });

  it.each<[string, (fake: FakeContext) => void, string]>([
    [
      'expired',
      (fake) => fake.put(SecretContractGrants, grantObject({ expiresAt: '2026-06-01T00:00:00Z' })),
      'False GrantExpired',
    ],
    ['forbidden to list', (fake) => fake.fail(FOREIGN_GRANTS, 'Forbidden'), 'Unknown GrantAccessDenied'],
    ['not to be had in time', (fake) => fake.fail(FOREIGN_GRANTS, 'Timeout'), 'Unknown GrantReadFailed'],
    ['of a kind that is not served', (fake) => fake.fail(FOREIGN_GRANTS, 'KindMissing'), 'Unknown GrantReadFailed'],
  ])('R-2.10 controller reads no Secret of another namespace when the grants are %s', async (_, arrange, expected) => {
    const fake = context(secretObject(undefined, { namespace: 'vault' }));
    arrange(fake);
    const result = await pass(contractObject({ spec: FOREIGN }), fake);
    expect(shown(result).Authorized).toBe(expected);
    expect(fake.reads).toEqual([FOREIGN_GRANTS]);
    if (expected.startsWith('Unknown')) expect(result.outcome.type).toBe('retry');
  });

  it('R-2.11 controller reads a Secret of another namespace under a grant, and stops when the grant is gone', async () => {
    const fake = context(secretObject(undefined, { namespace: 'vault' }));
    fake.put(SecretContractGrants, grantObject());
    const granted = await pass(contractObject({ spec: FOREIGN }), fake);
    expect(shown(granted)).toMatchObject({ Authorized: 'True GrantFound', Ready: 'True AllSatisfied' });
    expect(granted.status.observedSecret).toMatchObject({ namespace: 'vault' });
    expect(fake.reads).toEqual([FOREIGN_GRANTS, FOREIGN_SECRET]);

    fake.drop(SecretContractGrants, grantObject());
    fake.forgetCalls();
    const revoked = await pass(granted.object, fake);
    expect(shown(revoked)).toMatchObject({ Authorized: 'False GrantMissing', SecretExists: 'Unknown NotEvaluated' });
    expect(revoked.status).not.toHaveProperty('observedSecret');
    expect(fake.reads).toEqual([FOREIGN_GRANTS]);
  });

  it("R-2.11 a grant's expiry is a deadline; past it, the pass comes back once and then waits", async () => {
    const fake = context(secretObject(undefined, { namespace: 'vault' }));
    fake.put(SecretContractGrants, grantObject({ expiresAt: '2026-07-01T02:00:00Z' }));
    const granted = await pass(contractObject({ spec: FOREIGN }), fake);
    expect(granted.outcome).toEqual({ type: 'checkAt', atMs: NOW_MS + 2 * HOUR_MS });
    expect(granted.status.nextCheckTime).toBe('2026-07-01T02:00:00Z');

    fake.nowMs = NOW_MS + 2 * HOUR_MS;
    const expired = await pass(granted.object, fake);
    expect(shown(expired).Ready).toBe('False GrantExpired');
    expect(expired.outcome).toEqual({ type: 'checkAt', atMs: fake.nowMs + 1_000 });
    expect(expired.status.lastCheckedTime).toBe('2026-07-01T02:00:00Z');
    expect(expired.status).not.toHaveProperty('nextCheckTime');

    fake.nowMs += 1_000;
    const waiting = await pass(expired.object, fake);
    expect(waiting.outcome).toEqual({ type: 'settled' });
    expect(JSON.stringify(waiting.status)).toBe(JSON.stringify(expired.status));
  });
});

describe('rules that reveal content', () => {
  const spec = { keys: [{ name: 'password', minLength: 99 }] };
  const OWN_GRANTS = 'secretcontractgrants.evenkeel.dev/app/*';

  it('R-2.10 wait on the list of grants in the own namespace, and are not evaluated without one', async () => {
    const fake = context(secretObject());
    const result = await pass(contractObject({ spec }), fake);
    expect(shown(result)).toMatchObject({
      Authorized: 'False ContentRulesNotPermitted',
      KeysValid: 'True RulesSatisfied',
      Ready: 'False ContentRulesNotPermitted',
    });
    expect(result.status).not.toHaveProperty('findings');
    expect(fake.reads).toEqual([SECRET_KEY, OWN_GRANTS]);
  });

  it('R-2.10 controller evaluates content rules without reading grants when the Secret has the label', async () => {
    const fake = context(secretObject(undefined, { labels: { 'evenkeel.dev/allow-content-rules': 'true' } }));
    const result = await pass(contractObject({ spec }), fake);
    expect(shown(result)).toMatchObject({ Authorized: 'True SameNamespace', KeysValid: 'False RuleViolated' });
    expect(fake.reads).toEqual([SECRET_KEY]);
  });

  it('R-2.10 without a permission the status is the same for every content', async () => {
    const statuses = await Promise.all(
      ['', 'short', 'x'.repeat(200)].map(async (password) => {
        const keys = [{ name: 'password', nonEmpty: false, minLength: 99, maxLength: 150, pattern: 'x+' }];
        return JSON.stringify(
          (await pass(contractObject({ spec: { keys } }), context(secretObject({ password })))).status,
        );
      }),
    );
    expect(new Set(statuses).size).toBe(1);
  });

  it('R-2.11 a grant that permits them and expires is a deadline', async () => {
    const fake = context(secretObject());
    const grant = { allowContentRules: true, expiresAt: '2026-07-01T01:00:00Z' };
    fake.put(SecretContractGrants, grantObject(grant, { namespace: 'app' }));
    const permitted = await pass(contractObject({ spec }), fake);
    expect(shown(permitted).KeysValid).toBe('False RuleViolated');
    expect(permitted.outcome).toEqual({ type: 'checkAt', atMs: NOW_MS + HOUR_MS });
    fake.nowMs += HOUR_MS;
    const expired = await pass(permitted.object, fake);
    expect(shown(expired)).toMatchObject({
      Authorized: 'False ContentRulesNotPermitted',
      KeysValid: 'True RulesSatisfied',
    });
    expect(expired.outcome).toEqual({ type: 'checkAt', atMs: fake.nowMs + 1_000 });
    expect((await pass(expired.object, fake)).outcome).toEqual({ type: 'settled' });
  });

  it('R-1.7 a failed list of grants leaves the other rules evaluated and is retried', async () => {
    const fake = context(secretObject());
    fake.fail(OWN_GRANTS, 'Timeout');
    const result = await pass(contractObject({ spec }), fake);
    expect(shown(result)).toMatchObject({
      Authorized: 'Unknown GrantReadFailed',
      SecretExists: 'True SecretFound',
      KeysValid: 'True RulesSatisfied',
      Ready: 'Unknown GrantReadFailed',
    });
    expect(result.outcome.type).toBe('retry');
  });
});

describe('ages and certificates', () => {
  const CREATED_MS = Date.UTC(2026, 5, 1);

  it('R-2.5 the maximum age is the deadline; past it, a finding, once the minimum, then events', async () => {
    const fake = context(secretObject());
    const contract = contractObject({ spec: { maxAge: '721h' } });
    const deadlineMs = CREATED_MS + 721 * HOUR_MS;
    const fresh = await pass(contract, fake);
    expect(shown(fresh).Fresh).toBe('True WithinMaxAge');
    expect(fresh.outcome).toEqual({ type: 'checkAt', atMs: deadlineMs });
    expect(fresh.status.nextCheckTime).toBe('2026-07-01T01:00:00Z');

    fake.nowMs = deadlineMs - 1;
    const still = await pass(fresh.object, fake);
    expect(JSON.stringify(still.status)).toBe(JSON.stringify(fresh.status));
    expect(still.outcome).toEqual({ type: 'checkAt', atMs: fake.nowMs + 1_000 });

    fake.nowMs = deadlineMs;
    const old = await pass(still.object, fake);
    expect(shown(old)).toMatchObject({ Fresh: 'False MaxAgeExceeded', Ready: 'False MaxAgeExceeded' });
    expect(old.outcome).toEqual({ type: 'checkAt', atMs: deadlineMs + 1_000 });
    expect(old.status.lastCheckedTime).toBe('2026-07-01T01:00:00Z');
    expect(old.status).not.toHaveProperty('nextCheckTime');

    for (let repetition = 0; repetition < 3; repetition += 1) {
      fake.nowMs += HOUR_MS;
      const recorded = await pass(old.object, fake);
      expect(recorded.outcome).toEqual({ type: 'settled' });
      expect(JSON.stringify(recorded.status)).toBe(JSON.stringify(old.status));
    }
  });

  it('R-2.5 a rotation ends it', async () => {
    const fake = context(secretObject());
    const old = await pass(contractObject({ spec: { maxAge: '1h' } }), fake);
    fake.put(Secrets, secretObject(undefined, { uid: 'next', creationTimestamp: '2026-07-01T00:00:00Z' }));
    const rotated = await pass(old.object, fake);
    expect(shown(rotated).Fresh).toBe('True WithinMaxAge');
    expect(rotated.outcome).toEqual({ type: 'checkAt', atMs: NOW_MS + HOUR_MS });
  });

  it('R-1.25 the shortest of several deadlines wins', async () => {
    const fake = context(secretObject({ password: 'x', 'tls.crt': CERTIFICATE_2026 }));
    const keys = [{ name: 'password' }, { name: 'tls.crt', format: 'Certificate' }];
    const byCertificate = await pass(contractObject({ spec: { keys, maxAge: '87600h' } }), fake);
    expect(byCertificate.outcome).toEqual({ type: 'checkAt', atMs: Date.UTC(2027, 0, 1) });
    const byAge = await pass(contractObject({ spec: { keys, maxAge: '721h' } }), fake);
    expect(byAge.outcome).toEqual({ type: 'checkAt', atMs: CREATED_MS + 721 * HOUR_MS });
  });

  it('R-1.25 a certificate is a finding from its expiry on, and satisfies from its notBefore on', async () => {
    const fake = context(secretObject({ 'tls.crt': CERTIFICATE_2026 }));
    fake.nowMs = Date.UTC(2025, 11, 31);
    const contract = contractObject({ spec: { keys: [{ name: 'tls.crt', format: 'Certificate' }] } });
    const early = await pass(contract, fake);
    expect(shown(early).KeysValid).toBe('False RuleViolated');
    expect(early.outcome).toEqual({ type: 'checkAt', atMs: Date.UTC(2026, 0, 1) });

    fake.nowMs = Date.UTC(2026, 0, 1);
    const valid = await pass(early.object, fake);
    expect(shown(valid).KeysValid).toBe('True RulesSatisfied');
    expect(valid.outcome).toEqual({ type: 'checkAt', atMs: Date.UTC(2027, 0, 1) });

    fake.nowMs = Date.UTC(2027, 0, 1);
    const expired = await pass(valid.object, fake);
    expect(expired.status.findings).toEqual([{ key: 'tls.crt', rule: 'format', reason: 'RuleViolated' }]);
    expect(expired.outcome).toEqual({ type: 'checkAt', atMs: fake.nowMs + 1_000 });
    expect((await pass(expired.object, fake)).outcome).toEqual({ type: 'settled' });
  });
});

describe('an ExternalSecret', () => {
  const spec = { externalSecretRef: { name: 'db', pollInterval: '10m' } };

  it('R-2.5 an ExternalSecret is polled in its interval, with jitter to either side, never below 30 s', async () => {
    const fake = context(secretObject());
    fake.put(ExternalSecrets, externalSecretObject('True'));
    const intervals: (number | undefined)[] = [];
    for (const randomValue of [0, 0.5, 0.999]) {
      fake.randomValue = randomValue;
      await pass(contractObject({ spec }), fake);
      intervals.push(fake.polls.get(EXTERNAL_KEY));
    }
    expect(intervals).toEqual([540_000, 600_000, 659_880]);
    fake.randomValue = 0;
    await pass(contractObject({ spec: { externalSecretRef: { name: 'db', pollInterval: '30s' } } }), fake);
    expect(fake.polls.get(EXTERNAL_KEY)).toBe(30_000);
  });

  it("R-2.5 is polled in the installation's interval where the contract gives none", async () => {
    const fake = context(secretObject());
    const contract = contractObject({ spec: { externalSecretRef: { name: 'db' } } });
    await pass(contract, fake, { externalSecretsPollMs: 120_000 });
    expect(fake.polls.get(EXTERNAL_KEY)).toBe(120_000);
    await pass(contract, fake);
    expect(fake.polls.get(EXTERNAL_KEY)).toBe(300_000);
  });

  it('R-2.5 a poll sets no deadline of the contract', async () => {
    const fake = context(secretObject());
    fake.put(ExternalSecrets, externalSecretObject('False'));
    const result = await pass(contractObject({ spec }), fake);
    expect(shown(result).Ready).toBe('False ExternalSecretNotReady');
    expect(result.outcome).toEqual({ type: 'settled' });
    expect(result.status).not.toHaveProperty('nextCheckTime');
  });

  it('R-5.10 controller reports and retries when ExternalSecret is not installed', async () => {
    const fake = context(secretObject());
    fake.fail(EXTERNAL_KEY, 'KindMissing');
    const result = await pass(contractObject({ spec }), fake);
    expect(shown(result)).toMatchObject({
      KeysValid: 'True RulesSatisfied',
      Synced: 'Unknown ExternalSecretsNotInstalled',
      Ready: 'Unknown ExternalSecretsNotInstalled',
    });
    expect(result.outcome.type).toBe('retry');
  });

  it('R-1.22 controller publishes what it observed of the Secret when the ExternalSecret cannot be read', async () => {
    const fake = context(secretObject());
    fake.put(ExternalSecrets, externalSecretObject('True'));
    const first = await pass(contractObject({ spec }), fake);
    fake.fail(EXTERNAL_KEY, 'Timeout');
    fake.put(Secrets, secretObject(undefined, { resourceVersion: '8' }));
    const failed = await pass(first.object, fake);
    expect(failed.status.observedSecret).toMatchObject({ resourceVersion: '8' });
    expect(shown(failed)).toMatchObject({
      SecretExists: 'True SecretFound',
      Synced: 'Unknown ExternalSecretReadFailed',
    });
  });
});

describe('an invalid specification', () => {
  it('R-6.4 ends terminal, names the field, and reads nothing', async () => {
    const fake = context(secretObject());
    const result = await pass(contractObject({ spec: { keys: [{ name: 'password', pattern: '(' }] } }), fake);
    expect(result.outcome).toMatchObject({
      type: 'terminal',
      reason: 'InvalidRule',
      message: expect.stringContaining('spec.keys[0].pattern'),
    });
    expect(shown(result)).toMatchObject({ KeysValid: 'False InvalidRule', Ready: 'False InvalidRule' });
    expect(result.status.findings).toEqual([{ key: 'password', rule: 'pattern', reason: 'InvalidRule' }]);
    expect(fake.reads).toEqual([]);
    expect(JSON.stringify((await pass(result.object, fake)).status)).toBe(JSON.stringify(result.status));
  });

  it('R-2.11 still sees its grant expire, then is terminal', async () => {
    const fake = context();
    fake.put(SecretContractGrants, grantObject({ expiresAt: '2026-07-01T01:00:00Z' }));
    const granted = await pass(contractObject({ spec: { ...FOREIGN, maxAge: '1s' } }), fake);
    expect(granted.outcome).toEqual({ type: 'checkAt', atMs: NOW_MS + HOUR_MS });
    fake.nowMs += HOUR_MS;
    const expired = await pass(granted.object, fake);
    expect(shown(expired).Authorized).toBe('False GrantExpired');
    expect((await pass(expired.object, fake)).outcome.type).toBe('terminal');
    expect(fake.reads).not.toContain(FOREIGN_SECRET);
  });

  it('R-1.14 its correction is checked again', async () => {
    const fake = context(secretObject());
    const invalid = await pass(contractObject({ spec: { keys: [] } }), fake);
    const corrected = contractObject({ metadata: { generation: 2 }, status: invalid.object.status });
    expect(shown(await pass(corrected, fake)).Ready).toBe('True AllSatisfied');
  });
});

describe('the definition', () => {
  it('R-5.12 reads Deployments only where the installation allows mutation', () => {
    const kinds = (allowMutation: boolean) =>
      secretContractController({ allowMutation, digestKey: DIGEST_KEY }).reads.map(
        ({ type, mode }) => `${kindId(type)} ${mode}`,
      );
    const always = [
      'secrets watch',
      'secretcontractgrants.evenkeel.dev watch',
      'externalsecrets.external-secrets.io poll',
    ];
    expect(kinds(false)).toEqual(always);
    expect(kinds(true)).toEqual([...always, 'deployments.apps watch']);
  });

  it('R-6.4 refuses a short digest key where mutation is allowed', () => {
    expect(() => secretContractController({ allowMutation: true, digestKey: 'short' })).toThrow(/at least 16 bytes/);
    expect(() => secretContractController({ allowMutation: false, digestKey: '' })).not.toThrow();
  });

  it('R-2.1 shows each contract as a series and takes it away when the contract is gone', async () => {
    const series = new Map<string, string>();
    const recorder = {
      set: (object: { namespace: string; name: string }, ready: string) =>
        void series.set(`${object.namespace}/${object.name}`, ready),
      remove: (object: { namespace: string; name: string }) => void series.delete(`${object.namespace}/${object.name}`),
    };
    const controller = secretContractController({ allowMutation: false, digestKey: DIGEST_KEY, series: recorder });
    const fake = context();
    await controller.reconcile(contractObject(), fake);
    expect([...series]).toEqual([['app/db', 'False']]);
    const gone = { cluster: 'test', kind: kindId(controller.type), namespace: 'app', name: 'db' };
    controller.forgotten?.({ ...gone, uid: 'a predecessor of the same name' });
    expect(series.size).toBe(1);
    controller.forgotten?.({ ...gone, uid: 'contract-uid' });
    expect(series.size).toBe(0);
  });
});
