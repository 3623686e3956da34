import type { Controller } from '../../core/controller.ts';
import { type ControllerGroups, GROUPS } from '../groups/registered-groups.ts';
import { settingsSchemaOf } from '../settings/settings-schema.ts';
import { installedRegistry } from './installed-registry.ts';

/** Every controller of this release, whatever some settings install: any may have put its finalizer on an object once. */
export function bundledControllers(groups: ControllerGroups = GROUPS): readonly Controller[] {
  const sections = Object.fromEntries(groups.map(({ name }) => [name, {}]));
  const settings = settingsSchemaOf(groups).parse({ groups: sections });
  return installedRegistry(settings, { groups }).controllers;
}
