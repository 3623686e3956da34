import { isObject, type JsonObject, type JsonValue, jsonText, parseJson } from '../json.ts';
import type { SchemaNode } from '../schema/node.ts';

/**
 * One step of a path in the spelling of FieldsV1: `f:name` for a member, `k:{"name":"x"}` for the list item under these
 * keys, `v:"x"` for an element of a set.
 */
export type PathElement = string;

export function memberElement(name: string): PathElement {
  return `f:${name}`;
}

/** The member that an element names, or undefined for elements of lists. */
export function memberName(element: PathElement): string | undefined {
  return element.startsWith('f:') ? element.slice(2) : undefined;
}

/** The element of a list item, or the reason why the item cannot be identified. */
export function itemElement(item: JsonValue, list: SchemaNode): PathElement | { readonly fault: string } {
  return list.listType === 'set' ? setElement(item) : keyedElement(item, list);
}

function setElement(item: JsonValue): PathElement | { readonly fault: string } {
  if (item === null) return { fault: "associative list without keys has an element that's an explicit null" };
  if (typeof item === 'object') return { fault: "associative list without keys has an element that's a map type" };
  return `v:${jsonText(item)}`;
}

function keyedElement(item: JsonValue, list: SchemaNode): PathElement | { readonly fault: string } {
  if (item === null) return { fault: 'associative list with keys may not have a null element' };
  if (!isObject(item)) return { fault: 'associative list with keys may not have non-map elements' };
  const keys: JsonObject = {};
  for (const name of [...list.listKeys].sort()) {
    const value = item[name] ?? list.items?.properties.get(name)?.default;
    if (value !== undefined) keys[name] = value;
  }
  if (Object.keys(keys).length > 0) return `k:${jsonText(keys)}`;
  const names = `[${list.listKeys.map((name) => JSON.stringify(name)).join(' ')}]`;
  const fault = `associative list with keys has an element that omits all key fields ${names} (and doesn't have default values for any key fields)`;
  return { fault };
}

const KINDS = '.fkvi';

/** The order of FieldsV1: members, then keyed items, then set elements. */
export function compareElements(left: PathElement, right: PathElement): number {
  const byKind = KINDS.indexOf(left.charAt(0)) - KINDS.indexOf(right.charAt(0));
  if (byKind !== 0) return byKind;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** A path in the form in which conflicts are reported: `.spec.containers[name="x"].image`. */
export function printPath(path: readonly PathElement[]): string {
  return path.map(printElement).join('');
}

export function printElement(element: PathElement): string {
  const content = element.slice(2);
  switch (element.charAt(0)) {
    case 'f':
      return `.${content}`;
    case 'v':
      return `[=${content}]`;
    case 'k': {
      const keys: unknown = parseJson(content);
      const pairs = Object.entries(isObject(keys as JsonValue) ? (keys as JsonObject) : {});
      return `[${pairs.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(',')}]`;
    }
    default:
      return `[${content}]`;
  }
}
