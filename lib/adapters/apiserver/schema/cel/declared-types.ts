import type { Environment } from '@marcbachmann/cel-js';
import { Duration } from '@marcbachmann/cel-js/evaluator';
import { deepEqual, isObject, type JsonObject, type JsonValue, objectAt, stringAt } from '../../json.ts';
import { parseDuration } from '../duration.ts';
import { propertySchemas } from '../keywords.ts';
import { escapeName } from './escape.ts';
import { type CelType, Struct, type StructField } from './struct.ts';

const TEXT: CelType = { name: 'string', toCel: (value) => value };
const DYNAMIC: CelType = { name: 'dyn', toCel: dynamicValue };
const META_SCHEMA: JsonObject = {
  type: 'object',
  properties: { name: { type: 'string' }, generateName: { type: 'string' } },
};
const NANOS = 1_000_000_000n;

/** The CEL types of one schema, declared in its environment as rules need them. */
export class DeclaredTypes {
  readonly environment: Environment;
  readonly #known = new Map<JsonObject, CelType | undefined>();
  #count = 0;

  constructor(environment: Environment) {
    this.environment = environment;
  }

  /** The type of a schema, or undefined where its values are not exposed to rules. `root` adds type and metadata. */
  of(schema: JsonObject, root = false): CelType | undefined {
    if (this.#known.has(schema)) return this.#known.get(schema);
    const type = this.#declare(schema, root || schema['x-kubernetes-embedded-resource'] === true);
    // A null passes the type checker of the real server and is compared at run time.
    const exposed = type !== undefined && schema.nullable === true ? nullable(type) : type;
    this.#known.set(schema, exposed);
    return exposed;
  }

  #declare(schema: JsonObject, root: boolean): CelType | undefined {
    if (schema['x-kubernetes-int-or-string'] === true) return DYNAMIC;
    switch (stringAt(schema, 'type')) {
      case 'array':
        return this.#list(objectAt(schema, 'items'));
      case 'object':
        return isObject(schema.additionalProperties)
          ? this.#map(schema.additionalProperties)
          : this.#struct(schema, root);
      case 'string':
        return textType(stringAt(schema, 'format'));
      case 'boolean':
        return { name: 'bool', toCel: (value) => value };
      case 'number':
        return { name: 'double', toCel: (value) => value };
      case 'integer':
        return { name: 'int', toCel: integerValue };
      default:
        return undefined;
    }
  }

  #list(items: JsonObject | undefined): CelType | undefined {
    const item = items === undefined ? undefined : this.of(items);
    if (item === undefined) return undefined;
    return {
      name: `list<${item.name}>`,
      toCel: (value) => (Array.isArray(value) ? value.map((each) => item.toCel(each)) : value),
    };
  }

  #map(values: JsonObject): CelType | undefined {
    const type = this.of(values);
    if (type === undefined) return undefined;
    return {
      name: `map<string, ${type.name}>`,
      toCel: (value) =>
        isObject(value) ? new Map(Object.entries(value).map(([name, member]) => [name, type.toCel(member)])) : value,
    };
  }

  #struct(schema: JsonObject, root: boolean): CelType {
    const fields = new Map<string, StructField>();
    const add = (property: string, type: CelType | undefined): void => {
      const name = escapeName(property);
      if (name !== undefined && type !== undefined) fields.set(name, { property, type });
    };
    for (const property of propertySchemas(schema, '')) add(property.name, this.of(property.schema));
    if (root) {
      add('apiVersion', TEXT);
      add('kind', TEXT);
      add('metadata', this.of(META_SCHEMA));
    }
    this.#count += 1;
    const name = `Object${this.#count}`;
    // The evaluator tells types apart by constructor.
    const Constructor = class extends Struct {};
    const declared = Object.fromEntries([...fields].map(([field, { type }]) => [field, type.name]));
    this.environment.registerType(name, { ctor: Constructor, fields: declared });
    this.environment.registerOperator(`${name} == ${name}`, (left: Struct, right: Struct) =>
      deepEqual(left.json, right.json),
    );
    return { name, toCel: (value) => (isObject(value) ? new Constructor(value, fields) : value) };
  }
}

function nullable(type: CelType): CelType {
  return { name: 'dyn', toCel: (value) => (value === null ? null : type.toCel(value)) };
}

function integerValue(value: JsonValue): unknown {
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value;
}

function dynamicValue(value: JsonValue): unknown {
  return integerValue(value);
}

/** Strings of some formats are values of their own in rules; what does not parse stays a string. */
function textType(format: string): CelType {
  switch (format) {
    case 'byte':
      return { name: 'bytes', toCel: (value) => (typeof value === 'string' ? Buffer.from(value, 'base64') : value) };
    case 'duration':
      return { name: 'google.protobuf.Duration', toCel: durationValue };
    case 'date':
    case 'date-time':
      return {
        name: 'google.protobuf.Timestamp',
        toCel: (value) => (typeof value === 'string' ? new Date(value) : value),
      };
    default:
      return TEXT;
  }
}

function durationValue(value: JsonValue): unknown {
  const nanos = typeof value === 'string' ? parseDuration(value) : undefined;
  return nanos === undefined ? value : new Duration(nanos / NANOS, Number(nanos % NANOS));
}
