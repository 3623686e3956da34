import { isObject, type JsonObject, type JsonValue, jsonText } from '../json.ts';

export type IssueReason =
  | 'FieldValueInvalid'
  | 'FieldValueRequired'
  | 'FieldValueNotSupported'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueDuplicate'
  | 'FieldValueTypeInvalid'
  | 'FieldValueForbidden';

/**
 * One error of a value, in the words of Kubernetes' `field.Error`. `path` is `spec.keys[0].name` (`<nil>` when the real
 * server names no field). `message` is the body without the path, such as `Invalid value: "30s": must be at least 1m`.
 */
export interface SchemaIssue {
  readonly path: string;
  readonly reason: IssueReason;
  readonly message: string;
}

/** The path that the real server prints for an error without a field. */
export const NO_FIELD = '<nil>';

/** The text of a value in a message, when it is not the JSON of the value. */
export class Shown {
  readonly text: string | undefined;

  constructor(text: string | undefined) {
    this.text = text;
  }
}

/** For a value that a message does not repeat, as the real server does for objects and arrays under CEL rules. */
export const OMITTED = new Shown(undefined);

type BadValue = JsonValue | Shown;

/** JSON text whose members keep their order. */
export function asWritten(json: string): Shown {
  return new Shown(escapeHtml(json));
}

export function invalid(path: string, value: BadValue, detail: string): SchemaIssue {
  return { path, reason: 'FieldValueInvalid', message: withDetail(named('Invalid value', value), detail) };
}

export function typeInvalid(path: string, value: BadValue, detail: string): SchemaIssue {
  return { path, reason: 'FieldValueTypeInvalid', message: withDetail(named('Invalid value', value), detail) };
}

export function required(path: string, detail = ''): SchemaIssue {
  return { path, reason: 'FieldValueRequired', message: withDetail('Required value', detail) };
}

export function forbidden(path: string, detail: string): SchemaIssue {
  return { path, reason: 'FieldValueForbidden', message: withDetail('Forbidden', detail) };
}

export function duplicate(path: string, value: BadValue): SchemaIssue {
  return { path, reason: 'FieldValueDuplicate', message: named('Duplicate value', value) };
}

export function notSupported(path: string, value: BadValue, supported: readonly string[]): SchemaIssue {
  const list = supported.map(quoted).join(', ');
  const message = withDetail(named('Unsupported value', value), list === '' ? '' : `supported values: ${list}`);
  return { path, reason: 'FieldValueNotSupported', message };
}

/** The real server counts characters but says bytes (it converts kube-openapi's result to `field.TooLong`). */
export function tooLong(path: string, limit: number): SchemaIssue {
  const unit = limit === 1 ? 'byte' : 'bytes';
  return { path, reason: 'FieldValueTooLong', message: `Too long: may not be more than ${limit} ${unit}` };
}

export function tooMany(path: string, actual: number, limit: number): SchemaIssue {
  const unit = limit === 1 ? 'item' : 'items';
  return { path, reason: 'FieldValueTooMany', message: `Too many: ${actual}: must have at most ${limit} ${unit}` };
}

/** The text of the error in a Status message. */
export function issueText(issue: SchemaIssue): string {
  return `${issue.path}: ${issue.message}`;
}

/** A string as Go's `%q` writes it, for characters that JSON and Go escape in the same way. */
export function quoted(text: string): string {
  return JSON.stringify(text);
}

/** A value as Go's `json.Marshal` writes it: members are sorted, and `<`, `>` and `&` are escaped. */
export function goJson(value: JsonValue): string {
  return escapeHtml(jsonText(sorted(value)));
}

function escapeHtml(json: string): string {
  return json.replace(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
}

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const name of Object.keys(value).sort()) copy[name] = sorted(value[name] ?? null);
  return copy;
}

function named(label: string, value: BadValue): string {
  if (value instanceof Shown) return value.text === undefined ? label : `${label}: ${value.text}`;
  return `${label}: ${typeof value === 'string' ? quoted(value) : goJson(value)}`;
}

function withDetail(body: string, detail: string): string {
  return detail === '' ? body : `${body}: ${detail}`;
}
