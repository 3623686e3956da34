import { updateManagedFields, type Writer } from '../fields/fields.ts';
import { ensureObject, type JsonObject, objectAt } from '../json.ts';
import { apiTime, type ServerState } from '../state/server-state.ts';
import type { Target, WriteOptions } from '../state/target.ts';

/** Updates `metadata.managedFields` of a created, updated or patched object, in place. */
export function recordUpdate(
  state: ServerState,
  target: Target,
  before: JsonObject | undefined,
  after: JsonObject,
  options: WriteOptions,
): void {
  const recorded = updateManagedFields({ ...writer(state, target, options), before, after });
  const managedFields = objectAt(recorded, 'metadata')?.managedFields;
  const metadata = ensureObject(after, 'metadata');
  if (managedFields === undefined) delete metadata.managedFields;
  else metadata.managedFields = managedFields;
}

/** The manager and the endpoint of a write, for field management. */
export function writer(state: ServerState, { type, version }: Target, options: WriteOptions): Writer {
  return {
    manager: options.manager,
    node: version.node,
    apiVersion: version.apiVersion,
    time: apiTime(state.clock()),
    subresource: options.subresource,
    resetFields: resetFields(type.strategy.statusSubresource, options.subresource),
  };
}

function resetFields(statusSubresource: boolean, subresource: WriteOptions['subresource']): readonly string[] {
  if (!statusSubresource) return [];
  return subresource === 'status' ? ['metadata', 'spec'] : ['status'];
}
