import { describe, expect, it } from 'vitest';
import { PersistentVolumeClaims, Pods, Services, T4Sessions } from '../../../../lib/controllers/t4/kinds.ts';
import type { KubeObject } from '../../../../lib/core/kube-object.ts';
import type { ClusterApi } from '../../../../lib/ports/cluster-api.ts';
import type { StateStore } from '../../../../lib/ports/state-store.ts';
import { interposed } from '../interposed-api.ts';
import { T4Fixture } from '../t4-fixture.ts';

/** One call of a pass to the API server or the table. */
interface Call {
  readonly port: 'api' | 'store';
  readonly method: string;
  readonly plural: string;
  readonly isStatus: boolean;
}

interface Run {
  readonly t4: T4Fixture;
  readonly session: KubeObject;
  readonly calls: Call[];
  /** Pods that were created after the claim was replaced by the foreign one. */
  readonly createdForForeign: number;
}

type When = 'before' | 'after';

/**
 * A pass that will create a Pod, and the claim that appears under the claim's name during it: bound, and of the right
 * class.
 */
interface Scenario {
  readonly what: string;
  readonly retentionPolicy: 'Delete' | 'Retain';
  /** Prepares the session for the pass. */
  prepare(t4: T4Fixture): Promise<KubeObject>;
  /** The foreign claim's metadata, computed from our own claim's. */
  marks(own: KubeObject['metadata']): object;
}

const startsFirst = (t4: T4Fixture) => t4.createSession();
const startsAgain = async (t4: T4Fixture) => {
  const session = await t4.runningSession();
  return await t4.edit(T4Sessions, session, { spec: { runtimeProfile: 'large' } });
};
const nothing = () => ({});
const thoseOfTheOwn = ({ labels, annotations, ownerReferences }: KubeObject['metadata']) => ({
  labels,
  annotations,
  ownerReferences,
});

const SCENARIOS: readonly Scenario[] = [
  { what: 'a first Pod, a claim of nobody', retentionPolicy: 'Delete', prepare: startsFirst, marks: nothing },
  {
    what: 'a first Pod, a claim that looks like the retained one',
    retentionPolicy: 'Retain',
    prepare: startsFirst,
    marks: thoseOfTheOwn,
  },
  {
    what: 'a Pod that is replaced, a claim that names the same owner',
    retentionPolicy: 'Delete',
    prepare: startsAgain,
    marks: thoseOfTheOwn,
  },
];

/** One pass of the session. The claim is replaced before or after one of the pass's calls. */
async function run(scenario: Scenario, at: number, when: When): Promise<Run> {
  const t4 = await T4Fixture.embedded();
  const workspace = await t4.prepare({ retentionPolicy: scenario.retentionPolicy });
  const session = await scenario.prepare(t4);
  const calls: Call[] = [];
  let isForeign = false;
  let createdForForeign = 0;

  const replaceClaim = async () => {
    const claim = await t4.claimOf(workspace);
    if (claim === undefined) throw new Error('no claim');
    await t4.erase(PersistentVolumeClaims, claim);
    const { spec, metadata } = claim;
    const foreign = { metadata: scenario.marks(metadata), spec };
    await t4.bindClaim(await t4.create(PersistentVolumeClaims, metadata.name, foreign));
    isForeign = true;
  };
  const around =
    (port: Call['port']) => async (method: string, args: readonly unknown[], call: () => Promise<unknown>) => {
      const number = calls.length;
      const plural = port === 'api' ? (args[0] as { plural: string }).plural : '';
      const isStatus = (args[3] as { subresource?: string } | undefined)?.subresource === 'status';
      calls.push({ port, method, plural, isStatus });
      if (number === at && when === 'before') await replaceClaim();
      if (port === 'api' && method === 'create' && plural === 'pods' && isForeign) createdForForeign += 1;
      try {
        return await call();
      } finally {
        if (number === at && when === 'after') await replaceClaim();
      }
    };
  const api = interposed<ClusterApi>(t4.world.api, around('api'));
  const store = interposed<StateStore>(t4.world.memory, around('store'));
  await t4.pass(T4Sessions, session, t4.world.worker('worker-1', { clusters: { api: () => api }, store }));
  return { t4, session, calls, createdForForeign };
}

describe.each(SCENARIOS)('a claim that is replaced during the pass that creates a Pod: $what', async (scenario) => {
  const probe = await run(scenario, -1, 'before');
  const creation = probe.calls.findIndex(({ method, plural }) => method === 'create' && plural === 'pods');
  const lastLook = probe.calls.findLastIndex(
    ({ method, plural }, index) => index < creation && method === 'get' && plural === 'persistentvolumeclaims',
  );

  it('R-4.6 the claim is read immediately before the Pod is created, without a call in between', () => {
    expect(creation).toBeGreaterThan(0);
    expect(lastLook).toBe(creation - 1);
    expect(probe.createdForForeign).toBe(0);
  });

  const moments = probe.calls.flatMap((call, at) =>
    (['before', 'after'] as const).map((when) => ({ at, when, what: `${call.port}.${call.method} ${call.plural}` })),
  );
  // Between the response of the last read and the creation of the Pod, no pass can see the change.
  const isWindow = (at: number, when: When) =>
    (at === lastLook && when === 'after') || (at === creation && when === 'before');

  it.each(
    moments.filter(({ at, when }) => at <= creation && !isWindow(at, when) && !(at === creation && when === 'after')),
  )('R-4.6 R-4.7 $when call $at ($what): no Pod is ever created for it', async ({ at, when }) => {
    const { t4, session, createdForForeign } = await run(scenario, at, when);
    expect(createdForForeign).toBe(0);
    expect(await t4.podOf(session)).toBeUndefined();
    expect(await t4.shown(T4Sessions, session)).not.toMatchObject({ WorkspaceReady: 'True WorkspaceVerified' });
  });

  it.each(moments.filter(({ at, when }) => isWindow(at, when)))(
    'R-4.6 R-4.7 the same pass deletes the Pod before it publishes when $when call $at ($what) falls into the remaining window',
    async ({ at, when }) => {
      const { t4, session, createdForForeign, calls } = await run(scenario, at, when);
      expect(createdForForeign).toBe(1);
      expect([await t4.podOf(session), await t4.serviceOf(session)]).toEqual([undefined, undefined]);
      expect(await t4.shown(T4Sessions, session)).toEqual({
        HostReady: 'True HostVerified',
        WorkspaceReady: 'False PVCAuthorityChanged',
        RuntimeConfigured: 'True RuntimeVerified',
        Available: 'False PVCAuthorityChanged',
      });
      expect(calls.filter(({ plural, isStatus }) => plural === 't4sessions' && isStatus)).toHaveLength(1);
    },
  );

  it.each(moments)(
    'R-4.6 R-4.3 session is revoked in the end when the claim is replaced $when call $at ($what)',
    async ({ at, when }) => {
      const { t4, session } = await run(scenario, at, when);
      // The pass that the claim's own event, or the retry, starts.
      await t4.pass(T4Sessions, session);
      expect([await t4.podOf(session), await t4.serviceOf(session)]).toEqual([undefined, undefined]);
      expect(await t4.shown(T4Sessions, session)).toMatchObject({
        WorkspaceReady: 'False PVCIdentityMismatch',
        Available: 'False PVCIdentityMismatch',
      });
      const { items } = await t4.user.list(Pods, { namespace: 'default' });
      expect(items).toEqual([]);
      expect((await t4.user.list(Services, { namespace: 'default' })).items).toEqual([]);
    },
  );
});
