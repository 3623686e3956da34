import type { DesiredObject } from '../../core/kube-object.ts';
import { kindId } from '../../core/resource-type.ts';
import type { Registry } from '../../engine/registry.ts';
import { type ControllerGroups, GROUPS } from '../groups/registered-groups.ts';
import { bundledDefinitions } from '../package/manifests.ts';

/** The CRDs of this package for the kinds that are reconciled, owned or read. */
export function neededDefinitions(registry: Registry, groups: ControllerGroups = GROUPS): DesiredObject[] {
  const types = registry.controllers.flatMap(({ type, owns, reads }) => [
    type,
    ...owns,
    ...reads.map((read) => read.type),
  ]);
  const needed = new Set(types.map(kindId));
  return bundledDefinitions(groups).filter(({ metadata }) => needed.has(metadata.name));
}
