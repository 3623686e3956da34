import type { Controller } from '../../core/controller.ts';
import { FaultsError } from '../../core/errors.ts';
import type { DesiredObject } from '../../core/kube-object.ts';
import { kindId } from '../../core/resource-type.ts';
import { type Rollout, RolloutShare } from '../../core/rollout.ts';
import { type ControllerGroups, GROUPS } from '../groups/registered-groups.ts';
import { bundledControllers } from '../installation/bundled-controllers.ts';
import { installedRegistry } from '../installation/installed-registry.ts';
import { bundledDefinitions } from '../package/manifests.ts';
import type { Settings } from '../settings/settings-schema.ts';
import type { Definition } from './definition-schema.ts';
import { importModule } from './import-module.ts';
import { type Placed, readModule } from './read-module.ts';
import { unreadableFields } from './readable-by.ts';
import { readSavedPlan } from './saved-plan.ts';

/** The controllers of the setting `controllers`, which run in addition to those of this package. */
export interface OwnControllers {
  readonly controllers: readonly Controller[];
  /** Their CustomResourceDefinitions. */
  readonly definitions: readonly DesiredObject[];
  /** New versions of some of the controllers. */
  readonly rollouts?: readonly Rollout[];
}

export const NO_OWN_CONTROLLERS: OwnControllers = { controllers: [], definitions: [] };

/** The names of their controller groups. */
export function groupNames({ controllers }: OwnControllers): readonly string[] {
  return [...new Set(controllers.map(({ group }) => group))];
}

const BROKEN = 'INVALID_CONTROLLERS';

/**
 * In addition to our groups: the relay has the Lease `evenkeel-relay`, and all groups share the roles in
 * `roles/shared`.
 */
const RESERVED_GROUPS: readonly string[] = ['relay', 'shared'];

/** Field managers `evenkeel-<name>` that evenkeel itself uses. */
const RESERVED_NAMES = new Set(['deployment', 'events', 'examples', 'install', 'relay', 'uninstall']);

/** Names that a controller cannot have because its group would have the same name. */
export function takenControllerNames(groups: ControllerGroups = GROUPS): ReadonlySet<string> {
  const ours = bundledControllers(groups).map(({ name }) => name);
  return new Set([...RESERVED_NAMES, ...RESERVED_GROUPS, ...groups.map(({ name }) => name), ...ours]);
}

/**
 * Loads the modules of the settings.
 * @param groups our controller groups.
 * @param wholeErrors whether an error of a module while it loads is shown with its text: only for the embedded cluster.
 * @throws EvenkeelError INVALID_CONTROLLERS, with one line for each error: which file, which entry, which field, what
 * to do.
 */
export async function ownControllers(
  settings: Settings,
  { wholeErrors = false, groups = GROUPS }: { wholeErrors?: boolean; groups?: ControllerGroups } = {},
): Promise<OwnControllers> {
  const files = settings.controllers ?? [];
  if (files.length === 0) return NO_OWN_CONTROLLERS;
  const options = {
    wholeErrors,
    groups,
    installed: installedRegistry({ groups: settings.groups }, { groups }).controllers,
  };
  const own = await modulesOf(files, options);
  const { rollout } = settings;
  if (rollout?.controllers === undefined) return own;
  const next = await modulesOf(rollout.controllers, options);
  assertReadable(own, next);
  const planned = rollout.plan === undefined ? undefined : readSavedPlan(rollout.plan);
  const active = rollout.stages.slice(0, rollout.stage);
  return {
    controllers: own.controllers,
    definitions: [...own.definitions.filter((each) => definitionOf(next, each) === undefined), ...next.definitions],
    rollouts: next.controllers.map((controller) => ({
      next: controller,
      share: new RolloutShare(controller.version, active),
      ...(planned !== undefined && { planned }),
    })),
  };
}

function definitionOf({ definitions }: OwnControllers, { metadata }: DesiredObject): DesiredObject | undefined {
  return definitions.find((known) => known.metadata.name === metadata.name);
}

/**
 * Checks that both versions can read the objects, because both use one definition and a rollback must stay possible.
 * @throws EvenkeelError INVALID_CONTROLLERS
 */
function assertReadable(current: OwnControllers, next: OwnControllers): void {
  const faults = next.definitions.flatMap((definition) => {
    const before = definitionOf(current, definition);
    const { name } = definition.metadata;
    return before === undefined
      ? []
      : unreadableFields(before, definition).map(
          (what) =>
            `rollout.controllers: ${name}: ${what}, so the version before cannot read it. Add what is new next to it.`,
        );
  });
  if (faults.length > 0) throw new FaultsError(BROKEN, faults);
}

/**
 * Loads modules of an author.
 * @param files absolute paths.
 * @param options.installed the controllers that run together with the author's; by default all controllers of this
 * release.
 * @throws EvenkeelError INVALID_CONTROLLERS as ownControllers.
 */
export async function modulesOf(
  files: readonly string[],
  options: {
    readonly wholeErrors?: boolean;
    readonly groups?: ControllerGroups;
    readonly installed?: readonly Controller[];
  } = {},
): Promise<OwnControllers> {
  const { wholeErrors = false, groups = GROUPS, installed = bundledControllers(groups) } = options;
  const controllers: Placed<Controller>[] = [];
  const definitions: Placed<Definition>[] = [];
  const faults: string[] = [];
  for (const file of files) {
    const read = readModule(file, await importModule(file, wholeErrors));
    controllers.push(...read.controllers);
    definitions.push(...read.definitions);
    faults.push(...read.faults);
  }
  faults.push(
    ...controllers.flatMap((controller) => [...reservedName(controller), ...reservedGroup(controller, groups)]),
    ...repeated(controllers, ({ name }) => `the name ${name}`, installed),
    ...repeated(controllers, ({ type }) => `the kind ${kindId(type)}`, installed),
    ...repeated(
      definitions,
      ({ metadata }) => `the definition ${metadata.name}`,
      bundledDefinitions(groups) as Definition[],
    ),
    ...controllers.flatMap((controller) => mismatches(controller, definitions)),
  );
  if (faults.length > 0) throw new FaultsError(BROKEN, [...new Set(faults)]);
  return {
    controllers: controllers.map(({ value }) => value),
    definitions: definitions.map(({ value }) => value),
  };
}

function reservedName({ value: { name }, at }: Placed<Controller>): string[] {
  if (!RESERVED_NAMES.has(name)) return [];
  return [
    `${at}.name: the field manager evenkeel-${name} is evenkeel's own; use another name, such as ${name}-controller.`,
  ];
}

function reservedGroup({ value, at }: Placed<Controller>, groups: ControllerGroups): string[] {
  if (!RESERVED_GROUPS.includes(value.group) && !groups.some(({ name }) => name === value.group)) return [];
  return [`${at}.group: ${value.group} is reserved for evenkeel; use another one, such as ${value.name}-group.`];
}

/** @param taken texts that are not free. */
function repeated<Value>(found: readonly Placed<Value>[], of: (value: Value) => string, taken: readonly Value[]) {
  const holders = new Map(taken.map((value) => [of(value), "evenkeel's own"]));
  return found.flatMap(({ value, at }) => {
    const what = of(value);
    const holder = holders.get(what);
    holders.set(what, at);
    return holder === undefined ? [] : [`${at}: ${what} is in use already: ${holder}. Remove one of them.`];
  });
}

/** The differences between a controller and the definition of its kind, which are written separately. */
function mismatches({ value, at }: Placed<Controller>, definitions: readonly Placed<Definition>[]): string[] {
  const { type } = value;
  const definition = definitions.find((known) => known.value.metadata.name === kindId(type));
  if (definition === undefined) return [];
  const { names, scope, versions } = definition.value.spec;
  const served = versions.filter((version) => version.served).map(({ name }) => name);
  const version = versions.find(({ name }) => name === type.version);
  const hasStatus = version?.subresources?.status !== undefined;
  const differ = (field: string, written: unknown, defined: string) =>
    `${at}.type.${field}: is ${String(written)}, and ${definition.at} says ${defined}.`;
  return [
    ...(names.kind === type.kind ? [] : [differ('kind', type.kind, names.kind)]),
    ...((scope === 'Namespaced') === type.namespaced ? [] : [differ('namespaced', type.namespaced, scope)]),
    ...(hasStatus || version === undefined
      ? []
      : [`${definition.at}: version ${version.name} has no status. Add subresources: {status: {}} to it.`]),
    ...(served.includes(type.version) ? [] : [differ('version', type.version, `served: ${served.join(', ')}`)]),
  ];
}
