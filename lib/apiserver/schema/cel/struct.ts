import { deepEqual, isObject, type JsonObject, type JsonValue } from '../../json.ts';

/** How a value of one schema appears in CEL. */
export interface CelType {
  /** The declared type, such as `list<Object3>`. */
  readonly name: string;
  toCel(value: JsonValue): unknown;
  /** Whether rules see two values as equal. For sets and list maps the order of the items does not matter. */
  equal(left: JsonValue, right: JsonValue): boolean;
}

export interface StructField {
  /** The property's name in JSON. Rules see the escaped form. */
  readonly property: string;
  readonly type: CelType;
}

/**
 * An object as CEL sees it: a map of escaped field names. A value is converted when it is read. The class extends Map
 * because the evaluator reads a Map by `get`, so that no field name can collide with a member of the class.
 */
export class Struct extends Map<string, unknown> {
  readonly json: JsonObject;
  readonly type: CelType;
  readonly #fields: ReadonlyMap<string, StructField>;

  constructor(json: JsonObject, type: CelType, fields: ReadonlyMap<string, StructField>) {
    super();
    this.json = json;
    this.type = type;
    this.#fields = fields;
  }

  override get(name: string): unknown {
    const converted = super.get(name);
    if (converted !== undefined) return converted;
    const field = this.#fields.get(name);
    // Rules see a null as an absent value.
    const json = field === undefined || !Object.hasOwn(this.json, field.property) ? null : this.json[field.property];
    if (field === undefined || json === undefined || json === null) return undefined;
    const value = field.type.toCel(json);
    super.set(name, value);
    return value;
  }
}

const origins = new WeakMap<readonly unknown[], { readonly type: CelType; readonly json: readonly JsonValue[] }>();

/** A list as CEL sees it. It remembers the JSON from which it was made. */
export function celList(json: readonly JsonValue[], type: CelType, item: CelType): unknown[] {
  const list = json.map((each) => item.toCel(each));
  origins.set(list, { type, json });
  return list;
}

/** Equality of two values of the evaluator. */
export function celEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left === 'bigint' && typeof right === 'number') return Number(left) === right;
  if (typeof left === 'number' && typeof right === 'bigint') return left === Number(right);
  if (Array.isArray(left) && Array.isArray(right)) return listsEqual(left, right);
  if (left instanceof Struct && right instanceof Struct) return left.type.equal(left.json, right.json);
  if (left instanceof Map && right instanceof Map) {
    return (
      left.size === right.size && [...left].every(([key, each]) => right.has(key) && celEqual(each, right.get(key)))
    );
  }
  return typeof left === 'object' && typeof right === 'object' && left?.valueOf() === right?.valueOf();
}

function listsEqual(left: readonly unknown[], right: readonly unknown[]): boolean {
  const [mine, theirs] = [origins.get(left), origins.get(right)];
  if (mine !== undefined && mine.type === theirs?.type) return mine.type.equal([...mine.json], [...theirs.json]);
  return left.length === right.length && left.every((each, index) => celEqual(each, right[index]));
}

/** Whether objects are equal. Each declared member is compared as its type says. */
export function membersEqual(
  left: JsonValue,
  right: JsonValue,
  typeOf: (name: string) => CelType | undefined,
): boolean {
  if (!isObject(left) || !isObject(right)) return deepEqual(left, right);
  const names = Object.keys(left);
  if (names.length !== Object.keys(right).length) return false;
  return names.every((name) => {
    if (!Object.hasOwn(right, name)) return false;
    const [mine, theirs] = [left[name] ?? null, right[name] ?? null];
    return typeOf(name)?.equal(mine, theirs) ?? deepEqual(mine, theirs);
  });
}

/** Whether lists are equal: item by item, or without regard to the order when values or keys identify the items. */
export function itemsEqual(left: JsonValue, right: JsonValue, item: CelType, anyOrder: boolean): boolean {
  if (!Array.isArray(left) || !Array.isArray(right)) return deepEqual(left, right);
  if (left.length !== right.length) return false;
  if (!anyOrder) return left.every((each, index) => item.equal(each, right[index] ?? null));
  return left.every((each) => right.some((other) => item.equal(each, other)));
}
