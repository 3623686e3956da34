/**
 * Reads a field by a name that came from outside. A name such as `constructor` finds no inherited field.
 * @returns undefined where the value is no object, or has no such field of its own.
 */
export function ownField(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}
