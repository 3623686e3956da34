import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PersistentVolumeClaims, T4ClusterHosts, T4Sessions, T4Workspaces } from '../../../lib/controllers/t4/kinds.ts';
import { ConfigMaps, type ResourceType, Secrets, StorageClasses } from '../../../lib/core/resource-type.ts';
import type { PassRunner } from '../../../lib/engine/pass/pass-runner.ts';
import { ApiError, type ApiErrorReason } from '../../../lib/ports/cluster-api.ts';
import { withCalls } from './interposed-api.ts';
import { HOST, NOT_REACHED, RUNTIME, WORKSPACE } from './session-check-rows.ts';
import { conditionsOf, type T4Fixture } from './t4-fixture.ts';

/** A dependency of a session: the kind, which of its reads fails, and the three prerequisites' conditions then. */
type Dependency = readonly [
  subject: string,
  type: ResourceType,
  look: number,
  shown: (unknown: string) => [string, string, string],
];

const DEPENDENCIES: readonly Dependency[] = [
  ['Host', T4ClusterHosts, 1, (unknown) => [unknown, NOT_REACHED, NOT_REACHED]],
  ['StorageClass', StorageClasses, 1, (unknown) => [unknown, NOT_REACHED, NOT_REACHED]],
  ['Workspace', T4Workspaces, 1, (unknown) => [HOST, unknown, NOT_REACHED]],
  ['PVC', PersistentVolumeClaims, 1, (unknown) => [HOST, unknown, NOT_REACHED]],
  ['PVC', PersistentVolumeClaims, 2, (unknown) => [HOST, unknown, RUNTIME]],
  ['OMPConfigMap', ConfigMaps, 1, (unknown) => [HOST, WORKSPACE, unknown]],
  ['OMPSecret', Secrets, 1, (unknown) => [HOST, WORKSPACE, unknown]],
];
const FAILURES: readonly (readonly [ApiErrorReason, string])[] = [
  ['Forbidden', 'AccessDenied'],
  ['Timeout', 'ReadFailed'],
];

const CASES = DEPENDENCIES.flatMap(([subject, type, look, shown]) =>
  FAILURES.map(([failure, suffix]) => {
    const reason = `${subject}${suffix}`;
    return { failure, type, look, reason, shown: shown(`Unknown ${reason}`), what: `${type.kind}, read ${look}` };
  }),
);

/** Sessions whose dependencies cannot be read, on any API server. */
export function describeUnreadDependencies(
  server: string,
  newFixture: () => Promise<T4Fixture>,
  dispose: (t4: T4Fixture) => Promise<void> = async () => {},
): void {
  describe(`dependencies that cannot be read on ${server}`, () => {
    let t4: T4Fixture;
    beforeEach(async () => {
      t4 = await newFixture();
      await t4.prepare();
    });
    afterEach(async () => {
      await dispose(t4);
    });

    /** A worker for which one read of the kind fails, and every later one of the pass. */
    const failing = ({ type, look, failure }: (typeof CASES)[number]): PassRunner => {
      const { api } = t4.world;
      let looks = 0;
      const get: typeof api.get = async (asked, name, options) => {
        if (asked === type && ++looks >= look) throw new ApiError(failure, 'raw server text');
        return await api.get(asked, name, options);
      };
      return t4.world.worker('failing', { clusters: { api: () => withCalls(api, { get }) } });
    };

    it.each(CASES)(
      'R-4.2 R-1.17 R-1.22 a running session stays as it is and reports $reason when $what: $failure',
      async (row) => {
        const session = await t4.runningSession();
        const children = await t4.childrenOf(session);
        await t4.edit(T4Sessions, session, { spec: { title: 'Another' } });
        t4.forgetRequests();
        expect(await t4.pass(T4Sessions, session, failing(row))).toMatchObject({ outcome: 'retry' });
        expect(t4.writes.filter((write) => !/t4sessions|events/.test(write))).toEqual([]);
        expect(await t4.childrenOf(session)).toEqual(children);
        const now = await t4.read(T4Sessions, session);
        expect(now.status).toMatchObject({
          phase: 'Unknown',
          observedGeneration: 2,
          podName: children.pod.metadata.name,
          serviceName: children.service.metadata.name,
        });
        expect(conditionsOf(now).map(({ observedGeneration }) => observedGeneration)).toEqual([2, 2, 2, 2]);
        expect(Object.values(await t4.shown(T4Sessions, session))).toEqual([...row.shown, `Unknown ${row.reason}`]);
        expect(JSON.stringify(now)).not.toContain('raw server text');

        await t4.pass(T4Sessions, session);
        expect(await t4.shown(T4Sessions, session)).toMatchObject({ Available: 'True PodReady' });
      },
    );

    it.each(CASES)(
      'R-4.2 R-1.17 a new session does not start and reports $reason when $what: $failure',
      async (row) => {
        const session = await t4.createSession();
        t4.forgetRequests();
        expect(await t4.pass(T4Sessions, session, failing(row))).toMatchObject({ outcome: 'retry' });
        expect(t4.writes.filter((write) => /\/(pods|services)/.test(write))).toEqual([]);
        expect(Object.values(await t4.shown(T4Sessions, session))).toEqual([...row.shown, `Unknown ${row.reason}`]);
        expect((await t4.read(T4Sessions, session)).status).toMatchObject({ phase: 'Unknown' });

        await t4.pass(T4Sessions, session);
        expect(await t4.podOf(session)).toBeDefined();
      },
    );
  });
}
