import { type JsonObject, objectAt, objectsAt, stringAt, stringsAt } from '../json.ts';
import { scaleSubresource } from '../scale/scale.ts';
import { type CompiledSchema, compileSchema } from '../schema/schema.ts';
import type { ResourceType, ScalePaths, Strategy, Subresource, TypeVersion } from '../state/resource-type.ts';
import { customColumns } from './custom-columns.ts';

/** Stored objects never change, and servers that start from one backup share them. */
const COMPILED = new WeakMap<JsonObject, CompiledSchema>();

interface CustomVersion extends TypeVersion {
  readonly schema: CompiledSchema;
}

/** The resource type that a valid CustomResourceDefinition defines. */
export function customType(crd: JsonObject): ResourceType {
  const spec = objectAt(crd, 'spec') ?? {};
  const names = objectAt(spec, 'names') ?? {};
  const group = stringAt(spec, 'group');
  const resource = stringAt(names, 'plural');
  const kind = stringAt(names, 'kind');
  const crdVersions = objectsAt(spec, 'versions');
  const versions = crdVersions.map((each) => customVersion(group, each));
  const storageVersion = versions[crdVersions.findIndex((each) => each.storage === true)];
  if (storageVersion === undefined) {
    throw new Error(`the CustomResourceDefinition ${resource}.${group} has no storage version`);
  }
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
    strategy: customStrategy(hasStatus, versions),
    collection: `${resource}.${group}`,
    custom: true,
    selectableFields: new Map(crdVersions.flatMap(selectableFields)),
    terminating: objectAt(crd, 'metadata')?.deletionTimestamp !== undefined,
  };
}

function customVersion(group: string, crdVersion: JsonObject): CustomVersion {
  const name = stringAt(crdVersion, 'name');
  const apiVersion = `${group}/${name}`;
  const openApi = objectAt(objectAt(crdVersion, 'schema'), 'openAPIV3Schema') ?? { type: 'object' };
  const schema = schemaOf(openApi);
  const deprecation = stringAt(crdVersion, 'deprecationWarning') || `${apiVersion} is deprecated`;
  return {
    name,
    apiVersion,
    served: crdVersion.served === true,
    columns: customColumns(crdVersion),
    schema,
    node: schema.node,
    openApi,
    shape(object) {
      schema.prune(object);
      schema.applyDefaults(object);
    },
    unknownFields: (object) => schema.unknownFields(object),
    ...scaleOf(crdVersion),
    ...(crdVersion.deprecated === true ? { warning: deprecation } : {}),
  };
}

/** The scale subresource, where the version declares one. */
function scaleOf(crdVersion: JsonObject): Pick<TypeVersion, 'others'> {
  const scale = objectAt(objectAt(crdVersion, 'subresources'), 'scale');
  if (scale === undefined) return {};
  const pathOf = (field: string): string[] => stringAt(scale, field).split('.').slice(1);
  const selector = pathOf('labelSelectorPath');
  const paths: ScalePaths = {
    specReplicas: pathOf('specReplicasPath'),
    statusReplicas: pathOf('statusReplicasPath'),
    selectorOf: (object) => (selector.length === 0 ? '' : textIn(object, selector)),
  };
  return { others: new Map([['scale', scaleSubresource(paths)]]) };
}

function textIn(object: JsonObject, path: readonly string[]): string {
  const [last = '', ...outer] = path.toReversed();
  let parent: JsonObject | undefined = object;
  for (const member of outer.reverse()) parent = objectAt(parent, member);
  return stringAt(parent, last);
}

function schemaOf(openApi: JsonObject): CompiledSchema {
  const compiled = COMPILED.get(openApi) ?? compileSchema(openApi);
  COMPILED.set(openApi, compiled);
  return compiled;
}

function customStrategy(hasStatus: boolean, versions: readonly CustomVersion[]): Strategy {
  const schemaOf = ({ name }: TypeVersion): CompiledSchema | undefined =>
    versions.find((version) => version.name === name)?.schema;
  return {
    names: 'subdomain',
    unconditionalUpdate: false,
    generation: true,
    statusSubresource: hasStatus,
    prepareForCreate(object, version) {
      if (!hasStatus) return;
      delete object.status;
      // The real server fills in defaults when it reads the stored object, so the defaults of a status are present too.
      schemaOf(version)?.applyDefaults(object);
    },
    validate: (object, version) => schemaOf(version)?.validate(object) ?? [],
    validateUpdate: (object, old, _, version) => schemaOf(version)?.validate(object, old) ?? [],
  };
}

/** Maps `.spec.colour` of a CRD's selectableFields to the field label `spec.colour`. */
function selectableFields(crdVersion: JsonObject): [string, readonly string[]][] {
  return objectsAt(crdVersion, 'selectableFields').map((each) => {
    const label = stringAt(each, 'jsonPath').replace(/^\./, '');
    return [label, label.split('.')];
  });
}
