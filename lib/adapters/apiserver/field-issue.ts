import type { FieldIssue } from './api-error.ts';
import type { JsonValue } from './json.ts';

/** Renders a bad value as `field.Error.ErrorBody` does. */
function shown(value: JsonValue | undefined): string {
  return value === undefined ? 'null' : JSON.stringify(value);
}

function suffix(detail: string): string {
  return detail === '' ? '' : `: ${detail}`;
}

export function invalidValue(path: string, value: JsonValue | undefined, detail: string): FieldIssue {
  return { path, reason: 'FieldValueInvalid', message: `Invalid value: ${shown(value)}${suffix(detail)}` };
}

export function requiredValue(path: string, detail = ''): FieldIssue {
  return { path, reason: 'FieldValueRequired', message: `Required value${suffix(detail)}` };
}

export function forbiddenField(path: string, detail: string): FieldIssue {
  return { path, reason: 'FieldValueForbidden', message: `Forbidden${suffix(detail)}` };
}

export function duplicateValue(path: string, value: JsonValue): FieldIssue {
  return { path, reason: 'FieldValueDuplicate', message: `Duplicate value: ${shown(value)}` };
}

export function tooLong(path: string, limitBytes: number): FieldIssue {
  return { path, reason: 'FieldValueTooLong', message: `Too long: may not be more than ${limitBytes} bytes` };
}

export function notSupported(path: string, value: JsonValue, supported: readonly string[]): FieldIssue {
  const values = supported.map((each) => JSON.stringify(each)).join(', ');
  const message = `Unsupported value: ${shown(value)}: supported values: ${values}`;
  return { path, reason: 'FieldValueNotSupported', message };
}

export function immutableField(path: string, value: JsonValue | undefined): FieldIssue {
  return invalidValue(path, value, 'field is immutable');
}
