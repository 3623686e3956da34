import { jsonEqual } from '../core/json-merge.ts';

/**
 * A parsed JSON value. An integer that a number cannot represent exactly is a bigint, if it fits into 64 bits. The real
 * server keeps such integers, and converts larger ones to floating-point numbers.
 */
export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | JsonObject;

/** A JSON object; absent members are absent, never `undefined`. */
export interface JsonObject {
  [member: string]: JsonValue;
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The member as an object, or undefined when it is absent or something else. */
export function objectAt(parent: JsonObject | undefined, member: string): JsonObject | undefined {
  const value = parent?.[member];
  return isObject(value) ? value : undefined;
}

/** The member as a string, or the empty string when it is absent or something else (the zero value of the real API). */
export function stringAt(parent: JsonObject | undefined, member: string): string {
  const value = parent?.[member];
  return typeof value === 'string' ? value : '';
}

/** @throws SyntaxError for invalid JSON. */
export function parseJson(text: string): JsonValue {
  // Rarely needed, and several times slower.
  return mayHoldWide(text) ? JSON.parse(text, exactly) : JSON.parse(text);
}

/** Whether a text may contain an integer that a number cannot represent exactly. */
export function mayHoldWide(text: string): boolean {
  return /\d{16}/.test(text);
}

function exactly(_: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || Number.isSafeInteger(value) || !/^-?\d+$/.test(source ?? '')) return value;
  return narrowed(BigInt(source ?? ''));
}

/** Returns an integer as a number if that is exact or if the integer needs more than 64 bits; otherwise unchanged. */
export function narrowed(value: bigint): number | bigint {
  const isWide = BigInt.asIntN(64, value) === value && !Number.isSafeInteger(Number(value));
  return isWide ? value : Number(value);
}

/** The text of a value. */
export function jsonText(value: JsonValue): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // JSON.stringify throws this error for a bigint.
    if (!(error instanceof TypeError)) throw error;
    return JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? rawJson(String(each)) : each));
  }
}

/** Node.js has it, but TypeScript's library does not yet. */
const { rawJSON: rawJson } = JSON as unknown as { rawJSON(text: string): unknown };

/**
 * The member as a number, rounded if it has more digits than a number holds; undefined when it is absent or something
 * else.
 */
export function numberAt(parent: JsonObject | undefined, member: string): number | undefined {
  const value = parent?.[member];
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined;
}

/** The member as an array, or an empty array when it is absent or something else. */
export function arrayAt(parent: JsonObject | undefined, member: string): readonly JsonValue[] {
  const value = parent?.[member];
  return Array.isArray(value) ? value : [];
}

/** The objects among the member's elements. */
export function objectsAt(parent: JsonObject | undefined, member: string): readonly JsonObject[] {
  return arrayAt(parent, member).filter(isObject);
}

/** The strings among the member's elements. */
export function stringsAt(parent: JsonObject | undefined, member: string): readonly string[] {
  return arrayAt(parent, member).filter((value) => typeof value === 'string');
}

/** The object under the member; creates it when it is absent. */
export function ensureObject(parent: JsonObject, member: string): JsonObject {
  const existing = parent[member];
  if (isObject(existing)) return existing;
  const made: JsonObject = {};
  parent[member] = made;
  return made;
}

/** A deep copy. */
export function clone<T extends JsonValue>(value: T): T {
  if (Array.isArray(value)) return value.map(clone) as T;
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const member in value) define(copy, member, clone(value[member] as JsonValue));
  return copy as T;
}

/** Sets a member that may come from outside: `__proto__` becomes a plain member, as it is for JSON.parse. */
export function define(object: JsonObject, member: string, value: JsonValue): void {
  if (member === '__proto__') {
    Object.defineProperty(object, member, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[member] = value;
  }
}

/** Structural equality. The order of an object's members does not matter; the order of an array's elements does. */
export const deepEqual: (left: JsonValue | undefined, right: JsonValue | undefined) => boolean = jsonEqual;
