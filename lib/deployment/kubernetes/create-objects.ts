import { EvenkeelError } from '../../core/errors.ts';
import type { DesiredObject } from '../../core/kube-object.ts';
import {
  apiVersion,
  ConfigMaps,
  Deployments,
  Namespaces,
  type ResourceType,
  Secrets,
  StorageClasses,
} from '../../core/resource-type.ts';
import { type ClusterApi, isApiError } from '../../ports/cluster-api.ts';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const FIELD_MANAGER = 'evenkeel-examples';
const BUILT_IN: readonly ResourceType[] = [Namespaces, StorageClasses, Secrets, ConfigMaps, Deployments];

/** Creates the objects in order. Existing objects stay unchanged. @returns how many were created. */
export async function createObjects(
  api: ClusterApi,
  objects: readonly DesiredObject[],
  definitions: readonly DesiredObject[],
): Promise<number> {
  const types = [...BUILT_IN, ...definitions.flatMap(definedTypes)];
  let created = 0;
  for (const object of objects) {
    const type = types.find((known) => known.kind === object.kind && apiVersion(known) === object.apiVersion);
    if (type === undefined) {
      throw new EvenkeelError(
        'UNKNOWN_KIND',
        `${object.kind} ${object.metadata.name} of ${object.apiVersion} is of a kind that is not known here.`,
      );
    }
    const namespace = object.metadata.namespace ?? 'default';
    const placed = type.namespaced ? { ...object, metadata: { ...object.metadata, namespace } } : object;
    try {
      await api.create(type, withLastApplied(placed), { fieldManager: FIELD_MANAGER });
      created += 1;
    } catch (error) {
      if (!isApiError(error, 'AlreadyExists')) throw error;
    }
  }
  return created;
}

/**
 * Adds the annotation that `kubectl apply` writes, so that a later apply of the file, also after an edit, gives no
 * warning.
 */
function withLastApplied(object: DesiredObject): DesiredObject {
  const annotations = { ...object.metadata.annotations, [LAST_APPLIED]: JSON.stringify(object) };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** The types that a CustomResourceDefinition serves, one for each version. */
function definedTypes(definition: DesiredObject): ResourceType[] {
  const spec = definition.spec as {
    group: string;
    scope: string;
    names: { plural: string; kind: string };
    versions: { name: string }[];
  };
  return spec.versions.map(({ name }) => ({
    group: spec.group,
    version: name,
    plural: spec.names.plural,
    kind: spec.names.kind,
    namespaced: spec.scope === 'Namespaced',
  }));
}
