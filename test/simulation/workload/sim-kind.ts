import type { KubeObject, OwnerReference } from '../../../lib/core/kube-object.ts';
import { apiVersion, type ResourceType } from '../../../lib/core/resource-type.ts';

const GROUP = 'sim.evenkeel.dev';

/** A kind of the simulated workloads. */
export function simKind(kind: string): ResourceType {
  return { group: GROUP, version: 'v1', plural: `${kind.toLowerCase()}s`, kind, namespaced: true };
}

/** Its CRD, which accepts any spec and status. */
export function definitionOf({ plural, kind }: ResourceType): object {
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: open, status: open } } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [{ name: 'v1', served: true, storage: true, subresources: { status: {} }, schema }],
    },
  };
}

/** The spec of an object, in the form of the workload's own users. */
export function specOf<Spec>(object: KubeObject): Spec {
  return object.spec as Spec;
}

export function ownerReference(type: ResourceType, { metadata }: KubeObject): OwnerReference {
  return { apiVersion: apiVersion(type), kind: type.kind, name: metadata.name, uid: metadata.uid, controller: true };
}

export function isOwnedBy(object: KubeObject, owner: KubeObject): boolean {
  return (object.metadata.ownerReferences ?? []).some(
    ({ uid, controller }) => controller === true && uid === owner.metadata.uid,
  );
}
