import { definitionCollection } from '../../apiserver/background/definition-controller.ts';
import { judgeStored } from '../../apiserver/definitions/judge-stored.ts';
import type { JsonObject } from '../../apiserver/json.ts';
import { fieldDifferences } from '../../core/field-differences.ts';
import type { DesiredObject } from '../../core/kube-object.ts';
import { type KindId, kindId, type ResourceType } from '../../core/resource-type.ts';
import { type ClusterApi, isApiError } from '../../ports/cluster-api.ts';
import type { ChangeRecorder, ObjectChange } from '../changes/change-recorder.ts';
import type { CopiedObjects } from '../fork/copied-objects.ts';
import type { PlanError, PlannedDefinition, PlannedEffect } from '../report/plan-report.ts';

const PAGE_SIZE = 500;

export interface DefinitionEffects {
  readonly definitions: readonly PlannedDefinition[];
  readonly errors: readonly PlanError[];
}

export interface EffectParts {
  readonly live: ClusterApi;
  readonly copies: CopiedObjects;
  readonly recorder: ChangeRecorder;
  readonly definitions: ReadonlyMap<KindId, DesiredObject>;
}

/**
 * Installs the planned CustomResourceDefinitions in the fork, and checks the stored objects against those that change.
 */
export async function planDefinitions(parts: EffectParts): Promise<DefinitionEffects> {
  const found: PlannedDefinition[] = [];
  const errors: PlanError[] = [];
  for (const definition of parts.definitions.values()) {
    const type = storedType(definition);
    if (type === undefined) continue;
    try {
      await parts.copies.kind(type);
      const objects = await effectsOf(type, parts);
      if (objects.length > 0) found.push({ name: kindId(type), objects });
    } catch (error) {
      if (!isApiError(error)) throw error;
      errors.push({ kind: kindId(type), namespace: '', name: '', error: error.message });
    }
  }
  return { definitions: found, errors };
}

async function effectsOf(type: ResourceType, { live, copies, recorder }: EffectParts): Promise<PlannedEffect[]> {
  if (copies.uncompared.has(kindId(type))) return [];
  const changed = recorder.changes().find((change) => isChanged(change) && change.name === kindId(type));
  if (changed?.after === undefined) return [];
  const effects: PlannedEffect[] = [];
  let next: { limit: number; continueToken?: string } | undefined = { limit: PAGE_SIZE };
  while (next !== undefined) {
    const page: Awaited<ReturnType<ClusterApi['list']>> = await live.list(type, next);
    for (const item of page.items) {
      const { namespace = '', name } = item.metadata;
      const judged = judgeStored(changed.after, item as unknown as JsonObject);
      if (Object.values(judged).some((paths: readonly unknown[]) => paths.length > 0)) {
        effects.push({ namespace, name, ...judged });
      }
    }
    const { continueToken, nextLimit = PAGE_SIZE } = page;
    next = continueToken === undefined ? undefined : { limit: nextLimit, continueToken };
  }
  return effects;
}

/** Whether a definition changes. One that is not in the cluster has no stored objects. */
function isChanged({ collection, before, after }: ObjectChange): boolean {
  if (collection !== definitionCollection || before === undefined) return false;
  return fieldDifferences({ spec: before.spec }, { spec: after?.spec }).length > 0;
}

/** The version with which the kind's objects are listed. */
function storedType({ spec }: DesiredObject): ResourceType | undefined {
  const { group, scope, names, versions } = spec as {
    group: string;
    scope: string;
    names: { plural: string; kind: string };
    versions: { name: string; served: boolean; storage: boolean }[];
  };
  const version = versions.find(({ served, storage }) => served && storage) ?? versions.find(({ served }) => served);
  if (version === undefined) return undefined;
  return { group, version: version.name, plural: names.plural, kind: names.kind, namespaced: scope === 'Namespaced' };
}
