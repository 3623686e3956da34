import { describe, expect, it } from 'vitest';
import { SecretContractGrants } from '../../../lib/controllers/secret-contract/kinds.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { Deployments, Secrets } from '../../../lib/core/resource-type.ts';
import { CERTIFICATE_2026, CERTIFICATE_2027 } from './certificates.ts';
import { FakeContext } from './fake-context.ts';
import { contractObject, deploymentObject, grantObject, NOW_MS, secretObject } from './objects.ts';
import { pass } from './pass.ts';

/** Both certificates of certificates.ts have expired. */
const AFTER_BOTH_MS = Date.UTC(2028, 0, 2);
const ALLOW = { 'evenkeel.dev/allow-content-rules': 'true' };

type Prune = (status: Record<string, unknown>) => Record<string, unknown>;

/** Runs passes whose status is published through `prune`, and lists the delays that were asked for. */
async function delays(
  contract: KubeObject,
  fake: FakeContext,
  { passes, prune = (status) => status, stepMs = 1_000 }: { passes: number; prune?: Prune; stepMs?: number },
): Promise<(number | 'waits')[]> {
  let object = contract;
  const found: (number | 'waits')[] = [];
  for (let count = 0; count < passes; count += 1) {
    const result = await pass(object, fake, { allowMutation: true });
    found.push(result.outcome.type === 'checkAt' ? result.outcome.atMs - fake.nowMs : 'waits');
    object = { ...object, status: prune(result.object.status as Record<string, unknown>) };
    fake.nowMs += stepMs;
  }
  return found;
}

function context(secret: KubeObject, nowMs: number): FakeContext {
  const fake = new FakeContext();
  fake.nowMs = nowMs;
  fake.put(Secrets, secret);
  return fake;
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `k${String(index).padStart(2, '0')}`);

/** Keys with two findings each, then keys with a certificate. */
function manyFindings(broken: number, certificates: Record<string, string>) {
  const names = numbered(broken);
  const values = { ...Object.fromEntries(names.map((name) => [name, ']'])), ...certificates };
  const keys = [
    ...names.map((name) => ({ name, minLength: 5, format: 'JSON' })),
    ...Object.keys(certificates).map((name) => ({ name, format: 'Certificate' })),
  ];
  return { secret: secretObject(values, { labels: ALLOW }), contract: contractObject({ spec: { keys } }) };
}

describe('a boundary that has passed', () => {
  it('R-2.15 a certificate that expired asks for one pass when 66 other findings leave no room for it in the status', async () => {
    const { secret, contract } = manyFindings(33, { 'tls.crt': CERTIFICATE_2026 });
    const fake = context(secret, AFTER_BOTH_MS);
    expect(await delays(contract, fake, { passes: 4 })).toEqual([1_000, 'waits', 'waits', 'waits']);
  });

  it('R-2.15 each of two certificates asks for one pass when both expire out of sight of the status', async () => {
    const { secret, contract } = manyFindings(33, { 'tls.a': CERTIFICATE_2026, 'tls.b': CERTIFICATE_2027 });
    const fake = context(secret, Date.UTC(2027, 0, 1));
    const untilNext = Date.UTC(2028, 0, 1) - Date.UTC(2027, 0, 1);
    expect(await delays(contract, fake, { passes: 3 })).toEqual([1_000, untilNext - 1_000, untilNext - 2_000]);
    fake.nowMs = Date.UTC(2028, 0, 1);
    expect(await delays(contract, fake, { passes: 3 })).toEqual([1_000, 'waits', 'waits']);
  });

  it('R-2.15 64 expired certificates ask for one pass when findings about targets push some out of the status', async () => {
    const certificates = Object.fromEntries(numbered(64).map((name) => [name, CERTIFICATE_2026]));
    const { secret, contract } = manyFindings(0, certificates);
    const fake = context(secret, AFTER_BOTH_MS);
    fake.put(Deployments, deploymentObject('web'));
    const spec = { ...(contract.spec as object), targets: [{ name: 'web' }], mutation: 'Annotate' };
    expect(await delays({ ...contract, spec }, fake, { passes: 3 })).toEqual([1_000, 'waits', 'waits']);
  });

  const without =
    (...fields: string[]): Prune =>
    (status) =>
      Object.fromEntries(Object.entries(status).filter(([field]) => !fields.includes(field)));
  const expiredCertificate = {
    secret: secretObject({ password: CERTIFICATE_2026 }),
    contract: contractObject({ spec: { keys: [{ name: 'password', format: 'Certificate' }] } }),
  };
  const tooOld = { secret: secretObject(), contract: contractObject({ spec: { maxAge: '1h' } }) };

  it.each<[string, { secret: KubeObject; contract: KubeObject }, Prune]>([
    ['a certificate expired and the CRD prunes status.findings', expiredCertificate, without('findings')],
    ['a certificate expired and the CRD prunes the whole status', expiredCertificate, () => ({})],
    ['the maximum age was reached and the CRD prunes status.conditions', tooOld, without('conditions')],
  ])('R-2.15 asks for one pass when %s', async (_, { secret, contract }, prune) => {
    const fake = context(secret, AFTER_BOTH_MS);
    expect(await delays(contract, fake, { passes: 4, prune })).toEqual([1_000, 'waits', 'waits', 'waits']);
  });

  it.each([
    ['the contract is valid', {}],
    ['the contract is invalid', { maxAge: '1s' }],
  ])('R-2.15 a grant that expired asks for one pass when %s and the CRD prunes status.conditions', async (_, spec) => {
    const fake = context(secretObject(undefined, { namespace: 'vault' }), AFTER_BOTH_MS);
    fake.put(SecretContractGrants, grantObject({ expiresAt: '2026-07-01T01:00:00Z' }));
    const contract = contractObject({ spec: { secretRef: { name: 'db', namespace: 'vault' }, ...spec } });
    const found = await delays(contract, fake, { passes: 3, prune: without('conditions') });
    expect(found).toEqual([1_000, 'waits', 'waits']);
  });

  it('R-2.15 asks for no second pass when a finding that a failed read had hidden returns', async () => {
    const { secret, contract } = expiredCertificate;
    const fake = context(secret, AFTER_BOTH_MS);
    expect(await delays(contract, fake, { passes: 2 })).toEqual([1_000, 'waits']);
    fake.fail('secrets/app/db', 'Timeout');
    expect(await delays(contract, fake, { passes: 1 })).toEqual(['waits']);
    fake.heal('secrets/app/db');
    expect(await delays(contract, fake, { passes: 1 })).toEqual(['waits']);
  });

  it('R-2.15 asks for one pass again when a renewed certificate expires', async () => {
    const { contract } = expiredCertificate;
    const fake = context(secretObject({ password: CERTIFICATE_2026 }), Date.UTC(2027, 0, 1));
    expect(await delays(contract, fake, { passes: 2 })).toEqual([1_000, 'waits']);
    fake.put(Secrets, secretObject({ password: CERTIFICATE_2027 }, { resourceVersion: '8' }));
    await delays(contract, fake, { passes: 1 });
    fake.nowMs = Date.UTC(2028, 0, 1);
    expect(await delays(contract, fake, { passes: 2 })).toEqual([1_000, 'waits']);
  });

  it('R-2.15 R-2.8 nothing is recorded when no boundary has passed', async () => {
    const fake = context(secretObject(), NOW_MS);
    await delays(contractObject({ spec: { maxAge: '2400h' } }), fake, { passes: 2 });
    expect(fake.valueSaves).toBe(0);
  });

  it('R-6.8 asks for one pass when the release before recorded its rollouts and no boundary', async () => {
    const { secret, contract } = expiredCertificate;
    const fake = context(secret, AFTER_BOTH_MS);
    fake.values = { content: 'aaaa:bbbb', revision: 3, targets: '' };
    expect(await delays(contract, fake, { passes: 3 })).toEqual([1_000, 'waits', 'waits']);
  });
});
