import type { Controller } from '../core/controller.ts';
import { EvenkeelError } from '../core/errors.ts';
import { definedGroup, withGroupValues } from '../kit/group/group-values.ts';

/** What a test gives to the controllers of a group. */
export interface TestGroupValues {
  /** As a person writes them in the group's section of the settings file. Default: `{}`. */
  readonly settings?: unknown;
  /** The texts of its secrets, by name. A secret that is left out is missing, as it would be in a deployment. */
  readonly secrets?: Readonly<Record<string, string>>;
}

/**
 * Gives controllers the settings and secrets of their group, for `World`, `simulate` and `replay`. Controllers of other groups
 * are returned as they are. To change a secret in a test, change the object `secrets`.
 * @param values by the names of the groups of `defineGroup`. A group that is left out gets its default settings and no secret.
 * @throws EvenkeelError INVALID_SETTINGS for settings that the group's schema refuses, and for a name that is no group's.
 */
export function configured(
  controllers: readonly Controller[],
  values: Readonly<Record<string, TestGroupValues>> = {},
): Controller[] {
  const groups = new Set(controllers.flatMap((controller) => definedGroup(controller)?.name ?? []));
  const unknown = Object.keys(values).find((name) => !groups.has(name));
  if (unknown !== undefined) {
    throw invalid(`${unknown}: no controller is in a group of this name. There are: ${[...groups].join(', ')}`);
  }
  return controllers.map((controller) => {
    const group = definedGroup(controller);
    if (group === undefined) return controller;
    const { settings = {}, secrets = {} } = values[group.name] ?? {};
    const parsed = group.settings.strict().safeParse(settings);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      throw invalid(`${[group.name, ...(issue?.path ?? [])].map(String).join('.')}: ${issue?.message}`);
    }
    return withGroupValues(controller, {
      settings: parsed.data,
      secret: async (name) => textOf(group.name, name, secrets),
    });
  });
}

function textOf(group: string, name: string, secrets: Readonly<Record<string, string>>): string {
  const text = secrets[name]?.trim();
  if (text !== undefined && text !== '') return text;
  throw new EvenkeelError(
    'SECRET_MISSING',
    `the test gives group ${group} no secret ${name}. Give it by configured().`,
  );
}

function invalid(fault: string): EvenkeelError {
  return new EvenkeelError('INVALID_SETTINGS', fault);
}
