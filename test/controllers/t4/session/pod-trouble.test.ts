import { beforeEach, describe, expect, it } from 'vitest';
import { Pods, Services, T4Sessions } from '../../../../lib/controllers/t4/kinds.ts';
import type { KubeObject } from '../../../../lib/core/kube-object.ts';
import type { ClusterApi } from '../../../../lib/ports/cluster-api.ts';
import { withCalls } from '../interposed-api.ts';
import { conditionsOf, T4Fixture } from '../t4-fixture.ts';

let t4: T4Fixture;
beforeEach(async () => {
  t4 = await T4Fixture.embedded();
  await t4.prepare();
});

async function podOf(session: KubeObject): Promise<KubeObject> {
  return (await t4.childrenOf(session)).pod;
}
const setStatus = async (session: KubeObject, status: object) =>
  await t4.edit(Pods, await podOf(session), { status }, 'status');
const availableOf = async (session: KubeObject) =>
  conditionsOf(await t4.read(T4Sessions, session)).find(({ type }) => type === 'Available');
const phaseOf = async (session: KubeObject) => (await t4.read(T4Sessions, session)).status as { phase: string };

const waiting = (reason: string) => ({
  containerStatuses: [{ name: 'runtime', ready: false, restartCount: 0, state: { waiting: { reason } } }],
});
const NOT_SCHEDULED = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'node text' };

describe('a Pod that does not start', () => {
  it.each([
    ['no node has room', { conditions: [NOT_SCHEDULED] }, 'PodUnschedulable'],
    ['its image is not found', waiting('ErrImagePull'), 'ImageUnavailable'],
    ['its image is waited for again', waiting('ImagePullBackOff'), 'ImageUnavailable'],
    ['its image has no valid name', waiting('InvalidImageName'), 'ImageUnavailable'],
    ['its container crashes in a loop', waiting('CrashLoopBackOff'), 'PodCrashing'],
    ['its container cannot be run', waiting('RunContainerError'), 'PodCrashing'],
    [
      'its container was started again after a crash',
      {
        containerStatuses: [
          { name: 'runtime', ready: false, state: { running: {} }, lastState: { terminated: { exitCode: 1 } } },
        ],
      },
      'PodCrashing',
    ],
    [
      'an init container crashes',
      { initContainerStatuses: waiting('CrashLoopBackOff').containerStatuses },
      'PodCrashing',
    ],
    ['its container is being created', waiting('ContainerCreating'), 'PodNotReady'],
    ['what its container refers to is missing', waiting('CreateContainerConfigError'), 'PodConfigInvalid'],
    [
      'what its init container refers to is missing',
      { initContainerStatuses: waiting('CreateContainerConfigError').containerStatuses },
      'PodConfigInvalid',
    ],
  ])('R-4.11 session reports why it is pending when %s', async (_, status, reason) => {
    const session = await t4.createSession();
    await t4.pass(T4Sessions, session);
    await setStatus(session, { phase: 'Pending', ...status });
    await t4.pass(T4Sessions, session);
    expect(await availableOf(session)).toMatchObject({ status: 'False', reason });
    expect((await availableOf(session))?.message).not.toContain('node text');
    expect(await phaseOf(session)).toMatchObject({ phase: 'Pending' });
    t4.forgetRequests();
    await t4.pass(T4Sessions, session);
    expect(t4.writes).toEqual([]);
  });

  it('R-4.11 session reports what its Pod waits for, without an event, when its node mounts no volume for a minute', async () => {
    const session = await t4.createSession();
    await t4.pass(T4Sessions, session);
    const lastTransitionTime = new Date(t4.world.clock.now()).toISOString();
    const conditions = [{ type: 'PodReadyToStartContainers', status: 'False', lastTransitionTime }];
    await setStatus(session, { phase: 'Pending', conditions, ...waiting('ContainerCreating') });
    await t4.pass(T4Sessions, session);
    expect(await availableOf(session)).toMatchObject({ status: 'False', reason: 'PodNotReady' });
    await t4.world.run(90_000);
    expect(await availableOf(session)).toMatchObject({ status: 'False', reason: 'PodSandboxNotReady' });
    t4.forgetRequests();
    await t4.world.run(600_000);
    expect(t4.writes.filter((write) => !write.includes('/events'))).toEqual([]);
  });

  it.each([
    ['quota', 403, 'pods "a" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1', 'QuotaExceeded', ''],
    [
      'PodSecurity',
      403,
      'pods "a" is forbidden: violates PodSecurity "restricted:latest": x',
      'AdmissionDenied',
      'PodSecurity',
    ],
    [
      'a webhook',
      403,
      'admission webhook "w.example.com" denied the request: leaked',
      'AdmissionDenied',
      'w.example.com',
    ],
    ['a quota that needs a limit', 403, 'pods "a" is forbidden: failed quota: q: must specify x', 'QuotaExceeded', ''],
    ['a webhook', 409, 'admission webhook "w.example.com" denied the request: no', 'AdmissionDenied', 'w.example.com'],
    ['a webhook', 503, 'admission webhook "w.example.com" denied the request: no', 'AdmissionDenied', 'w.example.com'],
    ['a limit range', 403, 'pods "a" is forbidden: maximum cpu usage per Pod is 1', 'AdmissionDenied', 'LimitRange'],
  ])(
    'R-4.11 R-3.11 session reports %s when that refuses its Pod, and retries',
    async (_, status, message, reason, named) => {
      const injected = t4.world.server.inject({
        match: { verb: 'create', resource: 'pods' },
        fault: { status, message },
      });
      const session = await t4.createSession();
      expect(await t4.pass(T4Sessions, session)).toMatchObject({ outcome: 'retry', failures: 1 });
      expect(await availableOf(session)).toMatchObject({ status: 'False', reason });
      expect((await availableOf(session))?.message).toContain(named);
      expect(JSON.stringify([await t4.read(T4Sessions, session), t4.world.logger.lines])).not.toMatch(
        /leaked|used: pods/,
      );
      expect(await phaseOf(session)).toMatchObject({ phase: 'Pending' });
      injected.remove();
      await t4.world.run(10_000);
      expect(await t4.podOf(session)).toBeDefined();
    },
  );
});

describe('a Pod that was evicted or lost its node', () => {
  const disrupted = { type: 'DisruptionTarget', status: 'True', reason: 'DeletionByPodGC' };
  const DISRUPTIONS: [string, object][] = [
    ['it was evicted', { phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' }],
    ['its node shut down', { phase: 'Failed', reason: 'Terminated' }],
    ['its node is gone', { phase: 'Failed', conditions: [disrupted] }],
    ['its node was lost', { phase: 'Unknown', reason: 'NodeLost' }],
    ['its node had no room after all', { phase: 'Failed', reason: 'OutOfcpu' }],
  ];
  it.each(DISRUPTIONS)('R-4.11 session replaces its Pod after a delay when %s', async (_, status) => {
    const session = await t4.runningSession();
    const before = await podOf(session);
    await setStatus(session, { conditions: [], ...status });
    const report = await t4.pass(T4Sessions, session);
    expect(report).toMatchObject({ outcome: 'checkAt' });
    expect(await availableOf(session)).toMatchObject({ status: 'False', reason: 'PodEvicted' });
    // An earlier event causes no replacement.
    await t4.pass(T4Sessions, session);
    expect((await podOf(session)).metadata.uid).toBe(before.metadata.uid);
    await t4.world.run(10_000);
    expect((await podOf(session)).metadata.uid).not.toBe(before.metadata.uid);
  });

  it('R-4.11 R-1.7 session replaces Pods with growing delays when each is evicted at once', async () => {
    const session = await t4.runningSession();
    let bound = 1_000;
    for (let eviction = 1; eviction <= 12; eviction += 1) {
      await setStatus(session, { phase: 'Failed', reason: 'Evicted', conditions: [] });
      const report = await t4.pass(T4Sessions, session);
      const inMs = (report.dueAtMs ?? 0) - t4.world.clock.now();
      expect(inMs).toBeLessThanOrEqual(Math.max(bound, 1_000));
      expect(inMs).toBeGreaterThanOrEqual(bound / 10);
      bound = Math.min(bound * 2, 300_000);
      const evicted = await podOf(session);
      await t4.world.clock.advance(inMs);
      await t4.pass(T4Sessions, session);
      expect((await podOf(session)).metadata.uid).not.toBe(evicted.metadata.uid);
    }
    // A Pod that ran for a long time starts with the shortest delay again.
    await t4.world.clock.advance(3_600_000);
    await setStatus(session, { phase: 'Failed', reason: 'Evicted', conditions: [] });
    const report = await t4.pass(T4Sessions, session);
    expect((report.dueAtMs ?? 0) - t4.world.clock.now()).toBeLessThanOrEqual(1_000);
  });

  it.each([
    ['its container failed for good', { phase: 'Failed' }],
    ['its deadline passed', { phase: 'Failed', reason: 'DeadlineExceeded' }],
  ])('R-4.11 session keeps a failed Pod when %s', async (_, status) => {
    const session = await t4.runningSession();
    const before = await podOf(session);
    await setStatus(session, { conditions: [], ...status });
    await t4.pass(T4Sessions, session);
    await t4.world.run(60_000);
    expect((await podOf(session)).metadata.uid).toBe(before.metadata.uid);
    expect(await availableOf(session)).toMatchObject({ reason: 'PodFailed' });
  });
});

describe('a Pod that stays Terminating', () => {
  const hold = async (session: KubeObject) => {
    const pod = await podOf(session);
    await t4.edit(Pods, pod, { metadata: { finalizers: ['test.example/hold'] } });
    return pod;
  };
  const CAUSES: [string, string, string, (session: KubeObject, pod: KubeObject) => Promise<unknown>][] = [
    [
      'it is replaced',
      'PodNotReady',
      'PodStuckTerminating',
      (session) => t4.edit(T4Sessions, session, { spec: { runtimeProfile: 'large' } }),
    ],
    [
      'its session is revoked',
      'RuntimeProfileNotAllowed',
      'RuntimeProfileNotAllowed',
      (session) => t4.edit(T4Sessions, session, { spec: { runtimeProfile: 'huge' } }),
    ],
    ['its session is deleted', 'Terminating', 'Terminating', (session) => t4.remove(T4Sessions, session)],
    ['its node drains', 'PodNotReady', 'PodStuckTerminating', (_, pod) => t4.remove(Pods, pod)],
  ];
  it.each(CAUSES)(
    'R-4.11 session reports it minutes after the grace period, without an event, when %s',
    async (_, early, late, cause) => {
      const session = await t4.runningSession();
      const pod = await hold(session);
      await cause(session, pod);
      await t4.pass(T4Sessions, session);
      expect(await availableOf(session)).toMatchObject({ reason: early });
      expect((await availableOf(session))?.message).not.toContain('after its grace');
      await t4.world.run(600_000);
      expect(await availableOf(session)).toMatchObject({ reason: late });
      expect((await availableOf(session))?.message).toContain('after its grace');
      t4.forgetRequests();
      await t4.world.run(600_000);
      expect(t4.writes.filter((write) => !write.includes('/events'))).toEqual([]);
    },
  );

  /** Another problem at the same time, and the reason that is reported first. */
  const TROUBLES: [string, string, (session: KubeObject) => Promise<ClusterApi>][] = [
    [
      'its specification slipped past admission',
      'InvalidSpec',
      async () =>
        withCalls(t4.world.api, {
          get: async (type, name, options) => {
            const object = await t4.world.api.get(type, name, options);
            return type === T4Sessions ? { ...object, spec: { ...(object.spec as object), title: '' } } : object;
          },
        }),
    ],
    [
      "somebody else's Service has the name",
      'ResourceOwnershipConflict',
      async (session) => {
        await t4.erase(Services, (await t4.childrenOf(session)).service);
        await t4.createForeign(Services, session);
        await t4.remove(Pods, await podOf(session));
        return t4.world.api;
      },
    ],
    [
      "somebody else's Service has the name of a deleted session's",
      'CleanupOwnershipConflict',
      async (session) => {
        await t4.erase(Services, (await t4.childrenOf(session)).service);
        await t4.createForeign(Services, session);
        await t4.remove(T4Sessions, session);
        return t4.world.api;
      },
    ],
    [
      'its host cannot be read',
      'HostReadFailed',
      async (session) => {
        await t4.remove(Pods, await podOf(session));
        t4.world.server.inject({ match: { verb: 'get', resource: 't4clusterhosts' }, fault: { status: 504 } });
        return t4.world.api;
      },
    ],
    [
      'its Service is refused by a quota',
      'QuotaExceeded',
      async (session) => {
        const { pod, service } = await t4.childrenOf(session);
        await t4.remove(Pods, pod);
        await t4.erase(Services, service);
        const message = 'services "a" is forbidden: exceeded quota: q, requested: services=1, used: services=1';
        t4.world.server.inject({ match: { verb: 'create', resource: 'services' }, fault: { status: 403, message } });
        return t4.world.api;
      },
    ],
  ];
  it.each(TROUBLES)(
    'R-4.11 session reports it minutes after the grace period also when %s',
    async (_, reason, trouble) => {
      const session = await t4.runningSession();
      await hold(session);
      const api = await trouble(session);
      const worker = () => t4.world.worker('w', { clusters: { api: () => api } });
      const report = await t4.pass(T4Sessions, session, worker());
      expect(await availableOf(session)).toMatchObject({ reason });
      const pod = await t4.podOf(session);
      const lateAtMs = Date.parse(pod?.metadata.deletionTimestamp ?? '') + 300_000;
      // Nothing else starts the pass that reports it.
      expect(report.dueAtMs).toBeLessThanOrEqual(lateAtMs);
      await t4.world.clock.advance(lateAtMs - t4.world.clock.now());
      await t4.pass(T4Sessions, session, worker());
      expect(await availableOf(session)).toMatchObject({ reason });
      expect((await availableOf(session))?.message).toContain('after its grace');
    },
  );
});
