import type { Controller } from '../../core/controller.ts';
import { type ControllerGroups, GROUPS } from '../groups/registered-groups.ts';
import { settingsSchemaOf } from '../settings/settings-schema.ts';
import { installedRegistry } from './installed-registry.ts';

/** Every controller of this release, independent of settings: any of them may have put its finalizer on an object. */
export function bundledControllers(groups: ControllerGroups = GROUPS): readonly Controller[] {
  const sections = Object.fromEntries(groups.map(({ name }) => [name, {}]));
  const settings = settingsSchemaOf(groups).parse({ groups: sections });
  return installedRegistry(settings, { groups }).controllers;
}
