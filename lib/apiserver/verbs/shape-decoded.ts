import { type ApiError, badRequest, type FieldIssue, invalid } from '../api-error.ts';
import { invalidValue, requiredValue } from '../field-issue.ts';
import { ensureObject, type JsonObject, stringAt } from '../json.ts';
import { normalizeMetadata, unknownMetadata } from '../metadata/normalize-metadata.ts';
import { goJson } from '../schema/issue.ts';
import type { VersionedType } from '../state/kinds.ts';
import type { ResourceType } from '../state/resource-type.ts';
import type { WriteOptions } from '../state/target.ts';

/**
 * Applies the schema to an object of a client, in place: removes unknown fields, reports them as the request asks, and
 * fills in defaults.
 * @throws ApiError for unknown fields under strict field validation.
 */
export function shapeDecoded(object: JsonObject, { type, version }: VersionedType, options: WriteOptions): void {
  const metadata = ensureObject(object, 'metadata');
  if (options.fieldValidation !== 'Ignore' && options.origin !== 'apply') {
    const unknown = [...unknownMetadata(metadata), ...(version.unknownFields?.(object) ?? [])];
    const faults = [...new Set(unknown)].map((path) => `unknown field "${path}"`);
    if (faults.length > 0 && options.fieldValidation === 'Strict') {
      const message = `strict decoding error: ${faults.join(', ')}`;
      throw options.origin === 'patch'
        ? badPatch(object, message)
        : badRequest(`${type.kind} in version "${version.name}" cannot be handled as a ${type.kind}: ${message}`);
    }
    for (const fault of faults) options.warn(fault);
  }
  normalizeMetadata(metadata);
  version.shape?.(object);
}

/** The answer to a patch whose result cannot be decoded. Unlike a bad body, it counts as an invalid patch. */
export function badPatch(patched: JsonObject, detail: string): ApiError {
  return invalid('', '', '', [invalidValue('patch', goJson(patched), detail)]);
}

/** A custom resource whose `apiVersion` and `kind` are not those of its endpoint is invalid, not malformed. */
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

/** The kind that errors about the object name. For a custom resource it is the kind in the object. */
export function kindOf(object: JsonObject, type: ResourceType): string {
  return (type.custom && stringAt(object, 'kind')) || type.kind;
}
