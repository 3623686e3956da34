/**
 * The fields of a zod 4 schema that the conversion reads: the definition that zod keeps for tools (`schema._zod.def`).
 * An author may use another copy of zod, so the class of a schema must not be tested.
 */
export interface ZodSchema {
  readonly _zod: { readonly def: ZodDef; readonly optin?: string | undefined; readonly pattern?: RegExp | undefined };
  readonly description?: string | undefined;
  readonly meta?: () => unknown;
  readonly safeParse?: (value: unknown) => { readonly success: boolean };
}

export interface ZodDef {
  readonly type: string;
  readonly checks?: readonly { readonly _zod: { readonly def: ZodCheck } }[];
  readonly [field: string]: unknown;
}

export interface ZodCheck {
  readonly check: string;
  readonly [field: string]: unknown;
}

/** The checks of a schema, in order. A format such as `z.uuid()` is its own first check. */
export function checksOf({ _zod: { def } }: ZodSchema): ZodCheck[] {
  const own = typeof def.check === 'string' ? [def as unknown as ZodCheck] : [];
  return [...own, ...(def.checks ?? []).map(({ _zod }) => _zod.def)];
}

/** The schema in a field of a definition. Zod's type guarantees that it exists. */
export function innerOf(def: ZodDef, field = 'innerType'): ZodSchema {
  return def[field] as ZodSchema;
}

/** The options of a union. */
export function optionsOf(def: ZodDef): readonly ZodSchema[] {
  return def.options as readonly ZodSchema[];
}

/** The fields of an object schema, in the order in which they were written. */
export function shapeOf(def: ZodDef): readonly (readonly [string, ZodSchema])[] {
  return Object.entries(def.shape as Record<string, ZodSchema>);
}

/**
 * Whether the field may be absent from an object. Zod evaluates a lazy schema for this, and its getter may throw; the
 * conversion of the schema reports that.
 */
export function isOptional({ _zod }: ZodSchema): boolean {
  try {
    return _zod.optin !== undefined;
  } catch {
    return false;
  }
}
