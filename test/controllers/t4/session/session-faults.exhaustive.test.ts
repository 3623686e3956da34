import { beforeEach, describe, expect, it } from 'vitest';
import { Services, T4Sessions } from '../../../../lib/controllers/t4/kinds.ts';
import type { KubeObject } from '../../../../lib/core/kube-object.ts';
import { T4Fixture } from '../t4-fixture.ts';

/** What a session reads, by resource; and the name in the reason that tells of it. */
const DEPENDENCIES = [
  ['t4clusterhosts', 'Host'],
  ['t4workspaces', 'Workspace'],
  ['storageclasses', 'StorageClass'],
  ['persistentvolumeclaims', 'PVC'],
  ['configmaps', 'OMPConfigMap'],
  ['secrets', 'OMPSecret'],
] as const;
const CHILDREN = [
  ['pods', 'Pod'],
  ['services', 'Service'],
] as const;

const FAILURES = [
  ['forbidden', { status: 403 }, 'AccessDenied'],
  ['timing out', { status: 504 }, 'ReadFailed'],
  ['throttled', { status: 429, retryAfterSeconds: 3 }, 'ReadFailed'],
  ['answered with half an object', { resetAfterBytes: 20 }, 'ReadFailed'],
  ['answered with a server error', { status: 500, message: 'raw server text' }, 'ReadFailed'],
] as const;

const cases = (kinds: readonly (readonly [string, string])[]) =>
  kinds.flatMap(([resource, subject]) =>
    FAILURES.map(([how, fault, suffix]) => ({ resource, how, fault, reason: `${subject}${suffix}` })),
  );

let t4: T4Fixture;
beforeEach(async () => {
  t4 = await T4Fixture.embedded();
  await t4.prepare();
});

/** Makes the engine's reads of a resource fail, until the answer is called. */
function failing(resource: string, fault: (typeof FAILURES)[number][1]): () => void {
  const injected = t4.world.server.inject({ match: { verb: 'get', resource, userAgent: 'evenkeel' }, fault });
  return () => injected.remove();
}

async function shownOf(session: KubeObject) {
  return await t4.shown(T4Sessions, session);
}

describe('a read that fails', () => {
  it.each(cases(DEPENDENCIES))(
    'R-1.17 R-1.22 R-4.7 a running session stays as it is and shows Unknown when $resource $how',
    async ({ resource, fault, reason }) => {
      const session = await t4.runningSession();
      const children = [await t4.podOf(session), await t4.serviceOf(session)];
      const heal = failing(resource, fault);
      const report = await t4.pass(T4Sessions, session);
      expect(report).toMatchObject({ outcome: 'retry', failures: 1 });
      expect(await shownOf(session)).toMatchObject({ Available: `Unknown ${reason}` });
      const now = await t4.read(T4Sessions, session);
      expect(Object.values(await shownOf(session))).toContain(`Unknown ${reason}`);
      expect(now.status).toMatchObject({
        phase: 'Unknown',
        podName: children[0]?.metadata.name,
        serviceName: children[1]?.metadata.name,
      });
      expect([await t4.podOf(session), await t4.serviceOf(session)]).toEqual(children);
      expect(JSON.stringify([now, t4.world.logger.lines, t4.world.memory.contents()])).not.toContain('raw server text');

      heal();
      // With no event: the backoff brings the next pass.
      await t4.world.run(10_000);
      expect(await shownOf(session)).toMatchObject({ Available: 'True PodReady' });
    },
  );

  it.each(cases(DEPENDENCIES))(
    'R-4.2 R-1.17 a new session does not start when $resource $how',
    async ({ resource, fault, reason }) => {
      const heal = failing(resource, fault);
      const session = await t4.createSession();
      expect(await t4.pass(T4Sessions, session)).toMatchObject({ outcome: 'retry' });
      expect(await shownOf(session)).toMatchObject({ Available: `Unknown ${reason}` });
      expect([await t4.podOf(session), await t4.serviceOf(session)]).toEqual([undefined, undefined]);
      heal();
      await t4.world.run(10_000);
      expect(await t4.podOf(session)).toBeDefined();
    },
  );

  it.each(cases(CHILDREN))(
    'R-1.17 R-4.9 the prerequisites keep their results when $resource $how',
    async ({ resource, fault, reason }) => {
      const session = await t4.runningSession();
      const heal = failing(resource, fault);
      expect(await t4.pass(T4Sessions, session)).toMatchObject({ outcome: 'retry' });
      expect(await shownOf(session)).toEqual({
        HostReady: 'True HostVerified',
        WorkspaceReady: 'True WorkspaceVerified',
        RuntimeConfigured: 'True RuntimeVerified',
        Available: `Unknown ${reason}`,
      });
      const { status } = await t4.read(T4Sessions, session);
      expect(status).toMatchObject({ phase: 'Unknown', podName: expect.anything(), serviceName: expect.anything() });
      heal();
      await t4.world.run(10_000);
      expect(await shownOf(session)).toMatchObject({ Available: 'True PodReady' });
    },
  );

  it.each(cases(CHILDREN))(
    'R-4.3 R-1.17 a revocation is reported at once, deletes nothing, and ends later when $resource $how',
    async ({ resource, fault }) => {
      const session = await t4.runningSession();
      await t4.edit(T4Sessions, session, { spec: { runtimeProfile: 'huge' } });
      const heal = failing(resource, fault);
      expect(await t4.pass(T4Sessions, session)).toMatchObject({ outcome: 'retry' });
      expect(await shownOf(session)).toMatchObject({ Available: 'False RuntimeProfileNotAllowed' });
      expect([await t4.podOf(session), await t4.serviceOf(session)]).not.toContain(undefined);
      const { status } = await t4.read(T4Sessions, session);
      expect(status).toMatchObject({ podName: expect.anything(), serviceName: expect.anything() });

      heal();
      await t4.world.run(10_000);
      expect([await t4.podOf(session), await t4.serviceOf(session)]).toEqual([undefined, undefined]);
      expect((await t4.read(T4Sessions, session)).status).not.toHaveProperty('podName');
    },
  );

  it.each(
    cases(
      DEPENDENCIES.filter(([resource]) =>
        ['t4workspaces', 'storageclasses', 'persistentvolumeclaims'].includes(resource),
      ),
    ),
  )(
    'R-4.2 R-1.17 session reports an earlier failed check, deletes nothing, and deletes later, when $resource $how',
    async ({ resource, fault }) => {
      const session = await t4.runningSession();
      await t4.edit(T4Sessions, session, { spec: { runtimeProfile: 'huge' } });
      const heal = failing(resource, fault);
      expect(await t4.pass(T4Sessions, session)).toMatchObject({ outcome: 'retry' });
      expect(await shownOf(session)).toMatchObject({
        HostReady: 'False RuntimeProfileNotAllowed',
        WorkspaceReady: 'Unknown NotEvaluated',
        Available: 'False RuntimeProfileNotAllowed',
      });
      expect(t4.requests.filter(({ method }) => method === 'DELETE')).toEqual([]);
      heal();
      await t4.world.run(10_000);
      expect([await t4.podOf(session), await t4.serviceOf(session)]).toEqual([undefined, undefined]);
    },
  );

  it('R-1.17 a revocation leaves the Service to the next pass when the end of the Pod cannot be confirmed', async () => {
    const session = await t4.runningSession();
    await t4.edit(T4Sessions, session, { spec: { runtimeProfile: 'huge' } });
    let reads = 0;
    const injected = t4.world.server.inject({
      // The read after the deletion, and its repetition.
      match: ({ verb, resource, userAgent }) =>
        verb === 'get' && resource === 'pods' && userAgent === 'evenkeel' && ++reads > 1,
      fault: { status: 504 },
    });
    expect(await t4.pass(T4Sessions, session)).toMatchObject({ outcome: 'retry' });
    expect([await t4.podOf(session), (await t4.serviceOf(session)) === undefined]).toEqual([undefined, false]);
    injected.remove();
    await t4.world.run(10_000);
    expect(await t4.serviceOf(session)).toBeUndefined();
  });
});

describe('a write that fails', () => {
  it.each([
    ['pods', 403, 'AccessDenied'],
    ['services', 403, 'AccessDenied'],
    ['pods', 500, 'PodWriteFailed'],
    ['services', 500, 'ServiceWriteFailed'],
  ])(
    'R-1.7 R-3.11 session reports and retries a creation of %s when the answer is %i',
    async (resource, status, reason) => {
      const injected = t4.world.server.inject({
        match: { verb: 'create', resource, userAgent: 'evenkeel' },
        fault: { status },
      });
      const session = await t4.createSession();
      expect(await t4.pass(T4Sessions, session)).toMatchObject({ outcome: 'retry' });
      expect(await shownOf(session)).toMatchObject({
        RuntimeConfigured: 'True RuntimeVerified',
        Available: `Unknown ${reason}`,
      });
      // A Pod that nothing leads to is not started.
      expect(await t4.podOf(session)).toBeUndefined();
      injected.remove();
      await t4.world.run(10_000);
      expect(await t4.podOf(session)).toBeDefined();
      expect(await t4.serviceOf(session)).toBeDefined();
    },
  );

  it.each(['pods', 'services'])(
    'R-5.6 session recognizes its own %s when the answer to the creation was lost',
    async (resource) => {
      t4.world.server.inject({
        match: { verb: 'create', resource, userAgent: 'evenkeel' },
        fault: { dropResponse: true },
        times: 1,
      });
      const session = await t4.createSession();
      await t4.pass(T4Sessions, session);
      await t4.world.run(10_000);
      expect(await t4.podOf(session)).toBeDefined();
      expect(await t4.serviceOf(session)).toBeDefined();
      expect(await shownOf(session)).toMatchObject({ Available: 'False PodNotReady' });
    },
  );

  it.each(['pods', 'services'])(
    'R-4.3 R-1.12 session leaves a deletion of %s to the next pass when it conflicts, and reports a refusal at once',
    async (resource) => {
      const session = await t4.runningSession();
      await t4.edit(T4Sessions, session, { spec: { runtimeProfile: 'huge' } });
      t4.world.server.inject({
        match: { verb: 'delete', resource, userAgent: 'evenkeel' },
        fault: { status: 409 },
        times: 1,
      });
      expect(await t4.pass(T4Sessions, session)).toMatchObject({ outcome: 'retry' });
      expect(await shownOf(session)).toMatchObject({ Available: 'False RuntimeProfileNotAllowed' });
      await t4.world.run(10_000);
      expect([await t4.podOf(session), await t4.serviceOf(session)]).toEqual([undefined, undefined]);
    },
  );

  it('R-1.12 session publishes nothing when a repair conflicts, and the next pass reads again', async () => {
    const session = await t4.runningSession();
    const service = await t4.serviceOf(session);
    if (service === undefined) throw new Error('no Service');
    await t4.edit(Services, service, { spec: { selector: { extra: 'x' } } });
    t4.world.server.inject({
      match: { verb: 'patch', resource: 'services', userAgent: 'evenkeel' },
      fault: { status: 409 },
      times: 1,
    });
    const before = await t4.read(T4Sessions, session);
    expect(await t4.pass(T4Sessions, session)).toMatchObject({ outcome: 'retry', reason: 'ApiConflict' });
    expect(await t4.read(T4Sessions, session)).toEqual(before);
    await t4.world.run(10_000);
    expect((await t4.serviceOf(session))?.spec).not.toMatchObject({ selector: { extra: 'x' } });
  });
});
