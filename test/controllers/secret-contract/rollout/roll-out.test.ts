import { describe, expect, it } from 'vitest';
import { SECRET_REVISION_ANNOTATION } from '../../../../lib/controllers/secret-contract/rollout/plan-rollout.ts';
import type { KubeObject } from '../../../../lib/core/kube-object.ts';
import { Deployments, Secrets } from '../../../../lib/core/resource-type.ts';
import type { ApiErrorReason } from '../../../../lib/ports/cluster-api.ts';
import { FakeContext, leaseLost } from '../fake-context.ts';
import { contractObject, deploymentObject, secretObject } from '../objects.ts';
import { pass, shown } from '../pass.ts';

const ALLOWED = { allowMutation: true };
const WEB_KEY = 'deployments.apps/app/web';
const API_KEY = 'deployments.apps/app/api';

function annotating(targets: string[] = ['web'], spec: Record<string, unknown> = {}): KubeObject {
  return contractObject({ spec: { targets: targets.map((name) => ({ name })), mutation: 'Annotate', ...spec } });
}

function cluster(...deployments: KubeObject[]): FakeContext {
  const fake = new FakeContext();
  fake.put(Secrets, secretObject({ password: 'one' }));
  for (const deployment of deployments.length === 0 ? [deploymentObject('web')] : deployments)
    fake.put(Deployments, deployment);
  return fake;
}

function rotate(fake: FakeContext, password: string, resourceVersion = '8'): void {
  fake.put(Secrets, secretObject({ password }, { resourceVersion }));
}

function revision(fake: FakeContext, name = 'web'): string | undefined {
  const deployment = fake.stored(Deployments, { namespace: 'app', name });
  const spec = deployment?.spec as { template: { metadata: { annotations?: Record<string, string> } } };
  return spec.template.metadata.annotations?.[SECRET_REVISION_ANNOTATION];
}

describe('a contract with mutation Annotate', () => {
  it('R-2.7 writes nothing at first, rolls out once for a change, and not again', async () => {
    const fake = cluster();
    const first = await pass(annotating(), fake, ALLOWED);
    expect(fake.patches).toEqual([]);
    expect(fake.valueSaves).toBe(1);

    rotate(fake, 'two');
    await pass(first.object, fake, ALLOWED);
    expect(fake.patches).toEqual([WEB_KEY]);
    expect(revision(fake)).toBe('1');

    fake.forgetCalls();
    for (let repetition = 0; repetition < 3; repetition += 1) await pass(first.object, fake, ALLOWED);
    expect(fake.patches).toEqual([]);
    expect(fake.valueSaves).toBe(0);
  });

  it('R-2.7 adds nothing but the annotation', async () => {
    const fake = cluster();
    const { object } = await pass(annotating(), fake, ALLOWED);
    rotate(fake, 'two');
    await pass(object, fake, ALLOWED);
    const template = {
      metadata: { labels: { app: 'web' }, annotations: { [SECRET_REVISION_ANNOTATION]: '1' } },
      spec: {},
    };
    const { metadata, ...rest } = fake.stored(Deployments, { namespace: 'app', name: 'web' }) ?? deploymentObject();
    const { metadata: before, ...unchanged } = deploymentObject('web');
    expect(rest).toEqual({ ...unchanged, spec: { replicas: 2, template } });
    expect({ ...metadata, resourceVersion: before.resourceVersion }).toEqual(before);
  });

  it.each<[string, KubeObject]>([
    ['an edit of its labels', secretObject({ password: 'one' }, { resourceVersion: '9', labels: { team: 'a' } })],
    [
      'a delete and recreate with the same values',
      secretObject({ password: 'one' }, { uid: 'next', resourceVersion: '9' }),
    ],
    ['a change of a key that is not declared', secretObject({ password: 'one', extra: 'x' }, { resourceVersion: '9' })],
  ])('R-2.7 rolls nothing for %s', async (_, secret) => {
    const fake = cluster();
    const { object } = await pass(annotating(), fake, ALLOWED);
    fake.drop(Secrets, secret);
    const absent = await pass(object, fake, ALLOWED);
    fake.put(Secrets, secret);
    await pass(absent.object, fake, ALLOWED);
    expect(fake.patches).toEqual([]);
  });

  it('R-2.7 rolls out for a recreation with other values', async () => {
    const fake = cluster();
    const { object } = await pass(annotating(), fake, ALLOWED);
    fake.put(Secrets, secretObject({ password: 'two' }, { uid: 'next', resourceVersion: '9' }));
    await pass(object, fake, ALLOWED);
    expect(fake.patches).toEqual([WEB_KEY]);
  });

  it('R-2.7 rolls out for a change that happened while it was not Ready, once it is', async () => {
    const fake = cluster();
    const { object } = await pass(annotating(), fake, ALLOWED);
    rotate(fake, '');
    const broken = await pass(object, fake, ALLOWED);
    expect(shown(broken).Ready).toBe('False RuleViolated');
    expect(broken.status.findings).toContainEqual({
      key: 'Deployment/web',
      rule: 'mutation',
      reason: 'MutationNotPermitted',
    });
    expect(fake.patches).toEqual([]);
    rotate(fake, 'two', '9');
    await pass(broken.object, fake, ALLOWED);
    expect(fake.patches).toEqual([WEB_KEY]);
  });

  it('R-2.7 mutation is reported, and reads and writes nothing, when the installation does not allow it', async () => {
    const fake = cluster();
    const { object, status } = await pass(annotating(), fake);
    expect(status.findings).toEqual([{ key: 'Deployment/web', rule: 'mutation', reason: 'MutationNotPermitted' }]);
    expect(shown({ status, object, outcome: { type: 'settled' } }).Ready).toBe('True AllSatisfied');
    rotate(fake, 'two');
    await pass(object, fake);
    expect(fake.patches).toEqual([]);
    expect(fake.valueSaves).toBe(0);
    expect(fake.reads).not.toContain(WEB_KEY);
  });

  it('R-2.7 mutation is reported when the Deployment has no label', async () => {
    const fake = cluster(deploymentObject('web', { labels: {} }));
    const { object, status } = await pass(annotating(), fake, ALLOWED);
    expect(status.findings).toEqual([{ key: 'Deployment/web', rule: 'mutation', reason: 'MutationNotPermitted' }]);
    rotate(fake, 'two');
    await pass(object, fake, ALLOWED);
    expect(fake.patches).toEqual([]);
  });

  it('R-2.7 mutation writes nothing when it is Disabled, and begins with a new baseline when it is switched on', async () => {
    const fake = cluster();
    await pass(annotating(), fake, ALLOWED);
    await pass(annotating(['web'], { mutation: 'Disabled' }), fake, ALLOWED);
    expect(fake.values).toEqual({});
    rotate(fake, 'two');
    fake.forgetCalls();
    const { status } = await pass(annotating(['web'], { mutation: 'Disabled' }), fake, ALLOWED);
    expect(status).not.toHaveProperty('findings');
    expect(fake.valueSaves).toBe(0);
    await pass(annotating(), fake, ALLOWED);
    expect(fake.patches).toEqual([]);
    rotate(fake, 'three', '9');
    await pass(annotating(), fake, ALLOWED);
    expect(fake.patches).toEqual([WEB_KEY]);
  });

  it('R-2.7 reports a missing Deployment, and waits for it', async () => {
    const fake = cluster(deploymentObject('api'));
    const { status, outcome } = await pass(annotating(), fake, ALLOWED);
    expect(status.findings).toEqual([{ key: 'Deployment/web', rule: 'mutation', reason: 'TargetNotFound' }]);
    expect(outcome).toEqual({ type: 'settled' });
    expect(fake.reads).toContain(WEB_KEY);
  });

  it('R-2.10 reads no Deployment of another namespace than its own', async () => {
    const fake = cluster();
    await pass(annotating(['web', 'api']), fake, ALLOWED);
    expect(fake.reads.filter((key) => key.startsWith('deployments'))).toEqual([WEB_KEY, API_KEY]);
  });
});

describe('a rollout that is interrupted', () => {
  async function beforeChange(): Promise<{ fake: FakeContext; object: KubeObject }> {
    const fake = cluster(deploymentObject('web'), deploymentObject('api'));
    const { object } = await pass(annotating(['web', 'api']), fake, ALLOWED);
    rotate(fake, 'two');
    fake.forgetCalls();
    return { fake, object };
  }

  it.each<[string, string, string[]]>([
    ['before the counter is saved', 'saveValues 1', []],
    ['between the save and the first patch', `patch ${WEB_KEY}`, []],
    ['between two patches', `patch ${API_KEY}`, [WEB_KEY]],
    ['between the patches and their record', 'saveValues 2', [WEB_KEY, API_KEY]],
  ])('R-2.7 %s ends with each target rolled out once', async (_, call, done) => {
    const { fake, object } = await beforeChange();
    fake.fail(call, leaseLost());
    await expect(pass(object, fake, ALLOWED)).rejects.toThrow();
    expect([revision(fake, 'web'), revision(fake, 'api')]).toEqual(
      [WEB_KEY, API_KEY].map((key) => (done.includes(key) ? '1' : undefined)),
    );
    fake.heal(call);
    fake.forgetCalls();
    for (let repetition = 0; repetition < 3; repetition += 1) await pass(object, fake, ALLOWED);
    expect(fake.patches).toEqual([WEB_KEY, API_KEY].filter((key) => !done.includes(key)));
    expect([revision(fake, 'web'), revision(fake, 'api')]).toEqual(['1', '1']);
  });

  it.each<[ApiErrorReason, boolean]>([
    ['Conflict', false],
    ['Timeout', false],
    ['Forbidden', true],
  ])('R-1.7 a patch that ends in %s holds up no other target and is retried', async (reason, told) => {
    const { fake, object } = await beforeChange();
    fake.fail(`patch ${WEB_KEY}`, reason);
    const failed = await pass(object, fake, ALLOWED);
    expect(failed.outcome.type).toBe('retry');
    expect(shown(failed).Ready).toBe('True AllSatisfied');
    expect(failed.status.findings !== undefined).toBe(told);
    expect([revision(fake, 'web'), revision(fake, 'api')]).toEqual([undefined, '1']);
    fake.heal(`patch ${WEB_KEY}`);
    fake.forgetCalls();
    const healed = await pass(failed.object, fake, ALLOWED);
    expect(fake.patches).toEqual([WEB_KEY]);
    expect(healed.outcome).toEqual({ type: 'settled' });
  });

  it('R-1.7 a Deployment that could not be read is rolled out later', async () => {
    const { fake, object } = await beforeChange();
    fake.fail(WEB_KEY, 'Timeout');
    const failed = await pass(object, fake, ALLOWED);
    expect(failed.outcome.type).toBe('retry');
    expect(failed.status.findings).toEqual([{ key: 'Deployment/web', rule: 'mutation', reason: 'TargetReadFailed' }]);
    expect(fake.patches).toEqual([API_KEY]);
    fake.heal(WEB_KEY);
    await pass(failed.object, fake, ALLOWED);
    expect(fake.patches).toEqual([API_KEY, WEB_KEY]);
  });

  it('R-2.7 two contracts of one Deployment each roll it out for their own changes, and do not fight', async () => {
    const web = deploymentObject('web');
    const one = cluster(web);
    const other = cluster(web);
    const contracts = [
      { fake: one, object: (await pass(annotating(), one, ALLOWED)).object },
      {
        fake: other,
        object: (
          await pass(
            contractObject({
              ...annotating(),
              metadata: { uid: 'other' },
              spec: annotating().spec as Record<string, unknown>,
            }),
            other,
            ALLOWED,
          )
        ).object,
      },
    ];
    const settle = async () => {
      for (let round = 0; round < 3; round += 1) {
        for (const { fake, object } of contracts) {
          await pass(object, fake, ALLOWED);
          const current = fake.stored(Deployments, { namespace: 'app', name: 'web' });
          for (const each of contracts) if (current !== undefined) each.fake.put(Deployments, current);
        }
      }
    };
    rotate(one, 'two');
    await settle();
    rotate(other, 'two');
    await settle();
    expect([...one.patches, ...other.patches]).toEqual([WEB_KEY, WEB_KEY]);
    expect(revision(one)).toBe('2');
  });
});
