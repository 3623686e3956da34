import { beforeEach, describe, expect, it } from 'vitest';
import { T4ClusterHosts, T4Sessions, T4Workspaces } from '../../../../lib/controllers/t4/kinds.ts';
import { hostSpec, workspaceSpec } from '../objects.ts';
import { conditionsOf, T4Fixture } from '../t4-fixture.ts';

let t4: T4Fixture;
beforeEach(async () => {
  t4 = await T4Fixture.embedded();
  await t4.createStorageClass({ 'cluster.t4.dev/access-modes': 'ReadWriteMany' }, 'WaitForFirstConsumer');
  await t4.createOmp();
  await t4.create(T4ClusterHosts, 'host', { spec: hostSpec('shared') });
});

describe('a session on a class that binds at first use', () => {
  it('R-4.10 session names the class as the cause when its claim is not bound', async () => {
    const workspace = await t4.create(T4Workspaces, 'ws', { spec: workspaceSpec() });
    await t4.pass(T4Workspaces, workspace);
    const session = await t4.createSession();
    await t4.pass(T4Sessions, session);
    const available = conditionsOf(await t4.read(T4Sessions, session)).find(({ type }) => type === 'Available');
    expect(available).toMatchObject({ reason: 'PVCNotBoundRWX' });
    expect(available?.message).toContain('only when a Pod uses it');
  });

  it('R-4.10 session continues when another Pod had its claim bound', async () => {
    await t4.createWorkspace('ws');
    const session = await t4.runningSession();
    expect(await t4.shown(T4Sessions, session)).toMatchObject({ Available: 'True PodReady' });
  });
});
