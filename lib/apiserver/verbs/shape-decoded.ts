import { type ApiError, badRequest, type FieldIssue, invalid } from '../api-error.ts';
import { invalidValue, requiredValue } from '../field-issue.ts';
import { ensureObject, type JsonObject, stringAt } from '../json.ts';
import { normalizeMetadata, unknownMetadata } from '../metadata/normalize-metadata.ts';
import { goJson } from '../schema/issue.ts';
import type { VersionedType } from '../state/kinds.ts';
import type { ResourceType } from '../state/resource-type.ts';
import type { WriteOptions } from '../state/target.ts';

/**
 * Brings an object that came from outside into the shape of its schema, in place: unknown fields are reported as the
 * request wants it and pruned, defaults applied. Throws an ApiError under strict field validation.
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

/** The answer to a patch whose outcome cannot be decoded; unlike a bad body it is an invalid patch. */
export function badPatch(patched: JsonObject, detail: string): ApiError {
  return invalid('', '', '', [invalidValue('patch', goJson(patched), detail)]);
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

/** The kind that errors about the object name: a custom resource's own claim. */
export function kindOf(object: JsonObject, type: ResourceType): string {
  return (type.custom && stringAt(object, 'kind')) || type.kind;
}
