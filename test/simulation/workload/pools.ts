import type { Controller, ReconcileResult } from '../../../lib/core/controller.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { settled } from '../../../lib/core/outcome.ts';
import type { ReconcileContext } from '../../../lib/core/reconcile-context.ts';
import type { User } from '../../../lib/testing/simulation/user.ts';
import type { ClusterView, Fault, Workload } from '../../../lib/testing/simulation/workload.ts';
import { definitionOf, isOwnedBy, ownerReference, simKind, specOf } from './sim-kind.ts';

/**
 * A Pool owns a number of Members. It knows the present ones only from a list: it deletes surplus ones and creates
 * missing ones.
 */
const Pools = simKind('Pool');
const Members = simKind('Member');
const NAMESPACE = 'default';
const NAMES = ['q0', 'q1'] as const;
const LARGEST = 4;

interface PoolSpec {
  readonly size: number;
}

const controller: Controller = {
  name: 'pool',
  group: 'sim',
  type: Pools,
  owns: [Members],
  // All Members, including those of others, because their names are taken.
  reads: [{ type: Members, mode: 'watch', listsAllNamespaces: true }],
  version: '1',
  reconcile,
};

const memberName = ({ metadata }: KubeObject, number: number) => `${metadata.name}-${number}`;
const wantedNames = (pool: KubeObject) =>
  Array.from({ length: specOf<PoolSpec>(pool).size }, (_, number) => memberName(pool, number));

async function reconcile(pool: KubeObject, context: ReconcileContext): Promise<ReconcileResult> {
  const listed = await context.list(Members, { namespace: '' });
  const wanted = wantedNames(pool);
  for (const member of listed) {
    if (isOwnedBy(member, pool) && !wanted.includes(member.metadata.name)) await context.delete(Members, member);
  }
  for (const name of wanted) {
    // A Member of somebody else keeps its name, so the pool stays incomplete.
    if (listed.some(({ metadata }) => metadata.name === name)) continue;
    const metadata = { namespace: NAMESPACE, name, ownerReferences: [ownerReference(Pools, pool)] };
    await context.create(Members, { apiVersion: 'sim.evenkeel.dev/v1', kind: Members.kind, metadata });
  }
  return { outcome: settled(), status: { generation: pool.metadata.generation ?? 0, size: wanted.length } };
}

function check(cluster: ClusterView): Fault[] {
  const faults: Fault[] = [];
  const pools = cluster.list(Pools);
  const all = cluster.list(Members);
  for (const pool of pools) {
    const { name, generation } = pool.metadata;
    const names = all.filter((member) => isOwnedBy(member, pool)).map(({ metadata }) => metadata.name);
    const taken = all.filter((member) => !isOwnedBy(member, pool)).map(({ metadata }) => metadata.name);
    const wanted = wantedNames(pool).filter((wantedName) => !taken.includes(wantedName));
    if (names.sort().join() !== wanted.sort().join())
      faults.push(`pool ${name} has the members ${names.join()} instead of ${wanted.join()}`);
    const seen = (pool.status as { generation?: number } | undefined)?.generation;
    if (seen !== generation) faults.push(`pool ${name} speaks of generation ${seen} instead of ${generation}`);
  }
  for (const { metadata } of all) {
    const owner = metadata.ownerReferences?.[0]?.uid;
    if (owner !== undefined && !pools.some((pool) => pool.metadata.uid === owner))
      faults.push(`member ${metadata.name} is left of a pool that is gone`);
  }
  return faults;
}

const poolNamed = (user: User) => ({ namespace: NAMESPACE, name: user.pick(NAMES) });
const spec = (user: User) => ({ size: user.number(LARGEST + 1) });
const member = (user: User) => ({ namespace: NAMESPACE, name: `${user.pick(NAMES)}-${user.number(LARGEST)}` });

export function pools(): Workload {
  return {
    controllers: [controller],
    definitions: [definitionOf(Pools), definitionOf(Members)],
    namespaces: [NAMESPACE],
    actions: {
      'writes a pool': (user) => user.put(Pools, { metadata: poolNamed(user), spec: spec(user) }),
      'resizes a pool': (user) => user.edit(Pools, poolNamed(user), { spec: spec(user) }),
      'deletes a pool': (user) => user.remove(Pools, poolNamed(user)),
      'deletes a member': (user) => user.remove(Members, member(user)),
      'edits a member': (user) =>
        user.edit(Members, member(user), { metadata: { labels: { edited: String(user.number(9)) } } }),
    },
    namesAreTaken: true,
    check,
  };
}
