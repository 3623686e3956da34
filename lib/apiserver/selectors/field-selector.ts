import { badRequest } from '../api-error.ts';
import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import type { ResourceType } from '../state/resource-type.ts';

/** Whether an object's fields satisfy the selector. */
export interface FieldSelector {
  matches(object: JsonObject): boolean;
  /** The value that the selector requires of `metadata.name`, if any. The request then concerns one object. */
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

/** The order matters: `==` must be tried before `=`, or the value would start with an equals sign. */
const operators = ['!=', '==', '='] as const;

/**
 * Parses a field selector such as `metadata.name=a,status.phase!=Running` as the real server does
 * (k8s.io/apimachinery/pkg/fields), in linear time. Returns undefined for an empty one.
 * @throws ApiError 400 for a field that the type does not offer.
 */
export function parseFieldSelector(selector: string, type: ResourceType): FieldSelector | undefined {
  const parts = splitTerms(selector).filter((part) => part !== '');
  if (parts.length === 0) return undefined;
  const terms = parts.map((part) => {
    const term = parseTerm(part, selector);
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

/** Splits at commas. A backslash makes the next character a part of the value. */
function splitTerms(selector: string): string[] {
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < selector.length; at++) {
    if (selector[at] === '\\') at += 1;
    else if (selector[at] === ',') {
      parts.push(selector.slice(from, at));
      from = at + 1;
    }
  }
  parts.push(selector.slice(from));
  return parts;
}

function parseTerm(part: string, selector: string): Term {
  for (let at = 0; at < part.length; at++) {
    const operator = operators.find((each) => part.startsWith(each, at));
    if (operator === undefined) continue;
    const value = unescaped(part.slice(at + operator.length));
    return { field: part.slice(0, at), negated: operator === '!=', value };
  }
  throw badRequest(`invalid selector: '${selector}'; can't understand '${part}'`);
}

function unescaped(value: string): string {
  let text = '';
  for (let at = 0; at < value.length; at++) {
    let character = value[at] ?? '';
    if (character === ',' || character === '=') {
      throw badRequest(`invalid field selector: unescaped character in value: ${character.codePointAt(0)}`);
    }
    if (character === '\\') {
      at += 1;
      character = value[at] ?? '';
      if (character === '' || !'\\,='.includes(character)) {
        throw badRequest(`invalid field selector: invalid escape sequence: \\${character}`);
      }
    }
    text += character;
  }
  return text;
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
