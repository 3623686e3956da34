import { describe, expect, it } from 'vitest';
import { SECRET_REVISION_ANNOTATION } from '../../../../lib/controllers/secret-contract/rollout/plan-rollout.ts';
import type { KubeObject } from '../../../../lib/core/kube-object.ts';
import { Deployments, Secrets } from '../../../../lib/core/resource-type.ts';
import { ApiError, type ApiErrorReason } from '../../../../lib/ports/cluster-api.ts';
import { FakeContext } from '../fake-context.ts';
import { contractObject, deploymentObject, secretObject } from '../objects.ts';
import { pass, shown } from '../pass.ts';

const ALLOWED = { allowMutation: true };
const WEB = { namespace: 'app', name: 'web' };
const WEB_KEY = 'deployments.apps/app/web';

/** A contract of the Deployment, with its own Secret and its own item in the table, on a shared cluster. */
class Contract {
  readonly fake = new FakeContext();
  object: KubeObject;
  private readonly secret: string;

  constructor(name: string) {
    this.secret = name;
    const spec = { secretRef: { name }, targets: [{ name: 'web' }], mutation: 'Annotate' };
    this.object = contractObject({ metadata: { name, uid: `${name}-uid` }, spec });
    this.rotate('one');
  }

  rotate(password: string): void {
    const metadata = { name: this.secret, resourceVersion: password };
    this.fake.put(Secrets, secretObject({ password }, metadata));
  }

  /** One pass on the shared Deployment. Returns the Deployment after it. */
  async pass(deployment: KubeObject): Promise<{ deployment: KubeObject; outcome: string; ready: string | undefined }> {
    this.fake.put(Deployments, deployment);
    const result = await pass(this.object, this.fake, ALLOWED);
    this.object = result.object;
    const after = this.fake.stored(Deployments, WEB) ?? deployment;
    return { deployment: after, outcome: result.outcome.type, ready: shown(result).Ready };
  }

  get rollouts(): number {
    return this.fake.patches.filter((key) => key === WEB_KEY).length;
  }
}

function counter({ spec }: KubeObject): string | undefined {
  const { template } = spec as { template: { metadata: { annotations?: Record<string, string> } } };
  return template.metadata.annotations?.[SECRET_REVISION_ANNOTATION];
}

function withCounter(value: string): KubeObject {
  const deployment = deploymentObject('web', { resourceVersion: '900' });
  const template = { metadata: { annotations: { [SECRET_REVISION_ANNOTATION]: value } } };
  return { ...deployment, spec: { ...(deployment.spec as object), template } };
}

async function twoContracts(): Promise<{ one: Contract; other: Contract; deployment: KubeObject }> {
  const [one, other] = [new Contract('one'), new Contract('other')];
  let deployment = deploymentObject('web');
  for (const contract of [one, other]) deployment = (await contract.pass(deployment)).deployment;
  return { one, other, deployment };
}

describe('a rollout that is due', () => {
  it.each<[string, ApiErrorReason]>([
    ['503', 'ServerError'],
    ['403', 'Forbidden'],
    ['a time-out', 'Timeout'],
    ['an answer that is none', 'Malformed'],
  ])(
    'R-2.13 is carried out once when the Deployment was answered with %s and another contract rolled it meanwhile',
    async (_, reason) => {
      const { one, other, deployment } = await twoContracts();
      one.rotate('two');
      one.fake.fail(WEB_KEY, reason);
      expect((await one.pass(deployment)).outcome).toBe('retry');
      other.rotate('two');
      let now = (await other.pass(deployment)).deployment;
      expect(counter(now)).toBe('1');
      one.fake.heal(WEB_KEY);
      for (let count = 0; count < 3; count += 1) now = (await one.pass(now)).deployment;
      expect([one.rollouts, other.rollouts, counter(now)]).toEqual([1, 1, '2']);
    },
  );

  it('R-2.13 a rollout is carried out once when the content changed twice while the Deployment could not be read', async () => {
    const { one, other, deployment } = await twoContracts();
    one.fake.fail(WEB_KEY, 'ServerError');
    for (const password of ['two', 'three']) {
      one.rotate(password);
      await one.pass(deployment);
    }
    let now = deployment;
    for (const password of ['two', 'three']) {
      other.rotate(password);
      now = (await other.pass(now)).deployment;
    }
    one.fake.heal(WEB_KEY);
    for (let count = 0; count < 3; count += 1) now = (await one.pass(now)).deployment;
    expect([one.rollouts, counter(now)]).toEqual([1, '3']);
  });

  it.each<[string, ApiErrorReason]>([
    ['refused', 'Forbidden'],
    ['outdated', 'Conflict'],
    ['invalid', 'Invalid'],
  ])(
    'R-2.13 a rollout is carried out when its patch was %s and another contract wrote the same counter',
    async (_, reason) => {
      const { one, other, deployment } = await twoContracts();
      one.rotate('two');
      one.fake.fail(`patch ${WEB_KEY}`, reason);
      await one.pass(deployment);
      one.fake.forgetCalls();
      other.rotate('two');
      let now = (await other.pass(deployment)).deployment;
      expect(counter(now)).toBe('1');
      one.fake.heal(`patch ${WEB_KEY}`);
      for (let count = 0; count < 3; count += 1) now = (await one.pass(now)).deployment;
      expect([one.rollouts, counter(now)]).toEqual([1, '2']);
    },
  );

  it.each<[string, ApiError]>([
    ['was not answered', new ApiError('Timeout', 'x')],
    ['was answered with 500', new ApiError('ServerError', 'x')],
    ['was sent twice and then found the version changed', new ApiError('Conflict', 'x', { repeated: true })],
  ])('R-2.13 a rollout is not repeated when its patch %s, but was applied', async (_, error) => {
    const { one, deployment } = await twoContracts();
    one.rotate('two');
    one.fake.fail(`patch ${WEB_KEY}`, error);
    expect((await one.pass(deployment)).outcome).toBe('retry');
    one.fake.heal(`patch ${WEB_KEY}`);
    one.fake.forgetCalls();
    for (const left of [withCounter('1'), withCounter('2')]) {
      expect(counter((await one.pass(left)).deployment)).toBe(counter(left));
    }
    expect(one.rollouts).toBe(0);
  });

  it('R-2.13 a rollout is carried out again when the content changed after the patch that was not answered', async () => {
    const { one, deployment } = await twoContracts();
    one.rotate('two');
    one.fake.fail(`patch ${WEB_KEY}`, 'Timeout');
    await one.pass(deployment);
    one.fake.heal(`patch ${WEB_KEY}`);
    one.fake.forgetCalls();
    one.rotate('three');
    let now = withCounter('1');
    for (let count = 0; count < 3; count += 1) now = (await one.pass(now)).deployment;
    expect([one.rollouts, counter(now)]).toEqual([1, '2']);
  });

  it('R-2.13 stays due while the contract is not Ready, the label is missing and the patch fails, one after the other', async () => {
    const { one, deployment } = await twoContracts();
    one.rotate('two');
    one.fake.fail(WEB_KEY, 'ServerError');
    await one.pass(deployment);
    one.fake.heal(WEB_KEY);
    one.rotate('');
    expect((await one.pass(deployment)).ready).toBe('False RuleViolated');
    one.rotate('two');
    await one.pass({ ...deployment, metadata: { ...deployment.metadata, labels: {} } });
    one.fake.fail(`patch ${WEB_KEY}`, 'Forbidden');
    await one.pass(deployment);
    one.fake.heal(`patch ${WEB_KEY}`);
    one.fake.forgetCalls();
    let now = deployment;
    for (let count = 0; count < 3; count += 1) now = (await one.pass(now)).deployment;
    expect(one.rollouts).toBe(1);
  });
});

describe('a rollout that the release before left due', () => {
  /** The state that the older release writes: no Secret, and no counter of a write in progress. */
  function asLeftBefore(contract: Contract): void {
    const { content = '', revision = 0, targets = '' } = contract.fake.values;
    const plain = String(targets)
      .split(',')
      .map((entry) => entry.split(':').slice(0, 3).join(':'));
    contract.fake.values = { content, revision, targets: plain.join(',') };
  }

  it('R-6.8 R-2.13 is carried out once when the Deployment could not be read then', async () => {
    const { one, other, deployment } = await twoContracts();
    one.rotate('two');
    one.fake.fail(WEB_KEY, 'ServerError');
    await one.pass(deployment);
    asLeftBefore(one);
    other.rotate('two');
    let now = (await other.pass(deployment)).deployment;
    one.fake.heal(WEB_KEY);
    for (let count = 0; count < 3; count += 1) now = (await one.pass(now)).deployment;
    expect([one.rollouts, counter(now)]).toEqual([1, '2']);
  });

  it('R-6.8 R-2.13 a change right after the upgrade rolls out when the contract was Ready at the same generation', async () => {
    const { one, deployment } = await twoContracts();
    asLeftBefore(one);
    one.rotate('two');
    await one.pass(deployment);
    expect(one.rollouts).toBe(1);
  });

  it('R-6.8 R-2.13 nothing rolls out when the contract was edited since, as another Secret may have been meant', async () => {
    const { one, deployment } = await twoContracts();
    asLeftBefore(one);
    one.object = { ...one.object, metadata: { ...one.object.metadata, generation: 2 } };
    one.rotate('two');
    await one.pass(deployment);
    expect(one.rollouts).toBe(0);
    one.rotate('three');
    await one.pass(deployment);
    expect(one.rollouts).toBe(1);
  });
});
