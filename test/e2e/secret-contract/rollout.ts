import { expect, it } from 'vitest';
import { apiVersion, Deployments } from '../../../lib/core/resource-type.ts';
import type { Contracts } from '../support/contracts.ts';
import { eventually } from '../support/eventually.ts';
import { area, WRITE } from './world.ts';

const REVISION = 'evenkeel.dev/secret-revision';

export async function createDeployment(contracts: Contracts, labels: Record<string, string>): Promise<void> {
  const pod = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } };
  await contracts.api.create(
    Deployments,
    {
      apiVersion: apiVersion(Deployments),
      kind: Deployments.kind,
      metadata: { name: 'web', namespace: contracts.namespace, labels },
      spec: { selector: { matchLabels: { app: 'web' } }, template: pod },
    },
    WRITE,
  );
}

export async function revision(contracts: Contracts): Promise<string | undefined> {
  const { spec } = await contracts.api.get(Deployments, { namespace: contracts.namespace, name: 'web' });
  const { template } = spec as { template: { metadata: { annotations?: Record<string, string> } } };
  return template.metadata.annotations?.[REVISION];
}

/** The suite's deployment allows mutation. */
export const rollout = area('a workload', (world) => {
  it('R-2.7 rolls out when the content of a declared key changed, and only then', async () => {
    const contracts = await world().contracts();
    await createDeployment(contracts, { 'evenkeel.dev/allow-mutation': 'true' });
    await contracts.createSecret('web', { one: 'x', other: 'x' });
    await contracts.createContract('web', ['one'], {
      mutation: 'Annotate',
      targets: [{ kind: 'Deployment', name: 'web' }],
    });
    await contracts.becomes('web', 'True AllSatisfied');
    expect(await revision(contracts)).toBeUndefined();
    await contracts.patchSecret('web', { one: 'y' });
    await eventually('a first revision', async () => ((await revision(contracts)) === '1' ? true : undefined));
    await contracts.patchSecret('web', { other: 'y' });
    await contracts.becomes('web', 'True AllSatisfied');
    await contracts.deleteSecret('web');
    await contracts.becomes('web', 'False SecretNotFound');
    await contracts.createSecret('web', { one: 'y' });
    await contracts.becomes('web', 'True AllSatisfied');
    expect(await revision(contracts)).toBe('1');
    await contracts.deleteContract('web');
    await contracts.patchSecret('web', { one: 'z' });
    expect(await revision(contracts)).toBe('1');
  });
});
