import type { JsonObject, JsonValue } from '../../json.ts';

/** How a value of one schema appears in CEL. */
export interface CelType {
  /** The declared type, such as `list<Object3>`. */
  readonly name: string;
  toCel(value: JsonValue): unknown;
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
  readonly #fields: ReadonlyMap<string, StructField>;

  constructor(json: JsonObject, fields: ReadonlyMap<string, StructField>) {
    super();
    this.json = json;
    this.#fields = fields;
  }

  override get(name: string): unknown {
    const converted = super.get(name);
    if (converted !== undefined) return converted;
    const field = this.#fields.get(name);
    if (field === undefined || !Object.hasOwn(this.json, field.property)) return undefined;
    const value = field.type.toCel(this.json[field.property] ?? null);
    super.set(name, value);
    return value;
  }
}
