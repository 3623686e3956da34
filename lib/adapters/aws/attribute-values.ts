import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/** An item as the table returns it. Attributes that this release does not know are ignored and kept. */
export type Item = Record<string, AttributeValue>;

export function text(value: string): AttributeValue {
  return { S: value };
}

export function number(value: number): AttributeValue {
  return { N: String(value) };
}

export function boolean(value: boolean): AttributeValue {
  return { BOOL: value };
}

export function json(value: unknown): AttributeValue {
  return { S: JSON.stringify(value) };
}

/** An attribute has another type than this package writes, or an invalid value. */
export class AttributeError extends Error {
  constructor(name: string) {
    super(`its ${name} is not what is written there`);
  }
}

function absent(item: Item, name: string): undefined {
  if (item[name] !== undefined) throw new AttributeError(name);
  return undefined;
}

/** Undefined when the attribute is absent; the same below. @throws AttributeError */
export function readText(item: Item, name: string): string | undefined {
  return item[name]?.S ?? absent(item, name);
}

export function readNumber(item: Item, name: string): number | undefined {
  const digits = item[name]?.N ?? absent(item, name);
  if (digits === undefined) return undefined;
  const value = Number(digits);
  if (Number.isNaN(value)) throw new AttributeError(name);
  return value;
}

export function readBoolean(item: Item, name: string): boolean | undefined {
  return item[name]?.BOOL ?? absent(item, name);
}

export function readTexts(item: Item, name: string): string[] {
  return item[name]?.SS ?? absent(item, name) ?? [];
}

/** Any JSON value, null included, as `json` wrote it. @throws AttributeError also for invalid JSON. */
export function readAnyJson(item: Item, name: string): unknown {
  const written = readText(item, name);
  if (written === undefined) return undefined;
  try {
    return JSON.parse(written);
  } catch {
    throw new AttributeError(name);
  }
}

/** @throws AttributeError also for a value that is not a JSON object. */
export function readJson<Value extends object>(item: Item, name: string): Value | undefined {
  const value = readAnyJson(item, name);
  if (value === undefined) return undefined;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new AttributeError(name);
  return value as Value;
}
