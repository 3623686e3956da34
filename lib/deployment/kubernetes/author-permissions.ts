import type { AdditionalPermissions, GroupPermissions, PermissionRule } from '../../controllers/group.ts';
import type { Controller } from '../../core/controller.ts';
import { kindId, type ResourceType } from '../../core/resource-type.ts';

/** The verbs of one identity, by kind. */
type Verbs = Map<string, { readonly type: ResourceType; readonly subresource: string; readonly verbs: Set<string> }>;

const VERBS = ['get', 'list', 'watch', 'create', 'patch', 'delete'];

const EVENTS: PermissionRule = {
  why: 'Condition transitions; a repeated one is read and counted.',
  apiGroups: ['events.k8s.io'],
  resources: ['events'],
  verbs: ['get', 'create', 'patch'],
};

/**
 * The permissions that controllers need in a cluster, from their `type`, `owns`, `reads` and `finalizer`.
 * Cluster-scoped kinds are in a separate set, which is bound for the whole cluster.
 */
export function declaredPermissions(controllers: readonly Controller[]): GroupPermissions {
  const reconcile: Verbs = new Map();
  const relay: Verbs = new Map();
  for (const { type, finalizer, owns, reads } of controllers) {
    add(reconcile, type, 'get', ...(finalizer === undefined ? [] : ['patch']));
    add(reconcile, type, '/status', 'patch');
    add(relay, type, 'list', 'watch');
    for (const owned of owns) {
      add(reconcile, owned, 'get', 'list', 'create', 'patch', 'delete');
      add(relay, owned, 'list', 'watch');
    }
    for (const read of reads) {
      const isPolled = read.mode === 'poll';
      add(reconcile, read.type, 'get', ...(isPolled || read.lists === false ? [] : ['list']));
      if (!isPolled) add(relay, read.type, 'list', 'watch');
    }
  }
  const additional = clusterSet(reconcile, relay);
  return {
    reconcile: [...rules(reconcile, true), EVENTS],
    relay: rules(relay, true),
    ...(additional !== undefined && { additional: [additional] }),
  };
}

function clusterSet(reconcile: Verbs, relay: Verbs): AdditionalPermissions | undefined {
  const set = { name: 'cluster', reconcile: rules(reconcile, false), relay: rules(relay, false) };
  if (set.reconcile.length === 0) return undefined;
  return { ...set, about: 'Kinds that are in no namespace: bound for the whole cluster in every installation.' };
}

function add(known: Verbs, type: ResourceType, ...words: readonly string[]): void {
  const subresource = words.find((word) => word.startsWith('/')) ?? '';
  const key = `${kindId(type)}${subresource}`;
  const entry = known.get(key) ?? { type, subresource, verbs: new Set<string>() };
  known.set(key, entry);
  for (const word of words) if (word !== subresource) entry.verbs.add(word);
}

/** One rule for all kinds of an API group with the same verbs; sorted. */
function rules(known: Verbs, namespaced: boolean): PermissionRule[] {
  const byRule = new Map<string, { readonly group: string; readonly verbs: string[]; readonly resources: string[] }>();
  const ofScope = [...known.values()].filter(({ type }) => type.namespaced === namespaced);
  for (const { type, subresource, verbs } of ofScope) {
    const sorted = VERBS.filter((verb) => verbs.has(verb));
    const key = `${type.group} ${sorted.join()}`;
    const rule = byRule.get(key) ?? { group: type.group, verbs: sorted, resources: [] };
    byRule.set(key, rule);
    rule.resources.push(`${type.plural}${subresource}`);
  }
  return [...byRule]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([, { group, verbs, resources }]) => ({ apiGroups: [group], resources: resources.sort(), verbs }));
}
