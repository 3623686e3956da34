import type { Controller } from '../../../lib/core/controller.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { settled } from '../../../lib/core/outcome.ts';
import { ConfigMaps } from '../../../lib/core/resource-type.ts';
import type { User } from '../../../lib/testing/simulation/user.ts';
import type { ClusterView, Fault, Workload } from '../../../lib/testing/simulation/workload.ts';
import { definitionOf, simKind, specOf } from './sim-kind.ts';

/**
 * Many Readers read one ConfigMap, which somebody edits faster than passes can follow. The number of waiting messages
 * must not grow with the edits.
 */
export const Readers = simKind('Reader');
const NAMESPACE = 'default';
const SHARED = { namespace: NAMESPACE, name: 'shared' } as const;
const OTHER = { namespace: NAMESPACE, name: 'other' } as const;
const NAMES = ['g0', 'g1', 'g2', 'g3', 'g4', 'g5', 'g6', 'g7'] as const;
const MOST_EDITS = 30;

interface ReaderSpec {
  readonly from: string;
}

const controller: Controller = {
  name: 'reader',
  group: 'sim',
  type: Readers,
  owns: [],
  reads: [{ type: ConfigMaps, mode: 'watch' }],
  version: '1',
  async reconcile(reader, context) {
    const { from } = specOf<ReaderSpec>(reader);
    const read = await context.get(ConfigMaps, { namespace: NAMESPACE, name: from });
    return { outcome: settled(), status: { from, value: contentOf(read) } };
  },
};

function contentOf(shared: KubeObject | undefined): string {
  return (shared?.data as { value?: string } | undefined)?.value ?? 'absent';
}

function check(cluster: ClusterView): Fault[] {
  return cluster.list(Readers).flatMap((reader) => {
    const { from } = specOf<ReaderSpec>(reader);
    const { name } = reader.metadata;
    const status = (reader.status ?? {}) as { from?: string; value?: string };
    const value = contentOf(cluster.get(ConfigMaps, { namespace: NAMESPACE, name: from }));
    if (status.from === from && status.value === value) return [];
    return [`reader ${name} says ${JSON.stringify(status)}, and ${from} is ${value}`];
  });
}

const edit = (user: User) => user.put(ConfigMaps, { metadata: SHARED, data: { value: String(user.number(1_000)) } });
const from = (user: User) => (user.chance(0.8) ? SHARED.name : OTHER.name);
const readerNamed = (user: User) => ({ namespace: NAMESPACE, name: user.pick(NAMES) });

export function crowds(): Workload {
  return {
    controllers: [controller],
    definitions: [definitionOf(Readers)],
    namespaces: [NAMESPACE],
    crowd: true,
    prepare: async (user) => {
      await edit(user);
      for (const name of NAMES)
        await user.put(Readers, { metadata: { namespace: NAMESPACE, name }, spec: { from: SHARED.name } });
    },
    actions: {
      'edits the shared object': edit,
      'edits the shared object many times': async (user) => {
        for (let left = user.number(MOST_EDITS); left >= 0; left -= 1) await edit(user);
      },
      'deletes the shared object': (user) => user.remove(ConfigMaps, SHARED),
      'edits another object': (user) =>
        user.put(ConfigMaps, { metadata: OTHER, data: { value: String(user.number(1_000)) } }),
      'writes a reader': (user) => user.put(Readers, { metadata: readerNamed(user), spec: { from: from(user) } }),
      'changes a reader': (user) => user.edit(Readers, readerNamed(user), { spec: { from: from(user) } }),
      'deletes a reader': (user) => user.remove(Readers, readerNamed(user)),
    },
    lastChange: edit,
    check,
  };
}
