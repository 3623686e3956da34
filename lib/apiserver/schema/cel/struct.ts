import { deepEqual, isObject, type JsonObject, type JsonValue } from '../../json.ts';

/** How a value of one schema appears in CEL. */
export interface CelType {
  /** The declared type, such as `list<Object3>`. */
  readonly name: string;
  toCel(value: JsonValue): unknown;
  /** Whether two values are equal to rules: sets and list maps do not depend on the order of their items. */
  equal(left: JsonValue, right: JsonValue): boolean;
}

export interface StructField {
  /** The property's name in JSON; rules see it escaped. */
  readonly property: string;
  readonly type: CelType;
}

/**
 * An object as CEL sees it: a map of escaped field names whose values are converted when they are read. It is a Map
 * because the evaluator reads Maps through `get`, so that no field name can collide with a member of the class.
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
    // To rules a null is as good as absent.
    const json = field === undefined || !Object.hasOwn(this.json, field.property) ? null : this.json[field.property];
    if (field === undefined || json === undefined || json === null) return undefined;
    const value = field.type.toCel(json);
    super.set(name, value);
    return value;
  }
}

const origins = new WeakMap<readonly unknown[], { readonly type: CelType; readonly json: readonly JsonValue[] }>();

/** A list as CEL sees it, which remembers what it was made of. */
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

/** Equality of objects member by member, with the equality that each declared member has. */
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

/** Equality of lists: item by item, or without regard to the order where items are known by themselves or by keys. */
export function itemsEqual(left: JsonValue, right: JsonValue, item: CelType, anyOrder: boolean): boolean {
  if (!Array.isArray(left) || !Array.isArray(right)) return deepEqual(left, right);
  if (left.length !== right.length) return false;
  if (!anyOrder) return left.every((each, index) => item.equal(each, right[index] ?? null));
  return left.every((each) => right.some((other) => item.equal(each, other)));
}
