/**
 * Reads a field by a name that came from outside. A name such as `constructor` finds no inherited field.
 * @returns undefined when the value is not an object, or has no own field with the name.
 */
export function ownField(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}
