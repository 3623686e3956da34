import type { JsonObject, JsonValue, KubeObject } from '../../../core/kube-object.ts';
import type { FieldPath } from '../admission/field-differences.ts';

/**
 * Whether this manager alone wrote the field as it is now, by what the API server keeps in managedFields. Who changes a
 * field takes it over from the managers before. Without managedFields nobody is known to have written it. Anybody can
 * write under any name, so this tells who writes by mistake, and proves nothing against an attacker.
 */
export function isWrittenBy({ metadata }: KubeObject, manager: string, path: FieldPath): boolean {
  const writers = (metadata.managedFields ?? []).filter(({ fieldsV1 }) => owns(fieldsV1, path));
  return writers.length > 0 && writers.every((entry) => entry.manager === manager);
}

function owns(fields: JsonObject | undefined, path: FieldPath): boolean {
  let tree: JsonValue | undefined = fields;
  for (const step of path) {
    if (!isTree(tree)) return false;
    // A field that is owned as one piece has no steps below it.
    if (tree !== fields && Object.keys(tree).length === 0) return true;
    tree = tree[step];
  }
  return tree !== undefined;
}

function isTree(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
