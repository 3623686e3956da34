import { z } from 'zod';
import type { ControllerGroup } from '../../controllers/group.ts';
import type { Controller } from '../../core/controller.ts';
import type { DesiredObject } from '../../core/kube-object.ts';
import { kindId } from '../../core/resource-type.ts';
import { type ControllerGroups, GROUPS } from '../groups/registered-groups.ts';
import { declaredPermissions } from '../kubernetes/author-permissions.ts';

/** An author's group has no settings section of its own. Its module contains its configuration. */
const section = z.strictObject({}).prefault({});

/** The controller groups of this release and the groups of an author's controllers, sorted by name. */
export function withAuthorGroups(
  controllers: readonly Controller[],
  definitions: readonly DesiredObject[] = [],
): ControllerGroups {
  return [...GROUPS, ...authorGroups(controllers, definitions)].sort((left, right) =>
    left.name < right.name ? -1 : 1,
  );
}

/**
 * Makes a controller group from each group of an author's controllers, so that it has everything that a manifest gives
 * to a group.
 * @param definitions the CRDs of their kinds. A kind without one belongs to another package.
 */
export function authorGroups(
  controllers: readonly Controller[],
  definitions: readonly DesiredObject[] = [],
): ControllerGroups {
  const byGroup = Map.groupBy(controllers, ({ group }) => group);
  return [...byGroup].map(([name, own]) => authorGroup(name, own, definitions));
}

function authorGroup(
  name: string,
  controllers: readonly Controller[],
  definitions: readonly DesiredObject[],
): ControllerGroup {
  const kinds = controllers.map(({ type }) => type);
  return {
    name,
    about: `Reconciles ${kinds.map(({ kind }) => kind).join(', ')}.`,
    pages: [],
    kinds: kinds.flatMap((type) => {
      const definition = definitions.find(({ metadata }) => metadata.name === kindId(type));
      return definition === undefined ? [] : [{ type, definition }];
    }),
    section,
    permissions: declaredPermissions(controllers),
    controllers: () => controllers,
  };
}
