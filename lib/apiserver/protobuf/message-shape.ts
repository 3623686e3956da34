import { arrayAt, define, ensureObject, type JsonObject, type JsonValue } from '../json.ts';
import { readFields, WireError } from './wire.ts';

export type FieldType =
  | 'string'
  | 'bytes'
  | 'integer'
  | 'boolean'
  | 'integerOrString'
  | 'map'
  | 'mapOfBytes'
  | MessageShape;

export interface FieldShape {
  readonly name: string;
  readonly type: FieldType;
  /** The field occurs once for each element. */
  readonly repeated?: boolean;
  /** A pointer in Go: absent and zero are different. A client sends any other field even when nobody set it. */
  readonly pointer?: boolean;
}

/** A message type: its fields by number. */
export interface MessageShape {
  readonly name: string;
  readonly fields: Readonly<Record<number, FieldShape>>;
}

/**
 * Decodes a message into the JSON of the same object: fields with a zero value are left out, as with Go's omitempty.
 * @throws WireError for an invalid message, or for a field with content that the shape does not have.
 */
export function decodeMessage(message: Uint8Array, shape: MessageShape): JsonObject {
  const object: JsonObject = {};
  for (const { number, value } of readFields(message)) {
    const field = shape.fields[number];
    if (field === undefined) {
      if (!isZero(value)) throw new WireError(`field ${number} of ${shape.name} is not read from protobuf`);
    } else put(object, field, value);
  }
  return object;
}

function put(object: JsonObject, field: FieldShape, value: bigint | Uint8Array): void {
  const { name, type } = field;
  if (type === 'map' || type === 'mapOfBytes') {
    const { key = '', value: entry = '' } = decodeMessage(asBytes(value, name), type === 'map' ? ENTRY : BYTES_ENTRY);
    define(ensureObject(object, name), String(key), entry);
    return;
  }
  const decoded = decodeValue(value, field);
  if (field.repeated === true) {
    object[name] = [...arrayAt(object, name), decoded];
  } else if (field.pointer === true || !isEmpty(decoded)) object[name] = decoded;
}

function decodeValue(value: bigint | Uint8Array, { name, type }: FieldShape): JsonValue {
  switch (type) {
    case 'string':
      return text(asBytes(value, name), name);
    case 'bytes':
      return Buffer.from(asBytes(value, name)).toString('base64');
    case 'integer':
      return Number(asNumber(value, name));
    case 'boolean':
      return asNumber(value, name) !== 0n;
    case 'integerOrString': {
      const { type: isText = 0, number = 0, text: found = '' } = decodeMessage(asBytes(value, name), INTEGER_OR_STRING);
      return isText === 0 ? number : found;
    }
    case 'map':
    case 'mapOfBytes':
      throw new WireError(`${name} is a map`);
    default:
      return decodeMessage(asBytes(value, name), type);
  }
}

const ENTRY: MessageShape = {
  name: 'map entry',
  fields: { 1: { name: 'key', type: 'string' }, 2: { name: 'value', type: 'string' } },
};
const BYTES_ENTRY: MessageShape = {
  name: 'map entry',
  fields: { 1: { name: 'key', type: 'string' }, 2: { name: 'value', type: 'bytes' } },
};
const INTEGER_OR_STRING: MessageShape = {
  name: 'IntOrString',
  fields: {
    1: { name: 'type', type: 'integer' },
    2: { name: 'number', type: 'integer' },
    3: { name: 'text', type: 'string' },
  },
};

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

function text(bytes: Uint8Array, name: string): string {
  try {
    return UTF_8.decode(bytes);
  } catch {
    throw new WireError(`${name} is not UTF-8`);
  }
}

function asBytes(value: bigint | Uint8Array, name: string): Uint8Array {
  if (typeof value === 'bigint') throw new WireError(`${name} has an unexpected wire type`);
  return value;
}

function asNumber(value: bigint | Uint8Array, name: string): bigint {
  if (typeof value !== 'bigint') throw new WireError(`${name} has an unexpected wire type`);
  return value;
}

/**
 * A nested message whose fields are all zero counts as zero, because Go writes one for every struct that is not a
 * pointer.
 */
function isZero(value: bigint | Uint8Array): boolean {
  if (typeof value === 'bigint') return value === 0n;
  if (value.length === 0) return true;
  try {
    return [...readFields(value)].every((field) => isZero(field.value));
  } catch {
    return false;
  }
}

function isEmpty(value: JsonValue): boolean {
  if (value === '' || value === 0 || value === false) return true;
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
