import { expect, it } from 'vitest';
import { SystemClock } from '../../../lib/adapters/system/system-clock.ts';
import { SecretContractGrants } from '../../../lib/controllers/secret-contract/kinds.ts';
import { apiVersion, CustomResourceDefinitions, kindId } from '../../../lib/core/resource-type.ts';
import { installDefinitions } from '../../../lib/deployment/kubernetes/install-definitions.ts';
import { bundledDefinitions } from '../../../lib/deployment/package/manifests.ts';
import { isApiError } from '../../../lib/ports/cluster-api.ts';
import type { Contracts } from '../support/contracts.ts';
import { eventually } from '../support/eventually.ts';
import { createNamespace } from '../support/prepare-user-cluster.ts';
import { area, type World } from './world.ts';

const GRANTS = kindId(SecretContractGrants);
const WRITE = { fieldManager: 'test' };

/** A contract whose Secret is in another namespace, and a function that creates the grant. */
async function foreignContract({ target }: World, contracts: Contracts) {
  const owner = `${contracts.namespace}-owner`;
  await createNamespace(target.user, owner);
  const metadata = { name: 'shared', namespace: owner };
  await target.user.create(
    { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', namespaced: true },
    { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { one: 'x' } },
    WRITE,
  );
  await contracts.createContract('foreign', ['one'], { secretRef: { name: 'shared', namespace: owner } });
  const grant = {
    apiVersion: apiVersion(SecretContractGrants),
    kind: SecretContractGrants.kind,
    metadata: { name: 'reads', namespace: owner },
    spec: { from: [{ namespace: contracts.namespace }], secretNames: ['shared'] },
  };
  return async () => {
    await target.user.create(SecretContractGrants, grant, WRITE);
  };
}

async function authorized(contracts: Contracts, wanted: RegExp): Promise<void> {
  await eventually(`an Authorized condition like ${wanted}`, async () =>
    wanted.test((await contracts.condition('foreign', 'Authorized')) ?? '') ? true : undefined,
  );
}

/** The kind is missing only when its definition is gone. */
async function removeGrantsDefinition({ target }: World): Promise<void> {
  const name = { namespace: '', name: GRANTS };
  const { metadata } = await target.user.get(CustomResourceDefinitions, name);
  await target.user.delete(CustomResourceDefinitions, name, { preconditions: { uid: metadata.uid } });
  await eventually('a definition that is gone', async () => {
    try {
      await target.user.get(CustomResourceDefinitions, name);
      return undefined;
    } catch (error) {
      if (isApiError(error, 'NotFound')) return true;
      throw error;
    }
  });
}

async function restoreGrantsDefinition({ target }: World): Promise<void> {
  await installDefinitions(target.user, bundledDefinitions(), new SystemClock(), () => {});
}

export const kinds = area('kinds', (world) => {
  it('R-5.10 one that is forbidden is reported once and tried slowly, the others go on, and it comes back', async () => {
    const { edits, relay } = await world().begin();
    const createGrant = await foreignContract(world(), edits.contracts);
    await authorized(edits.contracts, /GrantMissing/);
    const permit = await world().target.forbid(SecretContractGrants);
    await relay.ends('Forbidden', 1, GRANTS);
    await createGrant();
    for (let time = 0; time < 2; time += 1) {
      await edits.round();
      await edits.right();
    }
    expect(await edits.contracts.condition('foreign', 'Authorized')).toBe('False GrantMissing');
    await relay.ends('Forbidden', 2, GRANTS);
    const reports = relay.logger.lines.filter(({ fields }) => fields.reason === 'Forbidden');
    expect(reports.map(({ fields }) => fields.stream)).toEqual([GRANTS]);
    await permit();
    await authorized(edits.contracts, /True GrantFound/);
    await world().verify();
  });

  it('R-5.10 one whose CRD is deleted and created anew is followed again, with the objects that are there then', async () => {
    const { edits, relay } = await world().begin();
    const createGrant = await foreignContract(world(), edits.contracts);
    await createGrant();
    await authorized(edits.contracts, /True GrantFound/);
    await removeGrantsDefinition(world());
    await relay.ends('KindMissing', 1, GRANTS);
    await edits.round();
    await edits.right();
    await restoreGrantsDefinition(world());
    await authorized(edits.contracts, /GrantMissing/);
    await createGrant();
    await authorized(edits.contracts, /True GrantFound/);
    await world().verify();
  });

  it('R-5.10 one whose CRD is missing at the start is followed once it is installed', async () => {
    const edits = await world().edits();
    const createGrant = await foreignContract(world(), edits.contracts);
    await removeGrantsDefinition(world());
    const relay = world().startRelay();
    await relay.ends('KindMissing', 1, GRANTS);
    // Only targets that have read a Secret must get its events.
    await edits.right();
    await edits.round();
    await edits.right();
    await restoreGrantsDefinition(world());
    await createGrant();
    await authorized(edits.contracts, /True GrantFound/);
    await world().verify();
  });
});
