import type { JsonObject, JsonValue } from '../../lib/core/kube-object.ts';
import { isFields, listAt } from '../../lib/kit/value-at.ts';
import { indented, literal, nameLiteral } from './literal.ts';
import type { SchemaPart, Writing } from './writing.ts';

const EMBEDDED = 'x-kubernetes-embedded-resource';
const OPEN = 'x-kubernetes-preserve-unknown-fields';
const LOOSE_STATUS = 'no field of a status is required, so that an object of an older release stays valid';

/** An object with named fields, or a map. @param keys fields that are required in a status too. */
export function objectPart(schema: JsonObject, path: string, writing: Writing, keys: readonly string[]): SchemaPart {
  const { additionalProperties } = schema;
  const says = ['type', 'properties', 'additionalProperties', 'required', OPEN];
  if (isSchema(additionalProperties)) {
    const value = elementText(additionalProperties, `${path}.*`, writing);
    return { text: `z.record(z.string(), ${value})`, says, ...demanded(schema, [], writing, keys, path) };
  }
  if (additionalProperties === true) return { text: 'z.record(z.string(), z.unknown())', says };
  const properties = Object.entries(propertiesOf(schema));
  const required = listAt(schema, 'required') as string[];
  const fields = properties.flatMap(([name, inner]) => {
    if (name !== '__proto__') return [fieldText(name, inner, required.includes(name), path, writing)];
    writing.note(`${path}.${name}`, 'left out, because no object of JavaScript can have it');
    return [];
  });
  const shape = fields.length === 0 ? '{}' : `{\n${fields.map((field) => `${indented(field)},\n`).join('')}}`;
  const text = `${schema[OPEN] === true ? 'z.looseObject' : 'z.object'}(${shape})`;
  return { text, says, ...demanded(schema, properties, writing, keys, path) };
}

/** The named fields. A whole object has fields that its schema need not name, and metadata whose fields it does not name. */
function propertiesOf(schema: JsonObject): Record<string, JsonObject> {
  const properties = (schema.properties ?? {}) as Record<string, JsonObject>;
  if (schema[EMBEDDED] !== true) return properties;
  const metadata: JsonObject = { type: 'object', [OPEN]: true };
  if (schema[OPEN] === true) return 'metadata' in properties ? { ...properties, metadata } : properties;
  return { apiVersion: { type: 'string' }, kind: { type: 'string' }, ...properties, metadata };
}

/** A list. */
export function arrayPart(schema: JsonObject, path: string, writing: Writing): SchemaPart {
  const { items, minItems, maxItems } = schema;
  const keys =
    schema['x-kubernetes-list-type'] === 'map' ? (listAt(schema, 'x-kubernetes-list-map-keys') as string[]) : [];
  const element = isSchema(items) ? elementText(items, `${path}[]`, writing, keys) : 'z.unknown()';
  const low = typeof minItems === 'number' && minItems > 0 ? `.min(${minItems})` : '';
  const high = typeof maxItems === 'number' ? `.max(${maxItems})` : '';
  return { text: `z.array(${element})${low}${high}`, says: ['type', 'items', 'minItems', 'maxItems', OPEN] };
}

/** A field with its name. */
function fieldText(name: string, schema: JsonObject, isRequired: boolean, path: string, writing: Writing): string {
  const place = `${path}.${name}`;
  const text = writing.write(schema, place);
  const { default: fallback, nullable } = schema;
  const field = (suffix: string) => `${nameLiteral(name)}: ${text}${suffix}`;
  if (fallback !== undefined && fallback !== null) {
    if (nullable === true) writing.note(place, 'the API server replaces null by the default');
    // Only prefault() fills in the defaults below it, as the API server does.
    const call = typeof fallback === 'object' ? 'prefault' : 'default';
    return field(`.${call}(${literal(fallback)})`);
  }
  if (nullable === true) return field('.nullish()');
  return field(isRequired ? '' : '.optional()');
}

/** An item of a list, or a value of a map. */
function elementText(schema: JsonObject, path: string, writing: Writing, keys: readonly string[] = []): string {
  if (schema.default !== undefined) writing.note(path, 'its default is left out, because an item is never missing');
  return `${writing.write(schema, path, keys)}${schema.nullable === true ? '.nullish()' : ''}`;
}

/** The fields that the definition requires and the schema of zod does not: `required` for meta(). */
function demanded(
  schema: JsonObject,
  properties: readonly (readonly [string, JsonObject])[],
  writing: Writing,
  keys: readonly string[],
  path: string,
): { readonly meta?: JsonObject } {
  const known = new Map(properties);
  const required = listAt(schema, 'required') as string[];
  if (writing.mode.isStatus) {
    if (required.some((name) => !keys.includes(name))) writing.note(path, LOOSE_STATUS);
    const needed = keys.filter((name) => known.get(name)?.default === undefined);
    return needed.length === 0 ? {} : { meta: { required: needed } };
  }
  const needed = required.filter((name) => {
    const property = known.get(name);
    return property === undefined || (property.nullable === true && (property.default ?? null) === null);
  });
  return needed.length === 0 ? {} : { meta: { required: needed } };
}

function isSchema(value: JsonValue | undefined): value is JsonObject {
  return isFields(value);
}
