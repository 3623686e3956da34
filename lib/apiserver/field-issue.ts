import type { FieldIssue } from './api-error.ts';
import type { JsonValue } from './json.ts';
import { invalid } from './schema/issue.ts';

export {
  forbidden as forbiddenField,
  notSupported,
  required as requiredValue,
  tooLong,
} from './schema/issue.ts';

export function invalidValue(path: string, value: JsonValue | undefined, detail: string): FieldIssue {
  return invalid(path, value ?? null, detail);
}

export function immutableField(path: string, value: JsonValue | undefined): FieldIssue {
  return invalidValue(path, value, 'field is immutable');
}
