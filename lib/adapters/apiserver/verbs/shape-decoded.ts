import { badRequest, type FieldIssue } from '../api-error.ts';
import { invalidValue, requiredValue } from '../field-issue.ts';
import { type JsonObject, stringAt } from '../json.ts';
import type { VersionedType } from '../kinds/kinds.ts';
import type { WriteOptions } from './target.ts';

/**
 * Brings an object that came from outside into the shape of its schema, in place: unknown fields are reported as the
 * request wants it and pruned, defaults applied. Throws the ApiError of a bad request under strict field validation.
 */
export function shapeDecoded(object: JsonObject, { type, version }: VersionedType, options: WriteOptions): void {
  if (options.fieldValidation !== 'Ignore' && version.unknownFields !== undefined) {
    const faults = version.unknownFields(object).map((path) => `unknown field "${path}"`);
    if (faults.length > 0 && options.fieldValidation === 'Strict') {
      const message = `strict decoding error: ${faults.join(', ')}`;
      throw badRequest(
        type.custom
          ? `${type.kind} in version "${version.name}" cannot be handled as a ${type.kind}: ${message}`
          : `${type.kind} in version "${version.name}" cannot be handled as a ${type.kind}: ${message}`,
      );
    }
    for (const fault of faults) options.warn(fault);
  }
  version.shape?.(object);
}

/** A custom resource whose `apiVersion` and `kind` are not those of its endpoint is invalid rather than malformed. */
export function typeIssues(object: JsonObject, { type, version }: VersionedType): FieldIssue[] {
  if (!type.custom) return [];
  const issues: FieldIssue[] = [];
  const kind = stringAt(object, 'kind');
  if (kind !== type.kind) {
    issues.push(
      kind === '' ? requiredValue('kind', `must be ${type.kind}`) : invalidValue('kind', kind, `must be ${type.kind}`),
    );
  }
  const apiVersion = stringAt(object, 'apiVersion');
  if (apiVersion !== version.apiVersion) {
    issues.push(invalidValue('apiVersion', apiVersion, `must be ${version.apiVersion}`));
  }
  return issues;
}
