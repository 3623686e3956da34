import type { KubeObject } from '../../core/kube-object.ts';
import { Namespaces } from '../../core/resource-type.ts';
import type { WatchedKind } from '../../engine/registry.ts';
import type { Leftovers } from './invariants/leftovers.ts';
import type { Simulation } from './simulation.ts';
import type { User } from './user.ts';

/** The label that the relay requires for kinds that it watches by label. */
const LABELS = { 'app.kubernetes.io/managed-by': 'evenkeel' };

/**
 * Touches the object that each left-over edge names, so that an event about it arrives. An existing object gets an
 * annotation. An absent one is created and deleted again. For the edge of a list, a new object is created and deleted.
 * @returns the keys of the edges for which that was possible.
 */
export async function touch({ edges }: Leftovers, simulation: Simulation, user: User): Promise<Set<string>> {
  const touched = new Set<string>();
  const kinds = new Map(simulation.registry.watchedKinds().map((kind) => [kind.id, kind]));
  for (const { key } of edges) {
    const [kind = '', namespace = '', edgeName = ''] = key.split('/');
    const watched = kinds.get(kind);
    if (watched === undefined || touched.has(key)) continue;
    const name = edgeName === '*' ? 'touched' : edgeName;
    if (await touchObject(watched, namespace, name, simulation, user)) touched.add(key);
  }
  return touched;
}

async function touchObject(
  { type, labelled }: WatchedKind,
  namespace: string,
  name: string,
  { cluster, scheduler }: Simulation,
  user: User,
): Promise<boolean> {
  if (type.namespaced && cluster.get(Namespaces, { namespace: '', name: namespace }) === undefined) return false;
  const found = cluster.get(type, { namespace, name });
  const annotations = { touched: String(scheduler.now()) };
  if (found !== undefined) {
    await user.edit(type, { namespace, name }, { metadata: { annotations } });
  } else {
    const metadata = { ...(namespace === '' ? {} : { namespace }), name, annotations };
    await user.put(type, { metadata: { ...metadata, ...(labelled ? { labels: LABELS } : {}) } });
  }
  const now = cluster.get(type, { namespace, name });
  if (found === undefined) await user.remove(type, { namespace, name });
  return now?.metadata.annotations?.touched === annotations.touched && (!labelled || isOurs(now));
}

function isOurs({ metadata }: KubeObject): boolean {
  return metadata.labels?.['app.kubernetes.io/managed-by'] === 'evenkeel';
}
