/**
 * The value under a path of an object that came from outside; undefined when it does not exist. Inherited fields do not
 * count.
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

/** The string under a path; undefined when it is absent or something else. */
export function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  const found = valueAt(value, ...path);
  return typeof found === 'string' ? found : undefined;
}

/** The list under a path; empty when it is absent or something else. */
export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** Whether a value is a JSON object, and not a list or null. */
export function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
