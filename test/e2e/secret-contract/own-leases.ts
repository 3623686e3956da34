import { expect, it } from 'vitest';
import { Leases } from '../../../lib/core/resource-type.ts';
import { eventually } from '../support/eventually.ts';
import { HastyClock } from '../support/hasty-clock.ts';
import { area, type World, WRITE } from './world.ts';

const DEPLOYMENT_LEASE = { namespace: 'evenkeel-system', name: 'evenkeel-secret-contract' };
const RELAY_LEASE = { namespace: 'evenkeel-system', name: 'evenkeel-relay' };
const TEN_MINUTES_MS = 600_000;

async function renewal({ cluster }: World): Promise<{ holder: string; atMs: number }> {
  const { spec } = await cluster.user.get(Leases, DEPLOYMENT_LEASE);
  const { holderIdentity, renewTime } = spec as { holderIdentity: string; renewTime: string };
  return { holder: holderIdentity, atMs: Date.parse(renewTime) };
}

/** Makes the Lease some minutes older. */
async function age({ cluster }: World): Promise<number> {
  const atMs = Date.now() - TEN_MINUTES_MS;
  const renewTime = new Date(atMs).toISOString().replace('Z', '000Z');
  await cluster.user.patch(Leases, DEPLOYMENT_LEASE, { type: 'merge', patch: { spec: { renewTime } } }, WRITE);
  return atMs;
}

async function counter({ cluster }: World): Promise<number> {
  const { annotations = {} } = (await cluster.user.get(Leases, RELAY_LEASE)).metadata;
  const counters = Object.entries(annotations).filter(([key]) => key.includes('restore-counter'));
  return Number(counters[0]?.[1] ?? 0);
}

export const ownLeases = area('its own Leases', (world) => {
  it('R-1.10 the deployment’s is renewed by its passes and, when there is nothing to do, by resync', async () => {
    const { deployment } = world();
    const contracts = await world().contracts();
    const { holder } = await renewal(world());
    await deployment.stop();
    const agedMs = await age(world());
    deployment.start();
    await contracts.createContract('web', ['one']);
    await contracts.becomes('web', 'False SecretNotFound');
    const renewed = await renewal(world());
    expect(renewed.atMs).toBeGreaterThan(agedMs);
    expect(renewed.holder).toBe(holder);

    await deployment.stop();
    const agedAgainMs = await age(world());
    deployment.start(['resync']);
    await eventually('a renewal by resync', async () =>
      (await renewal(world())).atMs > agedAgainMs ? true : undefined,
    );
    await deployment.stop();
    deployment.start();
  });

  it('R-5.8 the relay’s restore counter is raised every few minutes', async () => {
    const { deployment } = world();
    const before = await counter(world());
    await deployment.stop();
    deployment.start(['relay'], new HastyClock());
    await eventually('a raised counter', async () => ((await counter(world())) > before ? true : undefined));
    await deployment.stop();
    deployment.start();
  });
});
