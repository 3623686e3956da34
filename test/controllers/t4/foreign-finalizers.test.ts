import { describe, expect, it } from 'vitest';
import { T4ClusterHosts, T4Sessions, T4Workspaces } from '../../../lib/controllers/t4/kinds.ts';
import { readConditions } from '../../../lib/core/conditions.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import type { ResourceType } from '../../../lib/core/resource-type.ts';
import { T4Fixture } from './t4-fixture.ts';

const FOREIGN = 'backup.example.com/hold';

/** Adds another owner's finalizer next to ours, deletes the object and runs its passes until it settles. */
async function deleteHeld(fixture: T4Fixture, type: ResourceType, object: KubeObject): Promise<KubeObject> {
  const { finalizers = [] } = (await fixture.read(type, object)).metadata;
  await fixture.edit(type, object, { metadata: { finalizers: [...finalizers, FOREIGN] } });
  await fixture.remove(type, object);
  for (let time = 0; time < 3; time += 1) {
    await fixture.pass(type, object);
    await fixture.world.server.idle();
  }
  return await fixture.read(type, object);
}

function expectTerminating({ status, metadata }: KubeObject, main: string): void {
  expect(metadata.finalizers).toEqual([FOREIGN]);
  const { generation } = metadata;
  expect(status).toMatchObject({ observedGeneration: generation });
  const conditions = readConditions(status);
  expect(conditions.filter((each) => each.status === 'True')).toEqual([]);
  expect(conditions.find(({ type }) => type === main)).toMatchObject({
    status: 'False',
    reason: 'Terminating',
    observedGeneration: generation,
    message: expect.stringContaining(FOREIGN),
  });
}

describe('a deleted object that a finalizer of others holds', () => {
  it.each(['Delete', 'Retain'])(
    'R-1.30 a T4Workspace under %s shows Ready False Terminating and no claim',
    async (retentionPolicy) => {
      const fixture = await T4Fixture.embedded();
      const workspace = await fixture.prepare({ retentionPolicy });
      expect((await fixture.shown(T4Workspaces, workspace)).Ready).toMatch(/^True/);
      const left = await deleteHeld(fixture, T4Workspaces, workspace);
      expectTerminating(left, 'Ready');
      expect(left.status).toMatchObject({ phase: 'Terminating' });
      for (const field of ['pvcName', 'pvcUID', 'pvcPhase', 'capacity']) expect(left.status).not.toHaveProperty(field);
      fixture.forgetRequests();
      await fixture.pass(T4Workspaces, workspace);
      expect(fixture.writes).toEqual([]);
    },
  );

  it('R-1.30 R-4.5 a T4Workspace first names the remaining sessions', async () => {
    const fixture = await T4Fixture.embedded();
    const workspace = await fixture.prepare();
    await fixture.createSession('b');
    await fixture.createSession('a');
    const left = await deleteHeld(fixture, T4Workspaces, workspace);
    const ready = readConditions(left.status).find(({ type }) => type === 'Ready');
    expect(ready).toMatchObject({
      status: 'False',
      reason: 'SessionsRemain',
      observedGeneration: left.metadata.generation,
    });
    expect(ready?.message).toMatch(/2 sessions use the workspace.*\(a, b\)/);
  });

  it('R-1.30 a T4Session shows Available False Terminating and neither Pod nor Service', async () => {
    const fixture = await T4Fixture.embedded();
    await fixture.prepare();
    const session = await fixture.runningSession();
    expect((await fixture.shown(T4Sessions, session)).Available).toMatch(/^True/);
    const left = await deleteHeld(fixture, T4Sessions, session);
    expectTerminating(left, 'Available');
    expect(left.status).toMatchObject({ phase: 'Terminating' });
    for (const field of ['podName', 'serviceName']) expect(left.status).not.toHaveProperty(field);
  });

  it('R-1.30 a T4ClusterHost without a finalizer shows Available False Terminating', async () => {
    const fixture = await T4Fixture.embedded();
    await fixture.prepare();
    const host = await fixture.named(T4ClusterHosts, 'host');
    await fixture.pass(T4ClusterHosts, host);
    expect((await fixture.shown(T4ClusterHosts, host)).Available).toMatch(/^True/);
    expectTerminating(await deleteHeld(fixture, T4ClusterHosts, host), 'Available');
  });
});
