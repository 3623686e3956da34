import { describe, expect, it } from 'vitest';
import { SecretContractGrants } from '../../../../lib/controllers/secret-contract/kinds.ts';
import type { KubeObject } from '../../../../lib/core/kube-object.ts';
import { Deployments, Secrets } from '../../../../lib/core/resource-type.ts';
import { FakeContext } from '../fake-context.ts';
import { contractObject, deploymentObject, grantObject, NOW_MS, secretObject } from '../objects.ts';
import { pass } from '../pass.ts';

const ALLOWED = { allowMutation: true };
const NOT_PERMITTED = { key: 'Deployment/web', rule: 'mutation', reason: 'MutationNotPermitted' };
const PIN = 137;
const GUESSES = 1_000;

/** A user who may write their own contracts, Deployments and Secrets, and who watches the Deployment. */
class Attacker {
  readonly fake = new FakeContext();
  private generation = 1;
  private status: unknown;

  constructor() {
    this.fake.put(Deployments, deploymentObject('web'));
  }

  async write(spec: Record<string, unknown>) {
    this.generation += 1;
    const result = await pass(
      contractObject({
        metadata: { generation: this.generation },
        spec: { targets: [{ name: 'web' }], mutation: 'Annotate', ...spec },
        status: this.status,
      }),
      this.fake,
      ALLOWED,
    );
    this.status = result.object.status;
    return result;
  }

  guess(value: number): void {
    this.fake.put(Secrets, secretObject({ password: `pin-${value}` }, { name: 'guess', resourceVersion: `g${value}` }));
  }

  get rollouts(): number {
    return this.fake.patches.length;
  }

  takeRollouts(): number {
    return this.fake.patches.splice(0).length;
  }
}

/**
 * The right guess looks like every other guess. The reaction to a change of the attacker's own Secret reveals nothing.
 */
function expectNoAnswer(answers: readonly number[]): void {
  expect(answers).toHaveLength(GUESSES);
  // The first one is the baseline of the attacker's own Secret.
  expect(new Set(answers.slice(1)).size).toBe(1);
}

function victim(namespace: string): KubeObject {
  return secretObject({ password: `pin-${PIN}`, other: 'x' }, { name: 'db', namespace, uid: 'victim' });
}

/** A way to compare a guess with the victim's Secret, and to undo it. */
type Probe = (attacker: Attacker, secretRef: Record<string, string>) => Promise<unknown>;

const PROBES: [string, Probe][] = [
  [
    'secretRef to the guess and back',
    async (attacker, secretRef) => {
      await attacker.write({ secretRef });
      await attacker.write({ secretRef: { name: 'guess' } });
      await attacker.write({ secretRef });
    },
  ],
  [
    'secretRef and the covered keys together',
    async (attacker, secretRef) => {
      await attacker.write({ secretRef, keys: [{ name: 'password' }, { name: 'other', optional: true }] });
      await attacker.write({ secretRef: { name: 'guess' }, keys: [{ name: 'password' }] });
      await attacker.write({ secretRef, keys: [{ name: 'password' }] });
    },
  ],
  [
    'secretRef by way of a Secret that is absent',
    async (attacker, secretRef) => {
      await attacker.write({ secretRef });
      await attacker.write({ secretRef: { name: 'absent' } });
      await attacker.write({ secretRef: { name: 'guess' } });
    },
  ],
];

describe('whoever points a contract at guesses', () => {
  it.each(PROBES)(
    'R-2.13 sees nothing of a Secret of the own namespace after 1,000 guesses by %s',
    async (_, probe) => {
      const attacker = new Attacker();
      attacker.fake.put(Secrets, victim('app'));
      for (let value = 0; value < GUESSES; value += 1) {
        attacker.guess(value);
        await probe(attacker, { name: 'db' });
      }
      expect(attacker.rollouts).toBe(0);
    },
  );

  it.each([
    ['a plain grant', {}],
    [
      'a plain grant, and the label for content rules on the Secret',
      { labels: { 'evenkeel.dev/allow-content-rules': 'true' } },
    ],
  ])('R-2.13 sees nothing of a Secret of another namespace after 1,000 guesses under %s', async (_, metadata) => {
    const attacker = new Attacker();
    const secret = victim('vault');
    attacker.fake.put(Secrets, { ...secret, metadata: { ...secret.metadata, ...metadata } });
    attacker.fake.put(SecretContractGrants, grantObject());
    const answers: number[] = [];
    for (let value = 0; value < GUESSES; value += 1) {
      attacker.guess(value);
      for (const [, probe] of PROBES) await probe(attacker, { name: 'db', namespace: 'vault' });
      answers.push(attacker.takeRollouts());
    }
    expectNoAnswer(answers);
  });

  it('R-2.13 sees no rollout of a foreign Secret that changes when the grant does not permit content rules', async () => {
    const attacker = new Attacker();
    const secretRef = { name: 'db', namespace: 'vault' };
    attacker.fake.put(Secrets, victim('vault'));
    attacker.fake.put(SecretContractGrants, grantObject());
    const { status } = await attacker.write({ secretRef });
    expect(status.findings).toEqual([NOT_PERMITTED]);
    expect(attacker.fake.reads).not.toContain('deployments.apps/app/web');
    expect(attacker.fake.values).toEqual({});
    attacker.fake.put(Secrets, secretObject({ password: 'next' }, { namespace: 'vault', resourceVersion: '8' }));
    await attacker.write({ secretRef });
    expect(attacker.rollouts).toBe(0);
  });

  it('R-2.13 a grant with allowContentRules permits rollouts until it expires, which shows at once', async () => {
    const attacker = new Attacker();
    const secretRef = { name: 'db', namespace: 'vault' };
    attacker.fake.put(Secrets, victim('vault'));
    attacker.fake.put(SecretContractGrants, grantObject());
    const expiresAt = '2026-07-01T01:00:00Z';
    const metadata = { name: 'content', uid: 'content-uid' };
    attacker.fake.put(SecretContractGrants, grantObject({ allowContentRules: true, expiresAt }, metadata));
    const first = await attacker.write({ secretRef });
    expect(first.outcome).toEqual({ type: 'checkAt', atMs: Date.parse(expiresAt) });
    attacker.fake.put(Secrets, secretObject({ password: 'next' }, { namespace: 'vault', resourceVersion: '8' }));
    await attacker.write({ secretRef });
    expect(attacker.rollouts).toBe(1);

    attacker.fake.nowMs = NOW_MS + 3_600_000;
    attacker.fake.put(Secrets, secretObject({ password: 'last' }, { namespace: 'vault', resourceVersion: '9' }));
    const { status, outcome } = await attacker.write({ secretRef });
    expect(status.findings).toEqual([NOT_PERMITTED]);
    expect(outcome).toEqual({ type: 'checkAt', atMs: attacker.fake.nowMs + 1_000 });
    expect((await attacker.write({ secretRef })).outcome).toEqual({ type: 'settled' });
    expect(attacker.rollouts).toBe(1);
  });
});

describe('a new baseline', () => {
  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['secretRef names another Secret', {}, { secretRef: { name: 'guess' } }],
    ['a key is declared in addition', {}, { keys: [{ name: 'password' }, { name: 'other' }] }],
    ['another key is declared instead', {}, { keys: [{ name: 'other' }] }],
  ])('R-2.13 is taken when %s, and a later change rolls out once', async (_, before, after) => {
    const attacker = new Attacker();
    attacker.fake.put(Secrets, victim('app'));
    attacker.fake.put(Secrets, secretObject({ password: 'a', other: 'b' }, { name: 'guess' }));
    await attacker.write({ secretRef: { name: 'db' }, ...before });
    await attacker.write({ secretRef: { name: 'db' }, ...after });
    expect(attacker.rollouts).toBe(0);
    for (const name of ['db', 'guess'])
      attacker.fake.put(Secrets, secretObject({ password: 'c', other: 'd' }, { name, resourceVersion: '9' }));
    for (let count = 0; count < 3; count += 1) await attacker.write({ secretRef: { name: 'db' }, ...after });
    expect(attacker.rollouts).toBe(1);
  });
});
