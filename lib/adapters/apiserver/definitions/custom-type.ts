import { type JsonObject, objectAt, objectsAt, stringAt, stringsAt } from '../json.ts';
import type { ResourceType, Strategy, Subresource, TypeVersion } from '../kinds/resource-type.ts';
import { customColumns } from './custom-columns.ts';

/** The resource type that a valid CustomResourceDefinition defines. */
export function customType(crd: JsonObject): ResourceType {
  const spec = objectAt(crd, 'spec') ?? {};
  const names = objectAt(spec, 'names') ?? {};
  const group = stringAt(spec, 'group');
  const resource = stringAt(names, 'plural');
  const kind = stringAt(names, 'kind');
  const crdVersions = objectsAt(spec, 'versions');
  const versions = crdVersions.map((each) => customVersion(group, each));
  const storageIndex = Math.max(
    0,
    crdVersions.findIndex((each) => each.storage === true),
  );
  const storageVersion = versions[storageIndex];
  if (storageVersion === undefined)
    throw new Error(`the CustomResourceDefinition of ${resource}.${group} has no version`);
  const hasStatus = crdVersions.some((each) => objectAt(objectAt(each, 'subresources'), 'status') !== undefined);
  return {
    group,
    resource,
    kind,
    singular: stringAt(names, 'singular') || kind.toLowerCase(),
    listKind: stringAt(names, 'listKind') || `${kind}List`,
    shortNames: stringsAt(names, 'shortNames'),
    categories: stringsAt(names, 'categories'),
    scope: stringAt(spec, 'scope') === 'Cluster' ? 'Cluster' : 'Namespaced',
    versions,
    storageVersion,
    subresources: new Set<Subresource>(hasStatus ? ['status'] : []),
    strategy: customStrategy(hasStatus),
    collection: `${resource}.${group}`,
    custom: true,
    selectableFields: new Map(),
    terminating: objectAt(crd, 'metadata')?.deletionTimestamp !== undefined,
  };
}

function customVersion(group: string, crdVersion: JsonObject): TypeVersion {
  const name = stringAt(crdVersion, 'name');
  return {
    name,
    apiVersion: `${group}/${name}`,
    served: crdVersion.served === true,
    columns: customColumns(crdVersion),
  };
}

function customStrategy(hasStatus: boolean): Strategy {
  return {
    names: 'subdomain',
    unconditionalUpdate: false,
    generation: true,
    statusSubresource: hasStatus,
    prepareForCreate(object) {
      if (hasStatus) delete object.status;
    },
  };
}
