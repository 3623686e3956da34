import { badRequest } from '../api-error.ts';
import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import type { ResourceType } from '../kinds/resource-type.ts';

/** Whether an object's fields satisfy the selector. */
export interface FieldSelector {
  matches(object: JsonObject): boolean;
  /** The value that `metadata.name` must have, when the selector says so: the request then concerns one object. */
  readonly name: string | undefined;
}

interface Term {
  readonly field: string;
  readonly negated: boolean;
  readonly value: string;
}

const metadataFields = new Map<string, readonly string[]>([
  ['metadata.name', ['metadata', 'name']],
  ['metadata.namespace', ['metadata', 'namespace']],
]);

/**
 * Parses a field selector such as `metadata.name=a,status.phase!=Running`. Answers undefined for an empty one.
 * Throws the ApiError of a bad request for a field that the type does not offer.
 */
export function parseFieldSelector(selector: string, type: ResourceType): FieldSelector | undefined {
  if (selector.trim() === '') return undefined;
  const terms = splitTerms(selector).map((term) => {
    const path = metadataFields.get(term.field) ?? type.selectableFields.get(term.field);
    if (path === undefined) {
      throw badRequest(unsupported(type, term.field));
    }
    return { ...term, path };
  });
  return {
    matches: (object) => terms.every((term) => (fieldText(object, term.path) === term.value) !== term.negated),
    name: terms.find((term) => term.field === 'metadata.name' && !term.negated)?.value,
  };
}

function splitTerms(selector: string): Term[] {
  // A backslash escapes comma, equals sign and backslash in values.
  const parts = selector.match(/(?:\\.|[^,\\])+/g) ?? [];
  return parts.map((part) => {
    const match = /^\s*([^=!\\]+?)\s*(==|=|!=)((?:\\.|[^=\\])*)$/.exec(part);
    if (match === null) {
      throw badRequest(`invalid selector: '${selector}'; can't understand '${part}'`);
    }
    const [, field = '', operator, value = ''] = match;
    return { field, negated: operator === '!=', value: value.replaceAll(/\\(.)/g, '$1') };
  });
}

function fieldText(object: JsonObject, path: readonly string[]): string {
  let value: JsonValue | undefined = object;
  for (const member of path) value = isObject(value) ? value[member] : undefined;
  return value === undefined || value === null ? '' : String(value);
}

function unsupported(type: ResourceType, field: string): string {
  return type.custom || type.selectableFields.size > 0
    ? `field label not supported: ${field}`
    : `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
}
