import type { DurableValues, ReconcileContext } from '../../core/reconcile-context.ts';

/**
 * Saves some of the durable values: undefined removes a value, and all others stay. Nothing is written when nothing
 * changes.
 */
export async function saveFields(
  context: ReconcileContext,
  fields: Readonly<Record<string, DurableValues[string] | undefined>>,
): Promise<void> {
  const all: Record<string, DurableValues[string] | undefined> = { ...context.values, ...fields };
  const values: Record<string, DurableValues[string]> = {};
  for (const [name, value] of Object.entries(all)) if (value !== undefined) values[name] = value;
  await context.saveValues(values);
}
