import type { Environment } from '@marcbachmann/cel-js';
import { deepEqual, isObject, type JsonObject, type JsonValue, objectAt, stringAt } from '../../json.ts';
import { parseDuration } from '../duration.ts';
import { propertySchemas } from '../keywords.ts';
import { fieldNames } from './escape.ts';
import { type CelType, celList, itemsEqual, membersEqual, Struct, type StructField } from './struct.ts';
import { celDuration } from './value-functions.ts';

const META_SCHEMA: JsonObject = {
  type: 'object',
  properties: { name: { type: 'string' }, generateName: { type: 'string' } },
};
const TEXT = scalar('string', (value) => value);
const DYNAMIC = scalar('dyn', integerValue);

/** The CEL types of one schema. They are declared in its environment when rules need them. */
export class DeclaredTypes {
  readonly environment: Environment;
  readonly #known = new Map<JsonObject, CelType | undefined>();
  #count = 0;

  constructor(environment: Environment) {
    this.environment = environment;
  }

  /** The type of a schema, or undefined when rules cannot read its values. `root` adds type and metadata. */
  of(schema: JsonObject, root = false): CelType | undefined {
    if (!this.#known.has(schema)) {
      this.#known.set(schema, this.#declare(schema, root || schema['x-kubernetes-embedded-resource'] === true));
    }
    return this.#known.get(schema);
  }

  #declare(schema: JsonObject, root: boolean): CelType | undefined {
    if (schema['x-kubernetes-int-or-string'] === true) return DYNAMIC;
    const additional = schema.additionalProperties;
    switch (stringAt(schema, 'type')) {
      case 'array':
        return this.#list(schema);
      case 'object':
        return isObject(additional) ? this.#map(additional) : this.#struct(schema, root);
      case 'string':
        return textType(stringAt(schema, 'format'));
      case 'boolean':
        return scalar('bool', (value) => value);
      case 'number':
        return scalar('double', (value) => value);
      case 'integer':
        return scalar('int', integerValue);
      default:
        return undefined;
    }
  }

  #list(schema: JsonObject): CelType | undefined {
    const items = objectAt(schema, 'items');
    const item = items === undefined ? undefined : this.of(items);
    if (item === undefined) return undefined;
    const anyOrder = schema['x-kubernetes-list-type'] === 'set' || schema['x-kubernetes-list-type'] === 'map';
    const type: CelType = {
      name: `list<${item.name}>`,
      toCel: (value) => (Array.isArray(value) ? celList(value, type, item) : value),
      equal: (left, right) => itemsEqual(left, right, item, anyOrder),
    };
    return type;
  }

  #map(values: JsonObject): CelType | undefined {
    const value = this.of(values);
    if (value === undefined) return undefined;
    return {
      name: `map<string, ${value.name}>`,
      toCel: (map) => (isObject(map) ? converted(map, value) : map),
      equal: (left, right) => membersEqual(left, right, () => value),
    };
  }

  #struct(schema: JsonObject, root: boolean): CelType {
    const fields = new Map<string, StructField>();
    const byProperty = new Map<string, CelType>();
    const add = (property: string, type: CelType | undefined): void => {
      if (type === undefined) return;
      byProperty.set(property, type);
      for (const name of fieldNames(property)) fields.set(name, { property, type });
    };
    for (const property of propertySchemas(schema, '')) add(property.name, this.of(property.schema));
    if (root) {
      add('apiVersion', TEXT);
      add('kind', TEXT);
      add('metadata', this.of(META_SCHEMA));
    }
    this.#count += 1;
    const name = `Object${this.#count}`;
    // The evaluator distinguishes types by their constructor.
    const Constructor = class extends Struct {};
    const type: CelType = {
      name,
      toCel: (value) => (isObject(value) ? new Constructor(value, type, fields) : value),
      equal: (left, right) => membersEqual(left, right, (property) => byProperty.get(property)),
    };
    const declared = Object.fromEntries([...fields].map(([field, each]) => [field, each.type.name]));
    this.environment.registerType(name, { ctor: Constructor, fields: declared });
    this.environment.registerOperator(`${name} == ${name}`, (left: Struct, right: Struct) =>
      type.equal(left.json, right.json),
    );
    return type;
  }
}

function scalar(name: string, toCel: (value: JsonValue) => unknown): CelType {
  return { name, toCel, equal: deepEqual };
}

function converted(map: JsonObject, value: CelType): Map<string, unknown> {
  return new Map(Object.entries(map).map(([name, member]) => [name, value.toCel(member)]));
}

function integerValue(value: JsonValue): unknown {
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value;
}

/** Strings of some formats have types of their own in rules. A string that does not parse stays a string. */
function textType(format: string): CelType {
  switch (format) {
    case 'byte':
      return scalar('bytes', (value) => (typeof value === 'string' ? Buffer.from(value, 'base64') : value));
    case 'duration':
      return scalar('google.protobuf.Duration', durationValue);
    case 'date':
    case 'date-time':
      return scalar('google.protobuf.Timestamp', (value) => (typeof value === 'string' ? new Date(value) : value));
    default:
      return TEXT;
  }
}

function durationValue(value: JsonValue): unknown {
  const nanos = typeof value === 'string' ? parseDuration(value) : undefined;
  return nanos === undefined ? value : celDuration(nanos);
}
