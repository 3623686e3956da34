import { describe, expect, it } from 'vitest';
import { Gateways, ManagedDatabases } from '../../../lib/controllers/control-plane/kinds.ts';
import { readConditions } from '../../../lib/core/conditions.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import type { ResourceType } from '../../../lib/core/resource-type.ts';
import {
  type ControlPlaneWorld,
  controlPlaneWorld,
  passOf,
  runningGateway,
  settle,
  shown,
} from './control-plane-world.ts';

const FOREIGN = 'backup.example.com/hold';

async function deleteHeld(control: ControlPlaneWorld, type: ResourceType, object: KubeObject): Promise<KubeObject> {
  const { world } = control;
  const { finalizers = [] } = (await world.read(type, object)).metadata;
  await world.edit(type, object, { metadata: { finalizers: [...finalizers, FOREIGN] } });
  await world.remove(type, object);
  await settle(control);
  return await world.read(type, object);
}

function expectTerminating({ status, metadata }: KubeObject, gone: readonly string[]): void {
  expect(metadata.finalizers).toEqual([FOREIGN]);
  const { generation } = metadata;
  expect(status).toMatchObject({ observedGeneration: generation, phase: 'Terminating' });
  const conditions = readConditions(status);
  expect(conditions.filter((each) => each.status === 'True')).toEqual([]);
  expect(conditions.find(({ type }) => type === 'Ready')).toMatchObject({
    status: 'False',
    reason: 'Terminating',
    observedGeneration: generation,
    message: expect.stringContaining(FOREIGN),
  });
  for (const field of gone) expect(status).not.toHaveProperty(field);
}

describe('a deleted object that a finalizer of others holds', () => {
  it('R-1.30 a Gateway shows Ready False Terminating, and names no object that is gone', async () => {
    const control = await controlPlaneWorld();
    const { gateway } = await runningGateway(control);
    expect(shown(gateway).Ready).toMatch(/^True/);
    expectTerminating(await deleteHeld(control, Gateways, gateway), ['namespace', 'identity', 'database', 'address']);
    expect((await passOf(control, Gateways, gateway)).writes).toBe(0);
  });

  it('R-1.30 a ManagedDatabase first names the remaining Gateways, and then shows Ready False Terminating', async () => {
    const control = await controlPlaneWorld();
    const { gateway, database } = await runningGateway(control);
    const waiting = await deleteHeld(control, ManagedDatabases, database);
    expect(shown(waiting).Ready).toBe('False GatewaysRemain');
    await control.world.remove(Gateways, gateway);
    await settle(control);
    const left = await control.world.read(ManagedDatabases, database);
    expectTerminating(left, ['namespace', 'cluster']);
    expect((await passOf(control, ManagedDatabases, database)).writes).toBe(0);
  });
});
