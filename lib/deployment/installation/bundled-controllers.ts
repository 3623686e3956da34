import type { Controller } from '../../core/controller.ts';
import { GROUP_NAMES } from '../settings/group-sections.ts';
import { settingsSchema } from '../settings/settings-schema.ts';
import { installedRegistry } from './installed-registry.ts';

/** Every controller of this release, whatever some settings install: any may have put its finalizer on an object once. */
export function bundledControllers(): readonly Controller[] {
  const groups = Object.fromEntries(GROUP_NAMES.map((name) => [name, {}]));
  return installedRegistry(settingsSchema.parse({ groups })).controllers;
}
