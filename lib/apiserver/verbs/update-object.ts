import { ApiError, badRequest, conflict, invalid, notFound } from '../api-error.ts';
import { invalidValue } from '../field-issue.ts';
import { keepTimes } from '../fields/fields.ts';
import { deepEqual, ensureObject, type JsonObject, numberAt, objectAt, stringAt, stringsAt } from '../json.ts';
import { validateMetadata, validateMetadataUpdate } from '../metadata/validate-metadata.ts';
import { admitted } from '../state/admission.ts';
import type { ResourceType } from '../state/resource-type.ts';
import type { ServerState } from '../state/server-state.ts';
import { objectKey } from '../state/stored-object.ts';
import type { Target, WriteOptions } from '../state/target.ts';
import { matchNamespace, toStorage } from './create-object.ts';
import { recordUpdate } from './field-management.ts';
import { kindOf, shapeDecoded, typeIssues } from './shape-decoded.ts';
import type { Written } from './written.ts';

const modified = 'the object has been modified; please apply your changes to the latest version and try again';

/**
 * Replaces the object by the result of `produce`, which must not change its argument. A result that equals the present
 * state writes nothing. An update that removes the last finalizer of a deleting object removes the object.
 * @throws ApiError for everything that the real server refuses: no such object, a stale resourceVersion, an invalid
 * result.
 */
export function updateObject(
  state: ServerState,
  target: Target,
  produce: (present: JsonObject) => JsonObject,
  options: WriteOptions,
): Written {
  const { type, version, name, namespace } = target;
  const { strategy } = type;
  const key = objectKey(namespace, name);
  const stored = state.store.get(type.collection, key);
  if (stored === undefined) throw notFound(type, name);
  const old = stored.view(version);
  const produced = produce(old);
  let object = options.subresource === '' ? admitted(state, 'UPDATE', target, produced) : produced;
  const metadata = ensureObject(object, 'metadata');
  matchNamespace(metadata, target);
  requireName(metadata, name);
  shapeDecoded(object, target, options);
  requireVersion(type, name, metadata, stored.metadata);

  if (options.origin !== 'apply' && !deepEqual(object, old)) recordUpdate(state, target, old, object, options);

  const oldMetadata = stored.metadata;
  if (oldMetadata.generation === undefined) delete metadata.generation;
  else metadata.generation = oldMetadata.generation;
  strategy.prepareForUpdate?.(object, old, options.subresource);
  keepStatus(object, old, type, options);
  // A status update of a custom resource has put back the metadata of the old object.
  const kept = ensureObject(object, 'metadata');
  keepSystemFields(kept, oldMetadata);
  if (strategy.generation && desiredStateChanged(object, old, type)) {
    kept.generation = (numberAt(oldMetadata, 'generation') ?? 0) + 1;
  }
  if (options.origin === 'apply') object = keepTimes(old, object);

  const ofType = typeIssues(object, target);
  const issues = [
    ...validateMetadata(kept, type.scope, 'path'),
    ...validateMetadataUpdate(kept, oldMetadata),
    ...(ofType.length > 0
      ? ofType
      : [
          // The real server checks this twice too, and reports each error twice.
          ...validateMetadataUpdate(kept, oldMetadata),
          ...(strategy.validateUpdate?.(object, old, options.subresource, version) ?? []),
        ]),
  ];
  if (issues.length > 0) throw invalid(type.group, kindOf(object, type), name, issues);

  if (options.subresource === '') strategy.admitUpdate?.(object, old, state.store);

  if (isReleased(object, type)) {
    if (!options.dryRun) state.store.remove(type.collection, key);
    return { object, stored: undefined, created: false };
  }
  if (deepEqual(object, old)) return { object: old, stored, created: false };
  if (options.dryRun) return { object, stored: undefined, created: false };
  const written = state.store.put(type.collection, key, toStorage(target, object), version);
  return { object: written.view(version), stored: written, created: false };
}

function requireName(metadata: JsonObject, name: string): void {
  const own = stringAt(metadata, 'name');
  if (own === '') metadata.name = name;
  else if (own !== name) {
    throw badRequest(`the name of the object (${own}) does not match the name on the URL (${name})`);
  }
}

/** Fields that only the server sets. An update may leave them out, and may not change most of them. */
function keepSystemFields(metadata: JsonObject, old: JsonObject): void {
  if (stringAt(metadata, 'uid') === '') metadata.uid = old.uid ?? '';
  for (const field of ['creationTimestamp', 'deletionTimestamp']) {
    const value = old[field];
    if (value !== undefined) metadata[field] = value;
    else if (metadata[field] === null) delete metadata[field];
  }
  const grace = old.deletionGracePeriodSeconds;
  if (grace !== undefined && numberAt(metadata, 'deletionGracePeriodSeconds') === undefined) {
    metadata.deletionGracePeriodSeconds = grace;
  }
}

function requireVersion(type: ResourceType, name: string, metadata: JsonObject, old: JsonObject): void {
  const given = stringAt(metadata, 'resourceVersion');
  const present = stringAt(old, 'resourceVersion');
  if (given === present) return;
  if (given === '' || given === '0') {
    if (!type.strategy.unconditionalUpdate) {
      const issue = invalidValue('metadata.resourceVersion', 0, 'must be specified for an update');
      throw invalid(type.group, type.resource, name, [issue]);
    }
    metadata.resourceVersion = present;
    return;
  }
  if (!/^\d+$/.test(given)) {
    throw new ApiError(500, '', `strconv.ParseUint: parsing ${JSON.stringify(given)}: invalid syntax`);
  }
  throw conflict(type, name, modified);
}

/**
 * With a status subresource, the main endpoint does not change the status, and the subresource changes nothing else.
 */
function keepStatus(object: JsonObject, old: JsonObject, type: ResourceType, options: WriteOptions): void {
  if (!type.strategy.statusSubresource) return;
  if (options.subresource === '') {
    if (old.status === undefined) delete object.status;
    else object.status = old.status;
    return;
  }
  if (options.subresource !== 'status') return;
  for (const member of Object.keys(object)) {
    if (member !== 'status' && member !== 'metadata' && old[member] === undefined) delete object[member];
  }
  for (const [member, value] of Object.entries(old)) {
    if (member !== 'status' && member !== 'metadata') object[member] = value;
  }
  if (!type.custom) return;
  const managedFields = objectAt(object, 'metadata')?.managedFields;
  const metadata: JsonObject = { ...objectAt(old, 'metadata') };
  if (managedFields === undefined) delete metadata.managedFields;
  else metadata.managedFields = managedFields;
  object.metadata = metadata;
}

function desiredStateChanged(object: JsonObject, old: JsonObject, type: ResourceType): boolean {
  if (type.strategy.changesGeneration !== undefined) return type.strategy.changesGeneration(object, old);
  const members = new Set([...Object.keys(object), ...Object.keys(old)]);
  members.delete('metadata');
  if (type.strategy.statusSubresource) members.delete('status');
  return [...members].some((member) => !deepEqual(object[member], old[member]));
}

/** Whether nothing delays the deletion of the object any more. */
export function isReleased(object: JsonObject, type: ResourceType): boolean {
  const metadata = objectAt(object, 'metadata') ?? {};
  return (
    metadata.deletionTimestamp !== undefined &&
    (numberAt(metadata, 'deletionGracePeriodSeconds') ?? 0) === 0 &&
    stringsAt(metadata, 'finalizers').length === 0 &&
    type.strategy.retains?.(object) !== true
  );
}
