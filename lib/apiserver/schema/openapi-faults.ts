import { arrayAt, isObject, type JsonObject, objectAt, stringAt, stringsAt } from '../json.ts';
import { forbidden, invalid, notSupported, required, type SchemaIssue } from './issue.ts';
import { joinedSchemas, propertySchemas } from './keywords.ts';

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const UNSUPPORTED = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'];
const META_FIELDS = new Set(['metadata', 'kind', 'apiVersion']);

interface Where {
  readonly root: boolean;
  readonly insideMeta: boolean;
  /** Why a default is not allowed here; undefined when it is allowed. */
  readonly noDefaults: string | undefined;
}

export const AT_ROOT: Where = { root: true, insideMeta: false, noDefaults: undefined };

/** Reports the keywords that apiextensions.k8s.io/v1 refuses (ValidateCustomResourceDefinitionOpenAPISchema). */
export function openApiFaults(schema: JsonObject, path: string, where: Where = AT_ROOT): readonly SchemaIssue[] {
  const here = { ...where, root: false };
  const faults: SchemaIssue[] = [...keywordFaults(schema, path, where)];

  const additional = schema.additionalProperties;
  if (additional !== undefined && propertySchemas(schema, path).length > 0 && additional !== true) {
    faults.push(forbidden(`${path}.additionalProperties`, 'additionalProperties and properties are mutual exclusive'));
  }
  if (isObject(additional)) {
    const noDefaults = where.insideMeta ? 'inside additionalProperties applying to object metadata' : where.noDefaults;
    faults.push(...openApiFaults(additional, `${path}.additionalProperties`, { ...here, noDefaults }));
  }
  for (const property of propertySchemas(schema, path)) {
    const meta = (where.root || schema['x-kubernetes-embedded-resource'] === true) && META_FIELDS.has(property.name);
    const noDefaults = meta && where.root ? `in top-level ${property.name}` : where.noDefaults;
    const inside = { root: false, insideMeta: where.insideMeta || meta, noDefaults };
    faults.push(...openApiFaults(property.schema, property.path, inside));
  }
  for (const keyword of ['not', 'allOf', 'oneOf', 'anyOf'] as const) {
    for (const joined of joinedSchemas(schema, keyword, path)) {
      faults.push(...openApiFaults(joined.schema, joined.path, here));
    }
  }
  const items = objectAt(schema, 'items');
  if (items !== undefined) faults.push(...openApiFaults(items, `${path}.items`, here));
  return [...faults, ...mergeFaults(schema, path)];
}

function keywordFaults(schema: JsonObject, path: string, where: Where): readonly SchemaIssue[] {
  const faults: SchemaIssue[] = [];
  const type = stringAt(schema, 'type');
  if (type !== '' && type !== 'null' && !TYPES.includes(type)) faults.push(notSupported(`${path}.type`, type, TYPES));
  if (schema.default !== undefined && where.noDefaults !== undefined) {
    faults.push(forbidden(`${path}.default`, `must not be set ${where.noDefaults}`));
  }
  for (const keyword of UNSUPPORTED) {
    if (schema[keyword] !== undefined) faults.push(forbidden(`${path}.${keyword}`, `${keyword} is not supported`));
  }
  if (type === 'null') {
    faults.push(forbidden(`${path}.type`, 'type cannot be set to null, use nullable as an alternative'));
  }
  if (Array.isArray(schema.items)) {
    faults.push(forbidden(`${path}.items`, 'items must be a schema object and not an array'));
  }
  if (where.insideMeta && schema['x-kubernetes-embedded-resource'] === true) {
    faults.push(forbidden(`${path}.x-kubernetes-embedded-resource`, 'must not be used inside of resource meta'));
  }
  if (schema.uniqueItems === true) {
    const why = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    faults.push(forbidden(`${path}.uniqueItems`, why));
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    faults.push(invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined'));
  }
  return faults;
}

/** Errors of the keywords that say how lists and maps merge. */
function mergeFaults(schema: JsonObject, path: string): readonly SchemaIssue[] {
  const faults: SchemaIssue[] = [];
  const type = stringAt(schema, 'type');
  const mapType = schema['x-kubernetes-map-type'];
  const listType = schema['x-kubernetes-list-type'];
  const items = objectAt(schema, 'items');
  if (mapType !== undefined && type !== 'object') {
    faults.push(wrongType(path, type, 'must be object if x-kubernetes-map-type is specified'));
  }
  if (mapType !== undefined && mapType !== 'atomic' && mapType !== 'granular') {
    faults.push(notSupported(`${path}.x-kubernetes-map-type`, mapType, ['atomic', 'granular']));
  }
  if (listType !== undefined && type !== 'array') {
    faults.push(wrongType(path, type, 'must be array if x-kubernetes-list-type is specified'));
  } else if (listType === 'set' && items !== undefined) {
    faults.push(...setFaults(items, path));
  }
  if (listType !== undefined && listType !== 'atomic' && listType !== 'set' && listType !== 'map') {
    faults.push(notSupported(`${path}.x-kubernetes-list-type`, listType, ['atomic', 'set', 'map']));
  }
  if (arrayAt(schema, 'x-kubernetes-list-map-keys').length > 0 && listType !== 'map') {
    const detail = 'must be map if x-kubernetes-list-map-keys is non-empty';
    const where = `${path}.x-kubernetes-list-type`;
    faults.push(listType === undefined ? required(where, detail) : invalid(where, listType, detail));
  }
  if (listType === 'map') faults.push(...listMapFaults(schema, items, path));
  if ((listType === 'map' || listType === 'set') && items?.nullable === true) {
    const detail = `cannot be nullable when x-kubernetes-list-type is ${listType}`;
    faults.push(forbidden(`${path}.items.nullable`, detail));
  }
  return faults;
}

function wrongType(path: string, type: string, detail: string): SchemaIssue {
  return type === '' ? required(`${path}.type`, detail) : invalid(`${path}.type`, type, detail);
}

function setFaults(items: JsonObject, path: string): readonly SchemaIssue[] {
  const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const listType = items['x-kubernetes-list-type'];
  const mapType = items['x-kubernetes-map-type'];
  if (items.type === 'array' && listType !== undefined && listType !== 'atomic') {
    return [invalid(`${path}.items.x-kubernetes-list-type`, listType, detail)];
  }
  if (items.type === 'object' && mapType !== 'atomic') {
    return [invalid(`${path}.items.x-kubernetes-map-type`, mapType ?? null, detail)];
  }
  return [];
}

function listMapFaults(schema: JsonObject, items: JsonObject | undefined, path: string): readonly SchemaIssue[] {
  const keysPath = `${path}.x-kubernetes-list-map-keys`;
  const keys = stringsAt(schema, 'x-kubernetes-list-map-keys');
  const faults: SchemaIssue[] = [];
  if (keys.length === 0) faults.push(required(keysPath, 'must not be empty if x-kubernetes-list-type is map'));
  if (items === undefined) {
    return [...faults, required(`${path}.items`, 'must have a schema if x-kubernetes-list-type is map')];
  }
  const itemType = stringAt(items, 'type');
  if (itemType !== 'object') {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    return [...faults, invalid(`${path}.items.type`, itemType, detail)];
  }
  const properties = objectAt(items, 'properties') ?? {};
  const needed = stringsAt(items, 'required');
  keys.forEach((key, index) => {
    const keyPath = `${path}.items.properties[${key}]`;
    const property = objectAt(properties, key);
    if (property === undefined) {
      faults.push(invalid(keysPath, [...keys], 'entries must all be names of item properties'));
    } else {
      if (property.type === 'array' || property.type === 'object') {
        const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
        faults.push(invalid(`${keyPath}.type`, itemType, detail));
      }
      if (!needed.includes(key) && property.default === undefined) {
        const detail =
          'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property';
        faults.push(required(`${keyPath}.default`, detail));
      }
      if (property.nullable === true) {
        const detail = 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable';
        faults.push(forbidden(`${keyPath}.nullable`, detail));
      }
    }
    if (keys.indexOf(key) !== index) faults.push(invalid(keysPath, [...keys], 'must not contain duplicate entries'));
  });
  return faults;
}
