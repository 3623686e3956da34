import type { DesiredObject } from '../../lib/core/kube-object.ts';
import { kindId, type ResourceType } from '../../lib/core/resource-type.ts';

/** A reconciled kind, with every name that a person may use for it. */
export interface KnownKind {
  readonly type: ResourceType;
  /** In lower case; the kind itself is first. */
  readonly names: readonly string[];
}

/**
 * @param types of the installed controllers.
 * @param definitions CustomResourceDefinitions, for their singular and short names.
 */
export function knownKinds(types: readonly ResourceType[], definitions: readonly DesiredObject[]): KnownKind[] {
  const namesById = new Map(definitions.map((definition) => [definition.metadata.name, definedNames(definition)]));
  return types.map((type) => {
    const id = kindId(type);
    const names = [type.kind, type.plural, id, ...(namesById.get(id) ?? [])].map((name) => name.toLowerCase());
    return { type, names: [...new Set(names)] };
  });
}

export function findKind(word: string, kinds: readonly KnownKind[]): ResourceType | undefined {
  return kinds.find(({ names }) => names.includes(word.toLowerCase()))?.type;
}

function definedNames(definition: DesiredObject): string[] {
  const { names } = (definition.spec ?? {}) as { names?: { singular?: string; shortNames?: string[] } };
  return [...(names?.singular === undefined ? [] : [names.singular]), ...(names?.shortNames ?? [])];
}
