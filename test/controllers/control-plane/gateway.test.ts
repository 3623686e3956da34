import { describe, expect, it } from 'vitest';
import { Gateways, ManagedDatabases } from '../../../lib/controllers/control-plane/kinds.ts';
import {
  clientOf,
  controlPlaneWorld,
  find,
  gatewayObjects,
  leftovers,
  passOf,
  phaseOf,
  runningGateway,
  settle,
  shown,
} from './control-plane-world.ts';

describe('a Gateway', () => {
  it('R-3.1 goes from created to Running with everything it owns, each object marked as owned', async () => {
    const control = await controlPlaneWorld();
    const { gateway, database } = await runningGateway(control);
    expect(shown(gateway)).toEqual({
      DatabaseReady: 'True DatabaseReady',
      IdentityReady: 'True ClientReady',
      ResourcesApplied: 'True AllApplied',
      Available: 'True ReplicasReady',
      Ready: 'True AllSatisfied',
    });
    expect(phaseOf(gateway)).toBe('Running');
    for (const object of gatewayObjects(gateway.metadata.uid, database.metadata.uid)) {
      const found = await find(control, object);
      expect(found?.metadata.annotations?.['evenkeel.dev/owner-uid'], object.type.kind).toBe(gateway.metadata.uid);
      expect(found?.metadata.labels?.['app.kubernetes.io/managed-by'], object.type.kind).toBe('evenkeel');
    }
    expect(clientOf(control, gateway.metadata.uid)).toBeDefined();
  });

  it('R-1.3 R-3.1 three more passes send no write to the API server and none to Keycloak', async () => {
    const control = await controlPlaneWorld();
    const { gateway, database } = await runningGateway(control);
    control.world.server.requests.clear();
    control.keycloak.requests.length = 0;
    for (let repetition = 0; repetition < 3; repetition += 1) {
      await control.world.clock.advance(60_000);
      await passOf(control, Gateways, gateway);
      await passOf(control, ManagedDatabases, database);
    }
    expect(control.world.server.requests.writes({ userAgent: 'evenkeel' })).toEqual([]);
    expect(control.keycloak.writes()).toEqual([]);
    expect(control.keycloak.requests.length).toBeGreaterThan(0);
    expect(await control.world.read(Gateways, gateway)).toEqual(gateway);
  });

  it('R-3.3 R-1.15 deleting it leaves nothing', async () => {
    const control = await controlPlaneWorld();
    const { gateway, database } = await runningGateway(control);
    await control.world.remove(Gateways, gateway);
    await settle(control);
    await control.world.remove(ManagedDatabases, database);
    await settle(control);
    expect(await leftovers(control)).toEqual([]);
  });
});
