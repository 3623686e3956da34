import { expect, it } from 'vitest';
import { SecretContractGrants, SecretContracts } from '../../../lib/controllers/secret-contract/kinds.ts';
import { Secrets } from '../../../lib/core/resource-type.ts';
import { writesAmong } from '../support/test-cluster.ts';
import { area } from './world.ts';

const TYPES = [SecretContracts, SecretContractGrants, Secrets];

/** What evenkeel does when nothing changes. */
export const idleness = area('without a change', (world) => {
  it('R-1.3 R-2.8 three passes leave every object byte for byte as it was and send no write to the API server', async () => {
    const { cluster, deployment } = world();
    const owner = await world().contracts();
    const contracts = await world().contracts();
    await owner.createSecret('shared', { one: 'x' });
    await world().grant(owner, 'reads', { to: contracts, secretNames: ['shared'] });
    await contracts.createSecret('good', { one: 'x' });
    await contracts.createContract('good', ['one'], { maxAge: '24h' });
    await contracts.createContract('bad', ['one', 'two'], { secretRef: { name: 'good' } });
    await contracts.createContract('absent', ['one']);
    await contracts.createContract('foreign', ['one'], { secretRef: { name: 'shared', namespace: owner.namespace } });
    await world().says(contracts, 'good', 'Ready', 'True AllSatisfied');
    await world().says(contracts, 'bad', 'Ready', 'False KeyMissing');
    await world().says(contracts, 'absent', 'Ready', 'False SecretNotFound');
    await world().says(contracts, 'foreign', 'Ready', 'True AllSatisfied');
    const all = async () => {
      const lists = [owner, contracts].flatMap(({ namespace }) =>
        TYPES.map((type) => cluster.user.list(type, { namespace })),
      );
      return (await Promise.all(lists)).flatMap(({ items }) => items);
    };
    const names = ['good', 'bad', 'absent', 'foreign'];
    // The event of the last status may still be on its way. It costs no write, and this test counts writes.
    const before = await all();
    const mark = await cluster.mark();
    for (let pass = 0; pass < 3; pass += 1) {
      for (const name of names) {
        const report = await deployment.pass(SecretContracts, await contracts.read(name));
        expect(report).toMatchObject({ end: 'committed', writes: 0, attempts: 1 });
      }
    }
    expect(await all()).toEqual(before);
    const requests = await cluster.requestsSince(mark);
    expect(writesAmong(requests)).toEqual([]);
    expect(requests.filter(({ verb }) => verb === 'get').length).toBeGreaterThanOrEqual(12);
  });

  it('R-5.11 the event of our own status write costs no pass', async () => {
    const { deployment } = world();
    const contracts = await world().contracts();
    await contracts.createSecret('web', { one: 'x' });
    const contract = await contracts.createContract('web', ['one']);
    await contracts.becomes('web', 'True AllSatisfied');
    // The relay handles contracts in the order of their events, and the queue delivers the events of one contract in
    // order. So when the relay has handled a later contract, and a pass requested after it has run, the event of our
    // own write was handled.
    await contracts.createContract('later', ['one'], { secretRef: { name: 'web' } });
    await world().says(contracts, 'later', 'Ready', 'True AllSatisfied');
    await deployment.pass(SecretContracts, await contracts.read('web'));
    const passes = deployment.about(contract).filter(({ end }) => end === 'committed');
    expect(passes.map(({ cause, writes }) => ({ cause, writes }))).toEqual([
      { cause: 'created', writes: 1 },
      { cause: 'requested', writes: 0 },
    ]);
  });

  it('R-5.11 the event of an object that nobody reads is no message and no pass', async () => {
    const { deployment } = world();
    const contracts = await world().contracts();
    await contracts.createSecret('unread', { one: 'x' });
    await contracts.patchSecret('unread', { one: 'y' });
    await contracts.createSecret('web', { one: 'x' });
    const contract = await contracts.createContract('web', ['one']);
    await contracts.becomes('web', 'True AllSatisfied');
    // The relay handles Secrets in order. When this event was handled, all earlier ones were, too.
    await contracts.patchSecret('web', { one: 'y' });
    await deployment.reported(
      ({ target, changed }) => target.uid === contract.metadata.uid && changed?.includes('/web') === true,
    );
    const here = deployment.reports.filter(({ target }) => target.namespace === contracts.namespace);
    expect(new Set(here.map(({ target }) => target.name))).toEqual(new Set(['web']));
    expect(here.filter(({ changed }) => changed?.includes('unread') === true)).toEqual([]);
  });
});
