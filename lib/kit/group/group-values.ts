import type { Controller } from '../../core/controller.ts';
import { EvenkeelError } from '../../core/errors.ts';
import { reconcilerVersion } from '../../core/reconciler-version.ts';
import type { Group } from './define-group.ts';

/** What a process gives to the controllers of a group. */
export interface GroupValues {
  /** As the group's schema parsed them. */
  readonly settings: unknown;
  /**
   * The present text of a secret, without white space at its ends.
   * @throws EvenkeelError SECRET_MISSING, SECRET_UNREADABLE; the message quotes nothing of a secret.
   */
  secret(name: string): Promise<string>;
}

/** A controller whose group was defined by `defineGroup`. */
export interface GroupController extends Controller {
  readonly definedGroup: Group;
  /** Its functions, with the values of the group. */
  withValues(values: GroupValues): Pick<Controller, 'reconcile' | 'finalize'>;
}

/** The group of a controller, when `defineGroup` made it. */
export function definedGroup(controller: Controller): Group | undefined {
  return isGroupController(controller) ? controller.definedGroup : undefined;
}

/**
 * The controller with the values of its group. Its version changes with the settings, so that changed settings start a pass
 * of every object. Secrets are no part of it.
 */
export function withGroupValues(controller: Controller, values: GroupValues): Controller {
  if (!isGroupController(controller)) return controller;
  const { definedGroup: group, version } = controller;
  const decides = Object.keys(group.settings.shape).length > 0;
  return {
    ...controller,
    ...controller.withValues(values),
    ...(decides && { version: reconcilerVersion(version, plainData(values.settings)) }),
  };
}

/** The values where nobody gave any: the defaults of the settings, and no secret. */
export function defaultValues({ name, settings }: Group): GroupValues {
  const parsed = settings.safeParse({});
  const fault = (code: string, what: string) =>
    new EvenkeelError(code, `group ${name}: ${what}. In a test, give it by configured(controllers, values).`);
  return {
    get settings() {
      if (parsed.success) return parsed.data;
      throw fault('SETTINGS_MISSING', 'its settings have fields without a default, and were not given');
    },
    secret: async (secret) => {
      throw fault('SECRET_MISSING', `the secret ${secret} was not given`);
    },
  };
}

function isGroupController(controller: Controller): controller is GroupController {
  const { definedGroup: group, withValues } = controller as Partial<GroupController>;
  return typeof group === 'object' && typeof withValues === 'function';
}

/** Settings may hold what a transformation made, such as a Date or a URL: each has a form in JSON. */
function plainData(settings: unknown): object {
  return JSON.parse(JSON.stringify(settings, (_, value) => (typeof value === 'bigint' ? String(value) : value)));
}
