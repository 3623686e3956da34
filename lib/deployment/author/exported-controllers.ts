import type { Controller } from '../../core/controller.ts';
import { isController } from './controller-schema.ts';

/** What a module exports that names its controllers: the list `controllers`, or each export that is one. */
export type ModuleExports = Readonly<Record<string, unknown>>;

/** Something that a module exports as a controller, with its place there, e.g. `controllers[0]`. */
export interface ExportedEntry {
  readonly value: unknown;
  readonly name: string;
}

/** What a module exports as its controllers, whether it is right or not. */
export function exportedEntries(exported: ModuleExports): ExportedEntry[] {
  const { controllers } = exported;
  if (Array.isArray(controllers)) return controllers.map((value, index) => ({ value, name: `controllers[${index}]` }));
  if (controllers !== undefined) return [];
  return Object.entries(exported).flatMap(([name, value]) => (isController(value) ? [{ value, name }] : []));
}

/** The controllers of a module. */
export function exportedControllers(exported: ModuleExports): Controller[] {
  return exportedEntries(exported)
    .map(({ value }) => value)
    .filter(isController);
}
