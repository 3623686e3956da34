import { afterEach, describe, expect, it } from 'vitest';
import { Pods, T4ClusterHosts, T4Sessions } from '../../../lib/controllers/t4/kinds.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { kindId, Namespaces } from '../../../lib/core/resource-type.ts';
import { startRelay } from '../../support/start-relay.ts';
import { hostSpec } from './objects.ts';
import { T4Fixture } from './t4-fixture.ts';

let stopRelay: (() => Promise<void>) | undefined;

afterEach(async () => {
  await stopRelay?.();
  stopRelay = undefined;
});

const itemOf = (fixture: T4Fixture, { metadata: { uid } }: KubeObject) =>
  fixture.world.memory.readTarget({ cluster: 'test', kind: kindId(T4Sessions), uid });

/** A Pod with every field of the session's own, written by a user who may create Pods in that namespace. */
async function copyPod(
  { world }: T4Fixture,
  { metadata }: KubeObject,
  changes: { namespace: string; owner?: string },
): Promise<void> {
  const ownerReferences = metadata.ownerReferences?.map((reference) => ({
    ...reference,
    name: changes.owner ?? reference.name,
  }));
  await world.create(Pods, {
    metadata: {
      namespace: changes.namespace,
      name: `${metadata.name}-copy`,
      ...(metadata.labels !== undefined && { labels: metadata.labels }),
      ...(metadata.annotations !== undefined && { annotations: metadata.annotations }),
      ...(ownerReferences !== undefined && { ownerReferences }),
    },
    spec: { containers: [{ name: 'a', image: 'b' }] },
  });
}

describe('a session and the copy of its Pod', () => {
  it.each([
    ['in another namespace', { namespace: 'elsewhere' }],
    ['beside it, with another owner name', { namespace: 'default', owner: 'nobody' }],
    ['in another namespace, with another owner name', { namespace: 'elsewhere', owner: 'nobody' }],
  ])(
    'R-1.28 R-4.3 a session keeps its state and still ends with its profile when a copy of its Pod is %s',
    async (_, changes) => {
      const fixture = await T4Fixture.embedded();
      const { world } = fixture;
      for (const name of ['evenkeel-system', 'elsewhere']) await world.create(Namespaces, { metadata: { name } });
      await fixture.prepare();
      const session = await fixture.runningSession();
      const { pod } = await fixture.childrenOf(session);
      stopRelay = startRelay(world);
      await world.run(5_000);
      const before = await itemOf(fixture, session);
      expect(before).toMatchObject({ target: { namespace: 'default', name: 'session' } });
      expect(before?.edges).not.toEqual([]);

      await copyPod(fixture, pod, changes);
      await world.run(5_000);
      const after = await itemOf(fixture, session);
      expect(after).toMatchObject({ target: before?.target, values: before?.values, edges: before?.edges });
      expect(after?.observedVersion).toBe(before?.observedVersion);
      expect(after?.dueAtMs === undefined).toBe(before?.dueAtMs === undefined);
      expect(world.reports.filter(({ end }) => end === 'forgotten')).toEqual([]);

      const [host] = (await world.user.list(T4ClusterHosts, { namespace: 'default' })).items;
      if (host === undefined) throw new Error('the host is gone');
      await fixture.edit(T4ClusterHosts, host, { spec: hostSpec('shared', { runtimeProfiles: ['large'] }) });
      await world.run(5_000);
      expect(await fixture.podOf(session)).toBeUndefined();
      expect((await fixture.read(T4Sessions, session)).status).toMatchObject({ phase: 'Failed' });
    },
  );
});
