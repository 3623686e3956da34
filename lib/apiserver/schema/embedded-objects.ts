import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import { required, type SchemaIssue } from './issue.ts';
import type { SchemaNode } from './node.ts';

/** Whether the schema has embedded Kubernetes objects below its root. */
export function hasEmbeddedObjects(root: SchemaNode): boolean {
  return below(root).some((node) => node.embedded || hasEmbeddedObjects(node));
}

/** Reports embedded objects without apiVersion or kind. */
export function embeddedObjectIssues(object: JsonObject, root: SchemaNode): readonly SchemaIssue[] {
  const issues: SchemaIssue[] = [];
  for (const [value, node, path] of parts(object, root, '')) visit(value, node, path, issues);
  return issues;
}

function below(node: SchemaNode): readonly SchemaNode[] {
  return [node.items, node.values, ...node.properties.values()].filter((each) => each !== undefined);
}

function visit(value: JsonValue, node: SchemaNode, path: string, issues: SchemaIssue[]): void {
  if (node.embedded && isObject(value)) {
    for (const name of ['apiVersion', 'kind']) {
      if (typeof value[name] !== 'string' || value[name] === '') {
        issues.push(required(`${path}.${name}`, 'must not be empty'));
      }
    }
  }
  for (const [member, memberNode, memberPath] of parts(value, node, path))
    visit(member, memberNode, memberPath, issues);
}

type Part = readonly [value: JsonValue, node: SchemaNode, path: string];

function parts(value: JsonValue, node: SchemaNode, path: string): readonly Part[] {
  if (Array.isArray(value)) {
    const { items } = node;
    return items === undefined ? [] : value.map((item, index): Part => [item, items, `${path}[${index}]`]);
  }
  if (!isObject(value)) return [];
  return Object.keys(value).flatMap((name): Part[] => {
    const member = node.properties.get(name);
    if (member !== undefined) return [[value[name] ?? null, member, path === '' ? name : `${path}.${name}`]];
    return node.values === undefined ? [] : [[value[name] ?? null, node.values, `${path}[${name}]`]];
  });
}
