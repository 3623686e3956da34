import type { Controller } from '../../core/controller.ts';
import { isController } from './controller-schema.ts';

/** The exports of a module. Its controllers are in the list `controllers`, or each one is an export. */
export type ModuleExports = Readonly<Record<string, unknown>>;

/** An export that is meant as a controller, with its place in the module, e.g. `controllers[0]`. */
export interface ExportedEntry {
  readonly value: unknown;
  readonly name: string;
}

/** The exports of a module that are meant as controllers, valid or not. */
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
