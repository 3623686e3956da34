import type { Controller } from '../../core/controller.ts';
import type { Rollout } from '../../core/rollout.ts';
import { Registry } from '../../engine/registry.ts';
import type { ObjectSeries } from '../../ports/object-series.ts';
import { installedGroups } from '../groups/installed-groups.ts';
import { type ControllerGroups, GROUPS } from '../groups/registered-groups.ts';
import type { Settings } from '../settings/settings-schema.ts';
import { newPassword } from './new-password.ts';

/** What a process passes to the controllers. Only passes need secrets and clients. */
export interface RegistryParts {
  /** The secrets that the deployment creates, by their names in the manifests. */
  readonly secrets?: Readonly<Record<string, string>>;
  readonly series?: ObjectSeries | undefined;
  /** The results of `connect`, by the group's name. */
  readonly clients?: Readonly<Record<string, unknown>>;
  /** The controllers of other authors that run together with ours. */
  readonly own?: readonly Controller[];
  /** New versions of some of these. */
  readonly rollouts?: readonly Rollout[] | undefined;
  /** All groups that can be installed. */
  readonly groups?: ControllerGroups;
}

/** The controllers that the settings install. */
export function installedRegistry(
  settings: Pick<Settings, 'groups'> & Partial<Pick<Settings, 'rollout'>>,
  parts: RegistryParts = {},
): Registry {
  const { secrets = {}, series, clients = {}, own = [], rollouts = [], groups = GROUPS } = parts;
  const controllers = installedGroups(settings, groups).flatMap(({ manifest, section }) =>
    manifest.controllers(section, {
      secret: (name) => secrets[name] ?? '',
      series,
      clients: clients[manifest.name],
      newPassword,
    }),
  );
  const { rollout } = settings;
  // A rollout without modules is for new code of the same controllers.
  const active =
    rollout === undefined || rollout.controllers !== undefined ? undefined : rollout.stages.slice(0, rollout.stage);
  return new Registry([...controllers, ...own], rollouts, active);
}
