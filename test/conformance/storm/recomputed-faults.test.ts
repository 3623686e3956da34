import { expect, it } from 'vitest';
import { SecretContracts } from '../../../lib/controllers/secret-contract/kinds.ts';
import type { ResourceType } from '../../../lib/core/resource-type.ts';
import type { ClusterApi } from '../../../lib/ports/cluster-api.ts';
import { recomputedFaults } from './recomputed-faults.ts';

const secret = { metadata: { name: 'web', uid: 'u', resourceVersion: '7' }, data: { one: 'eA==' } };

const at = (observedGeneration: number) => (type: string, status: string, reason: string) => ({
  type,
  status,
  reason,
  observedGeneration,
});
const condition = at(2);
const right = {
  observedGeneration: 2,
  observedSecret: { uid: 'u', resourceVersion: '7' },
  conditions: [
    condition('SecretExists', 'True', 'SecretFound'),
    condition('KeysValid', 'True', 'RulesSatisfied'),
    condition('Ready', 'True', 'AllSatisfied'),
  ],
};

/** The errors found in a contract with one key and this status. */
function faults(status: object | undefined, secrets: readonly object[] = [secret]): Promise<string[]> {
  const metadata = { name: 'web', generation: 2 };
  const contract = { metadata, spec: { secretRef: { name: 'web' }, keys: [{ name: 'one' }] }, status };
  const list = async (type: ResourceType) => ({ items: type === SecretContracts ? [contract] : secrets });
  return recomputedFaults({ list } as unknown as ClusterApi, 'default');
}

it('the check of a storm finds nothing wrong with a status that is right', async () => {
  expect(await faults(right)).toEqual([]);
});

it.each<[string, object | undefined, (readonly object[])?]>([
  ['there is none', undefined],
  ['is of an older generation', { ...right, observedGeneration: 1 }],
  [
    'has a condition of an older generation',
    { ...right, conditions: right.conditions.with(0, at(1)('SecretExists', 'True', 'SecretFound')) },
  ],
  ['saw an older version of the Secret', { ...right, observedSecret: { uid: 'u', resourceVersion: '6' } }],
  ['saw another Secret of that name', { ...right, observedSecret: { uid: 'v', resourceVersion: '7' } }],
  ['does not know that the key is gone', right, [{ ...secret, data: {} }]],
  ['does not know that the Secret is gone', right, []],
  ['knows of a finding that is none', { ...right, findings: [{ key: 'one', rule: 'required', reason: 'KeyMissing' }] }],
  ['lacks a condition', { ...right, conditions: right.conditions.slice(1) }],
])('the check of a storm finds a status that %s', async (_, status, secrets) => {
  expect(await faults(status, secrets)).toHaveLength(1);
});
