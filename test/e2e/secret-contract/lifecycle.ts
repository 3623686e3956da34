import { expect, it } from 'vitest';
import { ExternalSecrets, SecretContractGrants } from '../../../lib/controllers/secret-contract/kinds.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { apiVersion, Deployments, Events, Secrets } from '../../../lib/core/resource-type.ts';
import { isApiError } from '../../../lib/ports/cluster-api.ts';
import { eventually } from '../support/eventually.ts';
import { area, WRITE } from './world.ts';

/** From a contract's creation to its end, as its user sees it. */
export const lifecycle = area('the life of a contract', (world) => {
  it('R-1.1 R-2.2 a contract follows its Secret: whole, without a key, gone, and back', async () => {
    const contracts = await world().contracts();
    await contracts.createContract('web', ['username', 'password']);
    await contracts.becomes('web', 'False SecretNotFound');
    await contracts.createSecret('web', { username: 'u', password: 'p' });
    await contracts.becomes('web', 'True AllSatisfied');
    await contracts.patchSecret('web', undefined, ['password']);
    await contracts.becomes('web', 'False KeyMissing');
    expect(await contracts.condition('web', 'KeysValid')).toBe('False KeyMissing');
    await contracts.deleteSecret('web');
    await contracts.becomes('web', 'False SecretNotFound');
    expect(await contracts.condition('web', 'SecretExists')).toBe('False SecretNotFound');
    await contracts.createSecret('web', { username: 'u', password: 'p' });
    await contracts.becomes('web', 'True AllSatisfied');
  });

  it('R-1.12 R-1.14 R-2.9 each generation of a contract is checked, and the status shows which one', async () => {
    const contracts = await world().contracts();
    await contracts.createSecret('web', { one: 'x' });
    await contracts.createContract('web', ['one']);
    await contracts.becomes('web', 'True AllSatisfied');
    await contracts.patchContract('web', ['one', 'two']);
    await contracts.becomes('web', 'False KeyMissing');
    const { status, metadata } = await contracts.read('web');
    const { observedGeneration, conditions } = status as {
      observedGeneration: number;
      conditions: { observedGeneration: number }[];
    };
    expect(metadata.generation).toBe(2);
    expect([observedGeneration, ...conditions.map((condition) => condition.observedGeneration)]).toEqual(
      Array.from({ length: conditions.length + 1 }, () => 2),
    );
  });

  it('R-6.5 each transition of a condition is reported by one Event', async () => {
    const contracts = await world().contracts();
    await contracts.createSecret('web', { one: 'x' });
    await contracts.createContract('web', ['one']);
    await contracts.becomes('web', 'True AllSatisfied');
    for (let turn = 0; turn < 2; turn += 1) {
      await contracts.patchSecret('web', undefined, ['one']);
      await contracts.becomes('web', 'False KeyMissing');
      await contracts.patchSecret('web', { one: 'x' });
      await contracts.becomes('web', 'True AllSatisfied');
    }
    const events = await eventually('two turns to False in one Event', async () => {
      const { items } = await contracts.api.list(Events, { namespace: contracts.namespace });
      const turned = items.find((event) => event.action === 'ReadyTurnedFalse');
      return (turned?.series as { count?: number } | undefined)?.count === 2 ? items : undefined;
    });
    const actions = events.map((event) => event.action);
    expect(new Set(actions).size).toBe(actions.length);
  });

  it('R-2.6 a deleted contract leaves Secret, grant, ExternalSecret and Deployment as they are, owner references included', async () => {
    const owner = await world().contracts();
    const contracts = await world().contracts();
    const secret = await owner.createSecret('shared', { one: 'x' });
    await world().grant(owner, 'reads', { to: contracts, secretNames: ['shared'] });
    const holder = { apiVersion: 'v1', kind: 'Secret', name: 'shared', uid: secret.metadata.uid };
    const synced = { type: 'Ready', status: 'True', reason: 'SecretSynced', message: '' };
    await owner.api.create(
      ExternalSecrets,
      {
        apiVersion: apiVersion(ExternalSecrets),
        kind: ExternalSecrets.kind,
        metadata: { name: 'shared', namespace: owner.namespace, ownerReferences: [holder] },
        status: { conditions: [synced], syncedResourceVersion: '1-abc' },
      },
      WRITE,
    );
    const pod = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } };
    await contracts.api.create(
      Deployments,
      {
        apiVersion: apiVersion(Deployments),
        kind: Deployments.kind,
        metadata: { name: 'web', namespace: contracts.namespace },
        spec: { selector: { matchLabels: { app: 'web' } }, template: pod },
      },
      WRITE,
    );
    const all = async (): Promise<KubeObject[]> => [
      await owner.api.get(Secrets, { namespace: owner.namespace, name: 'shared' }),
      await owner.api.get(SecretContractGrants, { namespace: owner.namespace, name: 'reads' }),
      await owner.api.get(ExternalSecrets, { namespace: owner.namespace, name: 'shared' }),
      await contracts.api.get(Deployments, { namespace: contracts.namespace, name: 'web' }),
    ];
    const before = await all();
    const contract = await contracts.createContract('web', ['one'], {
      secretRef: { name: 'shared', namespace: owner.namespace },
      externalSecretRef: { name: 'shared' },
      targets: [{ kind: 'Deployment', name: 'web' }],
    });
    await world().says(contracts, 'web', 'Ready', 'True AllSatisfied');
    expect(await contracts.condition('web', 'Synced')).toBe('True ExternalSecretSynced');
    await contracts.deleteContract('web');
    const { deployment } = world();
    await deployment.reported(({ target, end }) => target.uid === contract.metadata.uid && end === 'forgotten');
    await expect(contracts.read('web')).rejects.toSatisfy((error) => isApiError(error, 'NotFound'));
    expect(await all()).toEqual(before);
  });
});
