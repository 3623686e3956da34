import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { Deployments, Secrets } from '../../../lib/core/resource-type.ts';
import { FakeContext } from './fake-context.ts';
import { contractObject, deploymentObject, secretObject } from './objects.ts';
import { pass } from './pass.ts';

/** Values that nothing else in a status could contain by chance. */
const secretText = fc
  .tuple(fc.string({ unit: 'binary', maxLength: 200 }), fc.stringMatching(/^[A-Za-z0-9+/]{12,40}$/))
  .map(([noise, core]) => `${noise}~${core}`);
const bytes = fc.uint8Array({ minLength: 12, maxLength: 200 });
const keyName = fc.stringMatching(/^[-._a-zA-Z0-9]{1,12}$/);

const keyRules = fc.record(
  {
    optional: fc.boolean(),
    nonEmpty: fc.boolean(),
    minLength: fc.integer({ min: 0, max: 64 }),
    maxLength: fc.integer({ min: 64, max: 1_000 }),
    pattern: fc.constantFrom('(?s).*', '[a-z]+', '(', '\\d*', '(a|b)*c'),
    format: fc.constantFrom('PEM', 'JSON', 'Base64', 'Certificate', 'Nonsense'),
  },
  { requiredKeys: [] },
);

const scenario = fc.record({
  values: fc.dictionary(keyName, fc.oneof(secretText, bytes), { maxKeys: 12 }),
  keys: fc.uniqueArray(fc.tuple(keyName, keyRules), { selector: ([name]) => name, minLength: 1, maxLength: 20 }),
  labelled: fc.boolean(),
  mutation: fc.constantFrom('Disabled', 'Annotate'),
  alsoDeclared: fc.boolean(),
});

type Scenario = typeof scenario extends fc.Arbitrary<infer Value> ? Value : never;

function prepare({ values, keys, labelled, mutation, alsoDeclared }: Scenario): {
  fake: FakeContext;
  contract: KubeObject;
} {
  const declared = new Map(keys);
  if (alsoDeclared) for (const name of Object.keys(values)) declared.set(name, declared.get(name) ?? {});
  const fake = new FakeContext();
  fake.put(Secrets, secretObject(values, labelled ? { labels: { 'evenkeel.dev/allow-content-rules': 'true' } } : {}));
  fake.put(Deployments, deploymentObject('web'));
  const contract = contractObject({
    spec: { keys: [...declared].map(([name, rules]) => ({ name, ...rules })), targets: [{ name: 'web' }], mutation },
  });
  return { fake, contract };
}

/** The forms in which a value could show: as text, escaped, or encoded. */
function formsOf(value: string | Uint8Array): string[] {
  const buffer = Buffer.from(value as string);
  return [
    buffer.toString('utf8'),
    JSON.stringify(buffer.toString('utf8')).slice(1, -1),
    buffer.toString('base64'),
    buffer.toString('base64url'),
    buffer.toString('hex'),
    buffer.toString('latin1'),
  ];
}

describe('whatever the Secret holds and the contract says', () => {
  it('R-1.24 no value shows in status, outcome or durable values', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (generated) => {
        const { fake, contract } = prepare(generated);
        const { status, outcome } = await pass(contract, fake, { allowMutation: true });
        const published = JSON.stringify([status, outcome, fake.values]);
        for (const value of Object.values(generated.values)) {
          for (const form of formsOf(value)) expect(published).not.toContain(form);
        }
      }),
    );
  });

  it('R-1.3 a second pass publishes the same bytes, and R-1.23 findings are sorted, unique and at most 64', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (generated) => {
        const { fake, contract } = prepare(generated);
        const first = await pass(contract, fake, { allowMutation: true });
        fake.nowMs += 3_600_000;
        const again = await pass(first.object, fake, { allowMutation: true });
        expect(JSON.stringify(again.status)).toBe(JSON.stringify(first.status));
        expect(fake.patches).toEqual([]);
        const pairs = (first.status.findings ?? []).map(({ key, rule }) => `${key}\0${rule}`);
        expect(pairs).toEqual([...new Set(pairs)].sort());
        expect(pairs.length).toBeLessThanOrEqual(64);
      }),
    );
  });

  it('R-2.10 without permission the status reveals only whether content is present and has its format', async () => {
    const values = fc.array(fc.stringMatching(/^[ -~]{1,80}$/), { minLength: 2, maxLength: 2 });
    await fc.assert(
      fc.asyncProperty(values, keyRules, async (contents, { format: _, ...rules }) => {
        const spec = { keys: [{ name: 'password', ...rules, minLength: rules.minLength ?? 1 }] };
        const statuses = await Promise.all(
          contents.map(async (password) => {
            const fake = new FakeContext();
            fake.put(Secrets, secretObject({ password }));
            return JSON.stringify((await pass(contractObject({ spec }), fake)).status);
          }),
        );
        expect(statuses[0]).toBe(statuses[1]);
      }),
    );
  });

  it('R-1.24 messages stay within 512 characters and reasons within the vocabulary of Kubernetes', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (generated) => {
        const { fake, contract } = prepare(generated);
        const { status } = await pass(contract, fake, { allowMutation: true });
        for (const { message, reason } of status.conditions) {
          expect(message.length).toBeLessThanOrEqual(512);
          expect(reason).toMatch(/^[A-Za-z][A-Za-z0-9]*$/);
        }
      }),
    );
  });
});
