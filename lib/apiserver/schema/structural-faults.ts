import { RE2JS } from 're2js';
import { deepEqual, isObject, type JsonObject, objectAt, stringAt } from '../json.ts';
import { forbidden, invalid, required, type SchemaIssue } from './issue.ts';
import { joinedSchemas, propertyPath, propertySchemas } from './keywords.ts';

type Level = 'root' | 'item' | 'field';

const EMPTY_TYPE: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

const INT_OR_STRING = [{ type: 'integer' }, { type: 'string' }];
const JUNCTORS = ['anyOf', 'allOf', 'oneOf', 'not'] as const;

/**
 * Keywords that belong to the structure and are not allowed under allOf, anyOf, oneOf and not, each with the text of
 * the real server.
 */
const STRUCTURE_ONLY: readonly (readonly [string, string])[] = [
  ['type', 'must be empty to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
];

/**
 * Why a schema is not structural. Every field needs a type outside of allOf, anyOf, oneOf and not; these may only
 * restrict (Kubernetes documentation, "Specifying a structural schema").
 */
export function structuralFaults(schema: JsonObject, path: string): readonly SchemaIssue[] {
  return [...invariantFaults(schema, 'root', path), ...completenessFaults(schema, path)];
}

function invariantFaults(schema: JsonObject, level: Level, path: string): readonly SchemaIssue[] {
  const faults: SchemaIssue[] = [];
  const items = objectAt(schema, 'items');
  const additional = schema.additionalProperties;
  if (schema.type === 'array' && items === undefined) faults.push(required(`${path}.items`, 'must be specified'));
  if (items !== undefined) faults.push(...invariantFaults(items, 'item', `${path}.items`));
  for (const property of propertySchemas(schema, path)) {
    faults.push(...invariantFaults(property.schema, 'field', property.path));
  }
  if (additional !== undefined && level === 'root') {
    faults.push(forbidden(`${path}.additionalProperties`, 'must not be used at the root'));
  }
  if (isObject(additional)) faults.push(...invariantFaults(additional, 'field', `${path}.additionalProperties`));
  return [
    ...faults,
    ...extensionFaults(schema, path),
    ...restrictionFaults(schema, path, acceptsIntOrString(schema)),
    ...typeFaults(schema, level, path),
    ...objectFaults(schema, level, path),
  ];
}

function extensionFaults(schema: JsonObject, path: string): readonly SchemaIssue[] {
  if (schema['x-kubernetes-int-or-string'] !== true) return [];
  return ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource']
    .filter((keyword) => schema[keyword] === true)
    .map((keyword) => invalid(`${path}.${keyword}`, true, 'must be false if x-kubernetes-int-or-string is true'));
}

function typeFaults(schema: JsonObject, level: Level, path: string): readonly SchemaIssue[] {
  const type = stringAt(schema, 'type');
  const faults: SchemaIssue[] = [];
  if (schema['x-kubernetes-embedded-resource'] === true) {
    if (type !== 'object') {
      const detail = 'must be object if x-kubernetes-embedded-resource is true';
      faults.push(type === '' ? required(`${path}.type`, detail) : invalid(`${path}.type`, type, detail));
    }
    if (schema.additionalProperties !== undefined) {
      const detail = 'must not be used if x-kubernetes-embedded-resource is set';
      faults.push(forbidden(`${path}.additionalProperties`, detail));
    }
  } else if (type === '' && !untypedAllowed(schema)) {
    faults.push(required(`${path}.type`, EMPTY_TYPE[level]));
  }
  if (level === 'root' && type !== '' && type !== 'object') {
    faults.push(invalid(`${path}.type`, type, 'must be object at the root'));
  }
  return faults;
}

function untypedAllowed(schema: JsonObject): boolean {
  return schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true;
}

/** The rules for the fields that every Kubernetes object has, at the root and in embedded resources. */
function objectFaults(schema: JsonObject, level: Level, path: string): readonly SchemaIssue[] {
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  const properties = objectAt(schema, 'properties') ?? {};
  const faults: SchemaIssue[] = [];
  if (level === 'root' || embedded) {
    for (const name of ['kind', 'apiVersion']) {
      const property = objectAt(properties, name);
      if (property !== undefined && property.type !== 'string') {
        faults.push(invalid(`${propertyPath(path, name)}.type`, stringAt(property, 'type'), 'must be string'));
      }
    }
    const metadata = objectAt(properties, 'metadata');
    if (metadata !== undefined && metadata.type !== 'object') {
      faults.push(invalid(`${propertyPath(path, 'metadata')}.type`, stringAt(metadata, 'type'), 'must be object'));
    }
    if (metadata !== undefined && level === 'root' && !restrictsNamesOnly(metadata)) {
      const detail = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
      faults.push(forbidden(propertyPath(path, 'metadata'), detail));
    }
  }
  const bare = Object.keys(properties).length === 0 && schema['x-kubernetes-preserve-unknown-fields'] !== true;
  if (embedded && bare) {
    const detail =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    faults.push(required(`${path}.properties`, detail));
  }
  return faults;
}

function restrictsNamesOnly(metadata: JsonObject): boolean {
  const properties = objectAt(metadata, 'properties') ?? {};
  const names = Object.keys(properties).every((name) => name === 'name' || name === 'generateName');
  return names && Object.keys(metadata).every((keyword) => keyword === 'type' || keyword === 'properties');
}

/** Which of the two patterns for "integer or string" the schema uses. Their types are not an error. */
function acceptsIntOrString(schema: JsonObject): 'anyOf' | 'allOf' | undefined {
  if (deepEqual(schema.anyOf, INT_OR_STRING)) return 'anyOf';
  const first = joinedSchemas(schema, 'allOf', '')[0];
  return first !== undefined && deepEqual(first.schema.anyOf, INT_OR_STRING) ? 'allOf' : undefined;
}

function restrictionFaults(
  schema: JsonObject,
  path: string,
  pattern: 'anyOf' | 'allOf' | undefined,
): readonly SchemaIssue[] {
  const faults: SchemaIssue[] = [];
  for (const keyword of JUNCTORS) {
    if (keyword === 'anyOf' && pattern === 'anyOf') continue;
    joinedSchemas(schema, keyword, path).forEach((joined, index) => {
      const tolerated = keyword === 'allOf' && index === 0 && pattern === 'allOf' ? 'anyOf' : undefined;
      faults.push(...nestedFaults(joined.schema, joined.path, tolerated));
    });
  }
  const expression = stringAt(schema, 'pattern');
  if (expression !== '') {
    try {
      RE2JS.compile(expression);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      faults.push(invalid(`${path}.pattern`, expression, `must be a valid regular expression, but isn't: ${why}`));
    }
  }
  return faults;
}

function nestedFaults(schema: JsonObject, path: string, tolerated: 'anyOf' | undefined): readonly SchemaIssue[] {
  const faults: SchemaIssue[] = [...restrictionFaults(schema, path, tolerated)];
  const items = objectAt(schema, 'items');
  if (items !== undefined) faults.push(...nestedFaults(items, `${path}.items`, undefined));
  for (const property of propertySchemas(schema, path)) {
    faults.push(...nestedFaults(property.schema, property.path, undefined));
    if (property.name === 'metadata') {
      faults.push(forbidden(property.path, 'must not be specified in a nested context'));
    }
  }
  for (const [keyword, detail] of STRUCTURE_ONLY) {
    const value = schema[keyword];
    const unset =
      value === undefined || value === false || value === '' || (Array.isArray(value) && value.length === 0);
    if (!unset || (keyword === 'additionalProperties' && value !== undefined)) {
      faults.push(forbidden(`${path}.${keyword}`, detail));
    }
  }
  return faults;
}

/** A field that is mentioned under allOf, anyOf, oneOf or not must also be declared outside of it. */
function completenessFaults(schema: JsonObject, path: string): readonly SchemaIssue[] {
  const faults: SchemaIssue[] = [];
  for (const keyword of JUNCTORS) {
    for (const joined of joinedSchemas(schema, keyword, path)) {
      faults.push(...undeclared(joined.schema, joined.path, schema, path));
    }
  }
  for (const below of [...propertySchemas(schema, path), ...structureBelow(schema, path)]) {
    faults.push(...completenessFaults(below.schema, below.path));
  }
  return faults;
}

function structureBelow(schema: JsonObject, path: string): readonly { path: string; schema: JsonObject }[] {
  return ['items', 'additionalProperties'].flatMap((keyword) => {
    const value = schema[keyword];
    return isObject(value) ? [{ path: `${path}.${keyword}`, schema: value }] : [];
  });
}

function undeclared(
  restriction: JsonObject,
  restrictionPath: string,
  structure: JsonObject | undefined,
  path: string,
): readonly SchemaIssue[] {
  if (structure === undefined) return [required(path, `because it is defined in ${restrictionPath}`)];
  const faults: SchemaIssue[] = [];
  for (const keyword of JUNCTORS) {
    for (const joined of joinedSchemas(restriction, keyword, restrictionPath)) {
      faults.push(...undeclared(joined.schema, joined.path, structure, path));
    }
  }
  const items = objectAt(restriction, 'items');
  if (items !== undefined) {
    faults.push(...undeclared(items, `${restrictionPath}.items`, objectAt(structure, 'items'), `${path}.items`));
  }
  for (const property of propertySchemas(restriction, restrictionPath)) {
    const declared = objectAt(objectAt(structure, 'properties'), property.name);
    faults.push(...undeclared(property.schema, property.path, declared, propertyPath(path, property.name)));
  }
  return faults;
}
