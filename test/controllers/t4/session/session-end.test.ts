import { beforeEach, describe, expect, it } from 'vitest';
import { Pods, Services, T4Sessions } from '../../../../lib/controllers/t4/kinds.ts';
import type { KubeObject } from '../../../../lib/core/kube-object.ts';
import { T4Fixture } from '../t4-fixture.ts';

let t4: T4Fixture;
beforeEach(async () => {
  t4 = await T4Fixture.embedded();
  await t4.prepare();
});

/** The time at which a terminating Pod is late. No event reports it. */
async function lateAtMs(session: KubeObject): Promise<number> {
  return Date.parse((await t4.podOf(session))?.metadata.deletionTimestamp ?? '') + 300_000;
}

describe('revocation', () => {
  it('R-4.3 revocation removes the names from the status at once, and the end of the Pod changes nothing more', async () => {
    t4.world.server.controllers.switchOn('pods');
    const session = await t4.createSession();
    await t4.pass(T4Sessions, session);
    await t4.world.server.idle();
    t4.world.server.controllers.switchOff('pods');
    await t4.edit(T4Sessions, session, { spec: { runtimeProfile: 'huge' } });
    const whileItRunsDown = await t4.pass(T4Sessions, session);
    expect(whileItRunsDown).toMatchObject({ outcome: 'checkAt', dueAtMs: await lateAtMs(session) });
    const revoked = await t4.read(T4Sessions, session);
    expect(revoked.status).not.toHaveProperty('podName');
    expect(revoked.status).not.toHaveProperty('serviceName');
    t4.world.server.controllers.switchOn('pods');
    await t4.world.server.idle();
    t4.forgetRequests();
    expect(await t4.pass(T4Sessions, session)).toMatchObject({ outcome: 'settled', dueAtMs: undefined });
    expect(t4.writes).toEqual([]);
    expect(await t4.read(T4Sessions, session)).toEqual(revoked);
  });

  it('R-4.3 session starts again when its checks succeed again', async () => {
    const session = await t4.runningSession();
    await t4.edit(T4Sessions, session, { spec: { runtimeProfile: 'huge' } });
    await t4.pass(T4Sessions, session);
    await t4.edit(T4Sessions, session, { spec: { runtimeProfile: 'small' } });
    await t4.pass(T4Sessions, session);
    await t4.ready(session);
    await t4.pass(T4Sessions, session);
    expect(await t4.shown(T4Sessions, session)).toMatchObject({ Available: 'True PodReady' });
  });

  it('R-4.3 R-1.18 revocation deletes with the UID and the version that were evaluated', async () => {
    const session = await t4.runningSession();
    const { pod, service } = await t4.childrenOf(session);
    await t4.edit(T4Sessions, session, { spec: { runtimeProfile: 'huge' } });
    await t4.pass(T4Sessions, session);
    const deletions = t4.requests.filter(({ method }) => method === 'DELETE');
    expect(deletions.map(({ body }) => (JSON.parse(body ?? '{}') as { preconditions: object }).preconditions)).toEqual(
      [pod, service].map(({ metadata: { uid, resourceVersion } }) => ({ uid, resourceVersion })),
    );
  });
});

describe('the end of a session', () => {
  it('R-1.15 R-1.18 the deletion of a session removes Pod and Service first, then the session', async () => {
    const session = await t4.runningSession();
    await t4.remove(T4Sessions, session);
    await t4.pass(T4Sessions, session);
    expect([await t4.podOf(session), await t4.serviceOf(session)]).toEqual([undefined, undefined]);
    expect(await t4.find(T4Sessions, 'session')).toBeUndefined();
  });

  it('R-1.15 session stays until its terminating Pod is gone', async () => {
    t4.world.server.controllers.switchOn('pods');
    const session = await t4.createSession();
    await t4.pass(T4Sessions, session);
    await t4.world.server.idle();
    t4.world.server.controllers.switchOff('pods');
    await t4.remove(T4Sessions, session);
    const whileItRunsDown = await t4.pass(T4Sessions, session);
    expect(whileItRunsDown).toMatchObject({ outcome: 'checkAt', dueAtMs: await lateAtMs(session) });
    expect(await t4.shown(T4Sessions, session)).toEqual({
      HostReady: 'Unknown NotEvaluated',
      WorkspaceReady: 'Unknown NotEvaluated',
      RuntimeConfigured: 'Unknown NotEvaluated',
      Available: 'False Terminating',
    });
    expect((await t4.read(T4Sessions, session)).status).toMatchObject({ phase: 'Terminating' });
    t4.forgetRequests();
    await t4.pass(T4Sessions, session);
    expect(t4.writes).toEqual([]);
    t4.world.server.controllers.switchOn('pods');
    await t4.world.server.idle();
    await t4.pass(T4Sessions, session);
    expect(await t4.find(T4Sessions, 'session')).toBeUndefined();
  });

  it.each([
    ['Pod', Pods],
    ['Service', Services],
  ])('R-1.15 R-1.21 session stays until a foreign %s is gone', async (_, type) => {
    const session = await t4.createSession();
    const foreign = await t4.createForeign(type, session);
    await t4.pass(T4Sessions, session);
    await t4.remove(T4Sessions, session);
    expect(await t4.pass(T4Sessions, session)).toMatchObject({ outcome: 'settled' });
    expect(await t4.shown(T4Sessions, session)).toMatchObject({ Available: 'False CleanupOwnershipConflict' });
    expect(await t4.read(type, foreign)).toEqual(foreign);
    await t4.remove(type, foreign);
    await t4.world.run(70_000);
    expect(await t4.find(T4Sessions, 'session')).toBeUndefined();
  });

  it.each(['pods', 'services'])('R-1.17 a deletion completes nothing when a read of %s fails', async (resource) => {
    const session = await t4.runningSession();
    await t4.remove(T4Sessions, session);
    const injected = t4.world.server.inject({
      match: { verb: 'get', resource, userAgent: 'evenkeel' },
      fault: { status: 504 },
    });
    expect(await t4.pass(T4Sessions, session)).toMatchObject({ outcome: 'retry' });
    expect(await t4.shown(T4Sessions, session)).toMatchObject({
      Available: expect.stringMatching(/^Unknown .*ReadFailed$/),
    });
    injected.remove();
    await t4.world.run(10_000);
    expect(await t4.find(T4Sessions, 'session')).toBeUndefined();
  });

  it('R-1.11 session has its own children when it was created again under the same name', async () => {
    const first = await t4.runningSession();
    const before = await t4.childrenOf(first);
    await t4.erase(T4Sessions, first);
    const second = await t4.runningSession();
    const after = await t4.childrenOf(second);
    expect(after.pod.metadata.name).not.toBe(before.pod.metadata.name);
    expect(await t4.podOf(first)).toBeUndefined();
  });
});
