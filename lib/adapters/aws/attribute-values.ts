import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/** An item as the table returns it. Attributes that this release does not know are left alone. */
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

export function readText(item: Item, name: string): string | undefined {
  return item[name]?.S;
}

export function readNumber(item: Item, name: string): number | undefined {
  const digits = item[name]?.N;
  return digits === undefined ? undefined : Number(digits);
}

export function readBoolean(item: Item, name: string): boolean | undefined {
  return item[name]?.BOOL;
}

export function readTexts(item: Item, name: string): string[] {
  return item[name]?.SS ?? [];
}

/** @returns undefined when the attribute is absent. What it holds was written by `json`. */
export function readJson<Value>(item: Item, name: string): Value | undefined {
  const written = item[name]?.S;
  return written === undefined ? undefined : (JSON.parse(written) as Value);
}
