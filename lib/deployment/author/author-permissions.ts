import type { GroupPermissions, PermissionRule } from '../../controllers/group.ts';
import type { Controller } from '../../core/controller.ts';
import { kindId, type ResourceType } from '../../core/resource-type.ts';

/** Condition transitions; a repeated one is read and counted. */
const EVENTS: PermissionRule = {
  apiGroups: ['events.k8s.io'],
  resources: ['events'],
  verbs: ['get', 'create', 'patch'],
};

/** What the controllers of one author's group may do in a cluster: what they declare, and nothing else. */
export function authorPermissions(controllers: readonly Controller[]): GroupPermissions {
  const reconciled = new Rules();
  const watched = new Rules();
  for (const { type, owns, reads, finalizer } of controllers) {
    reconciled.add(type, 'get', ...(finalizer === undefined ? [] : ['patch']));
    reconciled.add({ ...type, plural: `${type.plural}/status` }, 'patch');
    watched.add(type, 'list', 'watch');
    for (const owned of owns) {
      reconciled.add(owned, 'get', 'list', 'create', 'patch', 'delete');
      watched.add(owned, 'list', 'watch');
    }
    for (const { type: read, mode } of reads) {
      reconciled.add(read, 'get', 'list');
      // A polled kind is read by the group itself: its relay needs no right to list it.
      if (mode !== 'poll') watched.add(read, 'list', 'watch');
    }
  }
  return { reconcile: [...reconciled.all(), EVENTS], relay: watched.all() };
}

/** The verbs by kind, in the order in which the kinds were named. */
class Rules {
  readonly #verbs = new Map<string, { readonly type: ResourceType; readonly verbs: Set<string> }>();

  add(type: ResourceType, ...verbs: string[]): void {
    const id = kindId(type);
    const found = this.#verbs.get(id) ?? { type, verbs: new Set<string>() };
    for (const verb of verbs) found.verbs.add(verb);
    this.#verbs.set(id, found);
  }

  all(): PermissionRule[] {
    return [...this.#verbs.values()].map(({ type, verbs }) => ({
      apiGroups: [type.group],
      resources: [type.plural],
      verbs: [...verbs],
    }));
  }
}
