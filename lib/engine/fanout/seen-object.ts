import { MAX_NAME_LENGTH, MAX_UID_LENGTH } from '../../core/event.ts';
import { controllerOwner, type KubeObject, type ObjectMeta } from '../../core/kube-object.ts';
import { kindId } from '../../core/resource-type.ts';
import type { Target } from '../../core/target.ts';
import { cutToCodePoints } from '../../core/text.ts';
import type { UnreadableObject } from '../../ports/cluster-api.ts';
import type { Registry, WatchedKind } from '../registry.ts';
import type { TargetScope } from './target-scope.ts';

export type Change = 'created' | 'updated' | 'deleted';

/** The kept fields of an object that a watch or a list showed: names, version, target and owner. */
export interface SeenObject {
  readonly kind: WatchedKind;
  readonly namespace: string;
  readonly name: string;
  /** Empty for an object that cannot be read; its version is empty too. */
  readonly uid: string;
  readonly resourceVersion: string;
  readonly change: Change;
  /**
   * `selected`: the object is a target of this installation. `unselected`: its kind is reconciled, but its labels or
   * namespace leave it out now; it may have been a target before. `none`: its kind is not reconciled.
   */
  readonly target: 'selected' | 'unselected' | 'none';
  /** The target in its controller owner reference. The author of the object wrote it, so it may be wrong. */
  readonly owner?: Target;
}

/** The inputs for evaluating an object of a watch or a list. */
export interface Viewpoint {
  readonly cluster: string;
  readonly registry: Registry;
  readonly scope: TargetScope;
}

export function seeObject(view: Viewpoint, kind: WatchedKind, object: KubeObject, change: Change): SeenObject {
  const { metadata } = object;
  const owner = ownerTarget(view, kind, metadata);
  return {
    kind,
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    change,
    target: kind.primary ? (view.scope.includes(kind, metadata) ? 'selected' : 'unselected') : 'none',
    ...(owner === undefined ? {} : { owner }),
  };
}

/**
 * An object that cannot be read, for the readers of an object with its name: their next read shows its state. Nothing
 * is known of the object itself, so it is not a target here.
 */
export function seeUnreadable(kind: WatchedKind, { namespace, name }: UnreadableObject): SeenObject {
  return { kind, namespace, name, uid: '', resourceVersion: '', change: 'updated', target: 'none' };
}

function ownerTarget(view: Viewpoint, kind: WatchedKind, metadata: ObjectMeta): Target | undefined {
  const reference = kind.owned ? controllerOwner(metadata) : undefined;
  // The API server accepts any text as a UID in a reference.
  if (reference === undefined || reference.uid === '' || reference.uid.length > MAX_UID_LENGTH) return undefined;
  const controller = view.registry.controllerOfOwner(reference);
  if (controller === undefined) return undefined;
  // A controller owner is in the namespace of its object, or cluster-scoped.
  const namespace = controller.type.namespaced ? (metadata.namespace ?? '') : '';
  if (!view.scope.includesNamespace(namespace)) return undefined;
  return {
    cluster: view.cluster,
    kind: kindId(controller.type),
    uid: reference.uid,
    namespace,
    // An event has a limit for names. The owner is found by its UID, and its address comes from its item.
    name: cutToCodePoints(reference.name, MAX_NAME_LENGTH),
  };
}
