import type { ControllerGroup } from '../../controllers/group.ts';
import type { Controller } from '../../core/controller.ts';
import { EvenkeelError } from '../../core/errors.ts';
import type { DesiredObject } from '../../core/kube-object.ts';
import { kindId } from '../../core/resource-type.ts';
import { SECRET_FILES } from '../../kit/group/define-group.ts';
import { definedGroup, type GroupValues, withGroupValues } from '../../kit/group/group-values.ts';
import { type ControllerGroups, GROUPS } from '../groups/registered-groups.ts';
import { declaredPermissions } from '../kubernetes/author-permissions.ts';
import { connectSecrets, declaredSecrets } from './group-secrets.ts';
import { groupSection } from './group-section.ts';

type Section = Readonly<Record<string, unknown>>;

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
 * @param unknownFields of their settings, as groupSection.
 */
export function authorGroups(
  controllers: readonly Controller[],
  definitions: readonly DesiredObject[] = [],
  unknownFields?: 'refused' | 'dropped',
): ControllerGroups {
  const byGroup = Map.groupBy(controllers, ({ group }) => group);
  return [...byGroup].map(([name, own]) => authorGroup(name, own, definitions, unknownFields));
}

function authorGroup(
  name: string,
  controllers: readonly Controller[],
  definitions: readonly DesiredObject[],
  unknownFields: 'refused' | 'dropped' | undefined,
): ControllerGroup<Section, GroupValues['secret']> {
  const kinds = controllers.map(({ type }) => type);
  const group = controllers.map(definedGroup).find((found) => found !== undefined);
  const secrets = group === undefined ? [] : declaredSecrets(group);
  return {
    name,
    about: group?.about ?? `Reconciles ${kinds.map(({ kind }) => kind).join(', ')}.`,
    pages: [],
    kinds: kinds.flatMap((type) => {
      const definition = definitions.find(({ metadata }) => metadata.name === kindId(type));
      return definition === undefined ? [] : [{ type, definition }];
    }),
    section: groupSection(group, unknownFields),
    permissions: declaredPermissions(controllers),
    ...(group !== undefined &&
      secrets.length > 0 && {
        secrets,
        files: secrets.map(({ file = [] }) => ({
          path: file,
          inCloud: 'a cloud deployment reads the secret from Secrets Manager. Remove it.',
        })),
        clients: { connect: (section: Section, ports) => connectSecrets(name, section, ports) },
      }),
    controllers: (section, { clients = runsNoPass }) => {
      const { [SECRET_FILES]: _, ...settings } = section;
      return controllers.map((controller) => withGroupValues(controller, { settings, secret: clients }));
    },
  };
}

/** In a process that runs no pass of the group. */
async function runsNoPass(name: string): Promise<never> {
  throw new EvenkeelError('SECRET_MISSING', `the secret ${name} is not read in a process that runs no pass`);
}
