import { describe, expect, it } from 'vitest';
import { Gateways } from '../../../lib/controllers/control-plane/kinds.ts';
import {
  clientOf,
  conditionOf,
  controlPlaneWorld,
  createDatabase,
  createGateway,
  leftovers,
  passOf,
  phaseOf,
  runningGateway,
  settle,
  shown,
} from './control-plane-world.ts';

const inRealm = ({ path }: { path: string }) => path.startsWith('/admin');
const isWrite = (request: { method: string; path: string }) => request.method !== 'GET' && inRealm(request);

describe('the rate limit of the identity server', () => {
  it('R-3.7 R-5.14 the server gets no request from any Gateway until its Retry-After is over', async () => {
    const control = await controlPlaneWorld();
    const { world, keycloak } = control;
    await createDatabase(control);
    await settle(control);
    const gateways = [await createGateway(control), await createGateway(control, {}, 'second')];
    keycloak.faults.inject({ match: inRealm, fault: { status: 429, headers: { 'retry-after': '120' } }, times: 1 });
    keycloak.requests.length = 0;
    for (let repetition = 0; repetition < 3; repetition += 1) {
      for (const gateway of gateways) {
        const report = await passOf(control, Gateways, gateway);
        expect(report.outcome).toBe('retry');
        expect(report.dueAtMs).toBeGreaterThanOrEqual(Date.parse('2026-01-01T00:02:00Z'));
      }
      await world.clock.advance(30_000);
    }
    expect(keycloak.requests.filter(inRealm)).toHaveLength(1);
    await world.clock.advance(30_000);
    await settle(control);
    for (const gateway of gateways) expect(phaseOf(await world.read(Gateways, gateway))).toBe('Running');
  });

  it.each(['999999999', 'Fri, 31 Dec 2099 23:59:59 GMT'])(
    'R-3.7 R-1.7 a Retry-After of %s delays a Gateway and its deletion by at most five minutes',
    async (retryAfter) => {
      const control = await controlPlaneWorld();
      const { world, keycloak } = control;
      const { gateway } = await runningGateway(control);
      const fault = { status: 429, headers: { 'retry-after': retryAfter } };
      keycloak.faults.inject({ match: inRealm, fault, times: 1 });
      const report = await passOf(control, Gateways, gateway);
      expect(report.dueAtMs).toBe(world.clock.now() + 300_000);
      await world.clock.advance(300_000);
      expect(await passOf(control, Gateways, gateway)).toMatchObject({ outcome: 'checkAt' });
      keycloak.faults.inject({ match: inRealm, fault, times: 1 });
      await world.remove(Gateways, gateway);
      expect((await passOf(control, Gateways, gateway)).dueAtMs).toBe(world.clock.now() + 300_000);
    },
  );
});

describe('a client that is not what it was', () => {
  const taken = { 'evenkeel.dev/owner-uid': 'another' };

  it('R-1.21 R-3.3 a client that now belongs to others stays, stops the deletion, and is read again without an event', async () => {
    const control = await controlPlaneWorld();
    const { world } = control;
    const { gateway } = await runningGateway(control);
    const client = clientOf(control, gateway.metadata.uid)!;
    client.attributes = taken;
    await world.remove(Gateways, gateway);
    for (let pass = 0; pass < 4; pass += 1) {
      await passOf(control, Gateways, gateway);
      await world.server.idle();
    }
    const held = await world.read(Gateways, gateway);
    expect(conditionOf(held, 'CleanupPending')).toMatchObject({ reason: 'CleanupOwnershipConflict' });
    expect(clientOf(control, gateway.metadata.uid)).toBe(client);
    control.keycloak.realms.get('shop')!.remove(client.id);
    await world.run(1_200_000, undefined, 10_000);
    await settle(control);
    expect(await leftovers(control)).toHaveLength(3);
  });

  it('R-1.21 R-1.4 a client that is not wanted any more and now belongs to others stays, is reported, and is read again', async () => {
    const control = await controlPlaneWorld();
    const { world } = control;
    const { gateway } = await runningGateway(control);
    const client = clientOf(control, gateway.metadata.uid)!;
    client.attributes = taken;
    await world.edit(Gateways, gateway, { spec: { identity: null } });
    const report = await passOf(control, Gateways, gateway);
    expect(report).toMatchObject({ outcome: 'retry', dueAtMs: expect.any(Number) });
    expect(shown(await world.read(Gateways, gateway)).IdentityReady).toBe('False OwnershipConflict');
    expect(clientOf(control, gateway.metadata.uid)).toBe(client);
    control.keycloak.realms.get('shop')!.remove(client.id);
    await world.run(600_000, undefined, 10_000);
    expect(shown(await world.read(Gateways, gateway)).IdentityReady).toBe('True NotRequested');
  });

  it('R-1.15 R-3.3 a client is deleted again when it exists after its deletion', async () => {
    const control = await controlPlaneWorld();
    const { world, keycloak } = control;
    const { gateway } = await runningGateway(control);
    keycloak.faults.inject({ match: ({ method }) => method === 'DELETE', fault: { status: 204 }, times: 1 });
    await world.remove(Gateways, gateway);
    await world.run(60_000);
    await settle(control);
    expect(await leftovers(control)).toHaveLength(3);
  });

  it('R-1.22 a Gateway does not report a missing realm when its client disappears during a change', async () => {
    const control = await controlPlaneWorld();
    const { gateway } = await runningGateway(control);
    const fault = control.keycloak.faults.inject({
      match: ({ path }) => path.endsWith('/roles'),
      fault: { status: 404 },
    });
    expect((await passOf(control, Gateways, gateway)).outcome).toBe('retry');
    expect(shown(await control.world.read(Gateways, gateway)).IdentityReady).toBe('Unknown IdentityUnavailable');
    fault.remove();
    await settle(control);
    expect(shown(await control.world.read(Gateways, gateway)).IdentityReady).toBe('True ClientReady');
  });

  it('R-1.17 R-3.3 a deleted realm does not prove that its client is gone: the deletion waits and reports what to do', async () => {
    const control = await controlPlaneWorld();
    const { world, keycloak } = control;
    const { gateway } = await runningGateway(control);
    const realm = keycloak.realms.get('shop')!;
    keycloak.realms.delete('shop');
    await world.remove(Gateways, gateway);
    await settle(control);
    const held = conditionOf(await world.read(Gateways, gateway), 'CleanupPending');
    expect(held).toMatchObject({ reason: 'CleanupFailed' });
    expect(held?.message).toMatch(/^The realm .* remove the finalizer by hand/);
    keycloak.realms.set('shop', realm);
    await settle(control);
    expect(await leftovers(control)).toHaveLength(3);
  });
});

describe('an answer that confirms nothing', () => {
  it('R-1.22 R-3.7 a change does not count as made when the answer is a web page', async () => {
    const control = await controlPlaneWorld();
    const { gateway } = await runningGateway(control);
    const client = clientOf(control, gateway.metadata.uid)!;
    client.enabled = false;
    const page = { status: 200, body: '<html>Please log in</html>' };
    const fault = control.keycloak.faults.inject({ match: isWrite, fault: page });
    expect((await passOf(control, Gateways, gateway)).outcome).toBe('retry');
    expect(shown(await control.world.read(Gateways, gateway)).IdentityReady).toBe('Unknown IdentityUnavailable');
    fault.remove();
    await settle(control);
    expect(client.enabled).toBe(true);
  });
});

describe('an account that may not see the client', () => {
  it.each(['none', 'query-clients', 'view-clients'] as const)(
    'R-3.10 R-1.17 a Gateway that is deleted keeps its finalizer and its client when the account has %s',
    async (rights) => {
      const control = await controlPlaneWorld();
      const { world, keycloak } = control;
      const { gateway } = await runningGateway(control);
      const client = clientOf(control, gateway.metadata.uid)!;
      keycloak.rights = rights;
      keycloak.revokeTokens();
      await world.remove(Gateways, gateway);
      for (let pass = 0; pass < 4; pass += 1) {
        await passOf(control, Gateways, gateway);
        await world.server.idle();
      }
      const held = await world.read(Gateways, gateway);
      expect(held.metadata.finalizers).toContain('hypershell.evenkeel.dev/gateway');
      expect(conditionOf(held, 'CleanupPending')).toMatchObject({ status: 'True', reason: 'AccessDenied' });
      expect(clientOf(control, gateway.metadata.uid)).toBe(client);
      keycloak.rights = 'manage-clients';
      await world.run(1_200_000, undefined, 10_000);
      await settle(control);
      expect(await leftovers(control)).toHaveLength(3);
    },
  );

  it.each(['none', 'query-clients', 'view-clients'] as const)(
    'R-3.10 a client that is not wanted any more is kept and stays recorded when the account has %s',
    async (rights) => {
      const control = await controlPlaneWorld();
      const { world, keycloak } = control;
      const { gateway } = await runningGateway(control);
      const client = clientOf(control, gateway.metadata.uid)!;
      keycloak.rights = rights;
      keycloak.revokeTokens();
      await world.edit(Gateways, gateway, { spec: { identity: null } });
      expect((await passOf(control, Gateways, gateway)).outcome).toBe('retry');
      const held = await world.read(Gateways, gateway);
      expect(shown(held).IdentityReady).toBe('Unknown IdentityAccessDenied');
      expect(held.status).toMatchObject({ identity: { clientId: client.clientId } });
      expect(clientOf(control, gateway.metadata.uid)).toBe(client);
      keycloak.rights = 'manage-clients';
      await passOf(control, Gateways, gateway);
      expect(clientOf(control, gateway.metadata.uid)).toBeUndefined();
    },
  );
});
