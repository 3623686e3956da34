import { expect, it } from 'vitest';
import { SecretContractGrants } from '../../../lib/controllers/secret-contract/kinds.ts';
import { kubeTime } from '../../../lib/core/conditions.ts';
import type { JsonObject } from '../../../lib/core/kube-object.ts';
import type { Contracts } from '../support/contracts.ts';
import { area, type World, WRITE } from './world.ts';

/** Long enough for what a test does before, rounded up to the whole second that a grant names. */
const GRANT_LIFE_MS = 4_000;

async function foreignContract(world: World): Promise<{ owner: Contracts; contracts: Contracts }> {
  const owner = await world.contracts();
  const contracts = await world.contracts();
  await owner.createSecret('shared', { one: 'x' });
  await contracts.createContract('web', ['one'], { secretRef: { name: 'shared', namespace: owner.namespace } });
  await world.says(contracts, 'web', 'Authorized', 'False GrantMissing');
  return { owner, contracts };
}

/** Only a grant is touched; resync is off. */
export const grants = area('a grant alone', (world) => {
  it('R-2.11 changes Authorized when it is created, changed and deleted', async () => {
    const { owner, contracts } = await foreignContract(world());
    expect(await contracts.condition('web', 'SecretExists')).toBe('Unknown NotEvaluated');
    const name = { namespace: owner.namespace, name: 'reads' };
    const change = (spec: JsonObject) =>
      owner.api.patch(SecretContractGrants, name, { type: 'merge', patch: { spec } }, WRITE);

    const { metadata } = await world().grant(owner, 'reads', { to: contracts, secretNames: ['shared'] });
    await world().says(contracts, 'web', 'Authorized', 'True GrantFound');
    await world().says(contracts, 'web', 'Ready', 'True AllSatisfied');
    await change({ secretNames: ['another'] });
    await world().says(contracts, 'web', 'Authorized', 'False GrantMissing');
    await change({ secretNames: ['another', 'shared'] });
    await world().says(contracts, 'web', 'Authorized', 'True GrantFound');
    await owner.api.delete(SecretContractGrants, name, { preconditions: { uid: metadata.uid } });
    await world().says(contracts, 'web', 'Authorized', 'False GrantMissing');
  });

  it('R-2.11 R-1.25 R-1.26 it expires at its time, and no pass says so before', async () => {
    const { owner, contracts } = await foreignContract(world());
    const expiresAtMs = Math.ceil((Date.now() + GRANT_LIFE_MS) / 1_000) * 1_000;
    await world().grant(owner, 'reads', {
      to: contracts,
      secretNames: ['shared'],
      expiresAt: kubeTime(expiresAtMs),
    });
    await world().says(contracts, 'web', 'Authorized', 'True GrantFound');
    await world().says(contracts, 'web', 'Authorized', 'False GrantExpired');
    const expired = await world().deployment.reported(
      ({ target, cause, writes }) => target.namespace === contracts.namespace && cause === 'due' && writes > 0,
    );
    expect(expired.startedAtMs).toBeGreaterThanOrEqual(expiresAtMs);
  });

  it('R-2.10 content rules wait for a grant that permits them, in the own namespace too', async () => {
    const contracts = await world().contracts();
    await contracts.createSecret('web', { one: 'abc' });
    await contracts.createContract('web', [], { keys: [{ name: 'one', pattern: '[a-c]+' }] });
    await contracts.becomes('web', 'False ContentRulesNotPermitted');
    await world().grant(contracts, 'content', { to: contracts, secretNames: ['web'], allowContentRules: true });
    await contracts.becomes('web', 'True AllSatisfied');
  });
});
