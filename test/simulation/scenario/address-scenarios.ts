import { MANAGED_BY_LABEL, MANAGED_BY_VALUE } from '../../../lib/core/installation.ts';
import { ConfigMaps, kindId, Namespaces } from '../../../lib/core/resource-type.ts';
import type { ScenarioRun } from '../../../lib/testing/simulation/scenario-run.ts';
import { TEST_CLUSTER } from '../../../lib/testing/world.ts';
import { Copies } from '../workload/copies.ts';
import { ownerReference } from '../workload/sim-kind.ts';
import { apiCall, type Scenario } from './scenario.ts';

const COPY = { namespace: 'default', name: 'w0' };

async function putCopy({ user }: ScenarioRun): Promise<void> {
  await user.put(Copies, { metadata: COPY, spec: { secret: 's0', size: 1, counts: false } });
}

function liveCopy({ simulation }: ScenarioRun) {
  const copy = simulation.cluster.get(Copies, COPY);
  if (copy === undefined) throw new Error('the copy is not there');
  return copy;
}

/** Writes a copy of an owned object under this name, with this name of the owner. */
async function forgeChild(run: ScenarioRun, namespace: string, owner: string): Promise<void> {
  const copy = liveCopy(run);
  await run.user.put(ConfigMaps, {
    metadata: {
      namespace,
      name: 'forged',
      labels: { [MANAGED_BY_LABEL]: MANAGED_BY_VALUE },
      ownerReferences: [{ ...ownerReference(Copies, copy), name: owner }],
    },
  });
}

/** Sends an event like a relay of the previous release: with the name in an owner reference. */
async function sendForged({ simulation }: ScenarioRun, uid: string, name: string): Promise<void> {
  const kind = kindId(Copies);
  const changed = {
    kind: 'configmaps',
    namespace: 'default',
    name: 'forged',
    uid: 'forged',
    resourceVersion: '999999',
  };
  const event = { v: 1, cluster: TEST_CLUSTER, incarnation: 1, kind, namespace: 'default', name, uid };
  const body = JSON.stringify({ ...event, cause: 'dependency', at: simulation.scheduler.now(), changed });
  await simulation.queues.sim?.resync.send([{ body, messageGroupId: uid, deduplicationId: 'forged' }]);
}

/** Histories in which somebody else's owner reference names an address. */
export const ADDRESS_SCENARIOS: Readonly<Record<string, Scenario>> = {
  'an owned object is copied into another namespace': {
    workload: 'copies',
    async play(run) {
      await putCopy(run);
      await run.rest();
      await run.user.put(Namespaces, { metadata: { name: 'other' } });
      await forgeChild(run, 'other', COPY.name);
      await run.sleep(10_000);
      await forgeChild(run, 'default', 'nobody');
      await run.sleep(10_000);
    },
  },
  'the own event of an object comes while a pass looks for it under a forged name': {
    workload: 'copies',
    async play(run) {
      const own = run.hold(({ process, method, args }) => {
        if (!process.name.startsWith('relay') || method !== 'send') return false;
        return (args[0] as readonly { body: string }[]).some(({ body }) => body.includes('"name":"w0"'));
      });
      await putCopy(run);
      await own.reached;
      const looking = run.hold(apiCall('get', Copies, 'nobody'));
      const { uid } = liveCopy(run).metadata;
      await sendForged(run, uid, 'nobody');
      await looking.reached;
      own.release();
      const item = () => run.simulation.store.contents().targets.find(({ target }) => target.uid === uid);
      await run.until('a mark', () => (item()?.dirty.length ?? 0) > 0);
      looking.release();
    },
  },
};
