import type { JsonObject, JsonValue, KubeObject } from '../../core/kube-object.ts';
import { identityGuards } from './identity-guards.ts';
import { ownEntries } from './unchanged.ts';

/**
 * The JSON patch that turns the manager's `Update` entries (left by a create) into its `Apply` entry, so that fields
 * that are dropped later are pruned by the next apply; undefined when there is none. Guarded by UID and version.
 */
export function migrateToApply(observed: KubeObject, manager: string): JsonValue[] | undefined {
  const own = ownEntries(observed, manager);
  if (!own.some(({ operation }) => operation === 'Update')) return undefined;
  const others = (observed.metadata.managedFields ?? []).filter((entry) => !own.includes(entry));
  const merged = {
    ...own[0],
    operation: 'Apply',
    fieldsV1: own.reduce<JsonObject>((fields, entry) => union(fields, entry.fieldsV1 ?? {}), {}),
  };
  return [
    ...identityGuards(observed.metadata),
    {
      op: 'replace',
      path: '/metadata/managedFields',
      value: JSON.parse(JSON.stringify([...others, merged])) as JsonValue,
    },
  ];
}

function union(left: JsonObject, right: JsonObject): JsonObject {
  const result: JsonObject = { ...left };
  for (const [step, below] of Object.entries(right)) {
    const existing = result[step];
    result[step] = isTree(existing) && isTree(below) ? union(existing, below) : (existing ?? below);
  }
  return result;
}

function isTree(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
