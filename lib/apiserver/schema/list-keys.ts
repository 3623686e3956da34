import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import { duplicate, goJson, invalid, type SchemaIssue } from './issue.ts';
import type { SchemaNode } from './node.ts';

/** Reports items that occur twice in a list set, or twice with the same keys in a list map. */
export function duplicateItems(object: JsonObject, node: SchemaNode): readonly SchemaIssue[] {
  const issues: SchemaIssue[] = [];
  walk(object, node, '', issues);
  return issues;
}

/** Whether a set or a map of items is below the node. If not, the search can be skipped. */
export function hasKeyedLists(node: SchemaNode): boolean {
  if (node.listType !== 'atomic') return true;
  const below = [node.items, node.values, ...node.properties.values()];
  return below.some((each) => each !== undefined && hasKeyedLists(each));
}

function walk(value: JsonValue, node: SchemaNode, path: string, issues: SchemaIssue[]): void {
  if (Array.isArray(value)) {
    if (node.listType === 'set') issues.push(...repeated(value, value, path));
    if (node.listType === 'map') issues.push(...repeatedKeys(value, node.listKeys, path));
    const items = node.items;
    if (items === undefined) return;
    value.forEach((item, index) => {
      if (typeof item === 'object') walk(item, items, `${path}[${index}]`, issues);
    });
    return;
  }
  if (!isObject(value)) return;
  for (const name of Object.keys(value)) {
    const member = value[name] ?? null;
    if (typeof member !== 'object') continue;
    const declared = node.properties.get(name);
    if (declared !== undefined) walk(member, declared, path === '' ? name : `${path}.${name}`, issues);
    else if (node.values !== undefined) walk(member, node.values, `${path}[${name}]`, issues);
  }
}

/** Each repeated value once, with the position of its second occurrence. */
function repeated(values: readonly JsonValue[], shown: readonly JsonValue[], path: string): readonly SchemaIssue[] {
  const seen = new Map<string, number>();
  const issues: SchemaIssue[] = [];
  values.forEach((value, index) => {
    const text = goJson(value);
    const times = seen.get(text) ?? 0;
    seen.set(text, times + 1);
    if (times === 1) issues.push(duplicate(`${path}[${index}]`, shown[index] ?? null));
  });
  return issues;
}

function repeatedKeys(list: readonly JsonValue[], names: readonly string[], path: string): readonly SchemaIssue[] {
  const stranger = list.findIndex((item) => item !== null && !isObject(item));
  if (stranger >= 0) {
    const detail = 'must be an object for an array of list-type map';
    return [invalid(`${path}[${stranger}]`, list[stranger] ?? null, detail)];
  }
  const keys = list.map((item) => {
    const key: JsonObject = {};
    for (const name of names) {
      const value = isObject(item) ? item[name] : undefined;
      if (value !== undefined) key[name] = value;
    }
    return key;
  });
  return repeated(keys, keys, path);
}
