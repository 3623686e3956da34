import { controllerOwner, type KubeObject, type ObjectMeta } from '../../core/kube-object.ts';
import { kindId } from '../../core/resource-type.ts';
import type { Target } from '../../core/target.ts';
import type { Registry, WatchedKind } from '../registry.ts';
import type { TargetScope } from './target-scope.ts';

export type Change = 'created' | 'updated' | 'deleted';

/** What is kept of an object that a watch or a list showed: names, version, and whom it concerns. */
export interface SeenObject {
  readonly kind: WatchedKind;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly change: Change;
  /**
   * `selected`: the object is a target of this installation. `unselected`: its kind is, but its labels or namespace leave
   * it out now; it may have been one before. `none`: its kind is not reconciled.
   */
  readonly target: 'selected' | 'unselected' | 'none';
  /** The target that its controller owner reference names: the word of whoever wrote the object, so only a lead. */
  readonly owner?: Target;
}

/** What seeing an object takes. */
export interface Viewpoint {
  readonly cluster: string;
  readonly registry: Registry;
  readonly scope: TargetScope;
}

/** Longer than any UID that the API server gives, and short enough for a key of the table. */
const MAX_UID_LENGTH = 64;

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

function ownerTarget(view: Viewpoint, kind: WatchedKind, metadata: ObjectMeta): Target | undefined {
  const reference = kind.owned ? controllerOwner(metadata) : undefined;
  // The API server takes any text for a UID in a reference.
  if (reference === undefined || reference.uid === '' || reference.uid.length > MAX_UID_LENGTH) return undefined;
  const controller = view.registry.controllerOfOwner(reference);
  if (controller === undefined) return undefined;
  // A controller owner lies in its object's namespace, or in none.
  const namespace = controller.type.namespaced ? (metadata.namespace ?? '') : '';
  if (!view.scope.includesNamespace(namespace)) return undefined;
  return {
    cluster: view.cluster,
    kind: kindId(controller.type),
    uid: reference.uid,
    namespace,
    name: reference.name,
  };
}
