/**
 * What lies under a path of an object that came from outside; undefined where there is none. A field that an object only
 * inherits is none.
 */
export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, field) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, field)
        ? (inner as Record<string, unknown>)[field]
        : undefined,
    value,
  );
}

/** The text under a path; undefined where there is none, or something else. */
export function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  const found = valueAt(value, ...path);
  return typeof found === 'string' ? found : undefined;
}

/** The list under a path; empty where there is none, or something else. */
export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** Whether a value is a JSON object: no list, and not null. */
export function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
