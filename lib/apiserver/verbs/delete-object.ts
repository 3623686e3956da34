import { conflict, notFound } from '../api-error.ts';
import { clone, deepEqual, ensureObject, type JsonObject, numberAt, objectAt, stringAt, stringsAt } from '../json.ts';
import type { ResourceType } from '../state/resource-type.ts';
import { apiTime, type ServerState } from '../state/server-state.ts';
import { objectKey, type StoredObject } from '../state/stored-object.ts';
import type { Target } from '../state/target.ts';
import { refuseDeletingImmortal } from './namespace-lifecycle.ts';

export type PropagationPolicy = 'Orphan' | 'Background' | 'Foreground';

export interface DeleteOptions {
  readonly dryRun: boolean;
  readonly gracePeriodSeconds: number | undefined;
  readonly propagationPolicy: PropagationPolicy | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
}

export interface Deleted {
  /** False when something (finalizers, grace, the content of a namespace) still delays the deletion. */
  readonly gone: boolean;
  readonly last: JsonObject;
}

/** Kubernetes' own finalizers; each one selects a way of deleting. */
export const orphanFinalizer = 'orphan';
export const foregroundFinalizer = 'foregroundDeletion';

/**
 * Deletes the object, or marks it as being deleted when something delays the deletion.
 * @throws ApiError when the object does not exist or a precondition fails.
 */
export function deleteObject(state: ServerState, target: Target, options: DeleteOptions): Deleted {
  const { type, version, name } = target;
  const key = objectKey(target.namespace, name);
  const stored = state.store.get(type.collection, key);
  if (stored === undefined) throw notFound(type, name);
  refuseDeletingImmortal(target);
  checkPreconditions(type, stored, options);

  const object = clone(stored.object);
  const metadata = ensureObject(object, 'metadata');
  const grace = grantGrace(state, type, object, options);
  if (grace === 'pending') return { gone: false, last: stored.view(version) };
  if (!stored.terminating) type.strategy.prepareForDeletion?.(object, apiTime(state.clock()));
  setFinalizers(metadata, deletionFinalizers(metadata, options.propagationPolicy));
  const held = stringsAt(metadata, 'finalizers').length > 0 || type.strategy.retains?.(object) === true;
  if (grace === 'none' && held) markDeleting(state, metadata, type.strategy.marksDeletionOnly === true);

  if (grace === 'immediate' && !options.dryRun && !held) {
    // The real server first writes the deletion without grace, and watches see that write.
    state.store.put(type.collection, key, object, stored.shapedBy);
  }
  if (!held && grace !== 'graceful') {
    if (options.dryRun) return { gone: true, last: stored.view(version) };
    const last = state.store.remove(type.collection, key) ?? stored;
    return { gone: true, last: last.view(version) };
  }
  if (options.dryRun || deepEqual(object, stored.object)) {
    return { gone: false, last: options.dryRun ? object : stored.view(version) };
  }
  const marked = state.store.put(type.collection, key, object, stored.shapedBy);
  return { gone: false, last: marked.view(version) };
}

function checkPreconditions(type: ResourceType, stored: StoredObject, options: DeleteOptions): void {
  const subject = { group: type.group, resource: type.kind };
  if (options.uid !== undefined && options.uid !== stored.uid) {
    const why = `the UID in the precondition (${options.uid}) does not match the UID in record (${stored.uid}). The object might have been deleted and then recreated`;
    throw conflict(subject, stored.name, why);
  }
  const present = String(stored.revision);
  if (options.resourceVersion !== undefined && options.resourceVersion !== present) {
    const why = `the ResourceVersion in the precondition (${options.resourceVersion}) does not match the ResourceVersion in record (${present}). The object might have been modified`;
    throw conflict(subject, stored.name, why);
  }
}

/**
 * Sets the grace period that the kind and the request determine. This happens once: a second deletion can only shorten
 * it. `none` means a kind without grace, `immediate` no time left, and `pending` a grace period that is already
 * running.
 */
function grantGrace(
  state: ServerState,
  type: ResourceType,
  object: JsonObject,
  options: DeleteOptions,
): 'none' | 'immediate' | 'graceful' | 'pending' {
  const { graceSeconds } = type.strategy;
  if (graceSeconds === undefined) return 'none';
  const metadata = ensureObject(object, 'metadata');
  const running =
    metadata.deletionTimestamp === undefined ? undefined : numberAt(metadata, 'deletionGracePeriodSeconds');
  if (metadata.deletionTimestamp !== undefined) {
    if (running === undefined || running === 0) return 'none';
    const requested = options.gracePeriodSeconds;
    if (requested === undefined || requested >= running) return 'pending';
    const startedMs = Date.parse(stringAt(metadata, 'deletionTimestamp')) - running * 1000;
    metadata.deletionTimestamp = apiTime(Math.max(startedMs + requested * 1000, state.clock()));
    metadata.deletionGracePeriodSeconds = requested;
    return requested === 0 ? 'immediate' : 'graceful';
  }
  const seconds = graceSeconds(object, options.gracePeriodSeconds);
  if (seconds === undefined) return 'none';
  bumpGeneration(metadata);
  metadata.deletionTimestamp = apiTime(state.clock() + seconds * 1000);
  metadata.deletionGracePeriodSeconds = seconds;
  return seconds === 0 ? 'immediate' : 'graceful';
}

function markDeleting(state: ServerState, metadata: JsonObject, timestampOnly: boolean): void {
  const now = apiTime(state.clock());
  if (timestampOnly) {
    metadata.deletionTimestamp ??= now;
    return;
  }
  if (metadata.deletionTimestamp === undefined) bumpGeneration(metadata);
  if (metadata.deletionTimestamp === undefined || stringAt(metadata, 'deletionTimestamp') > now) {
    metadata.deletionTimestamp = now;
  }
  metadata.deletionGracePeriodSeconds = 0;
}

function bumpGeneration(metadata: JsonObject): void {
  const generation = numberAt(metadata, 'generation') ?? 0;
  if (generation > 0) metadata.generation = generation + 1;
}

/** The finalizers after the one for the requested way of deleting was added. */
function deletionFinalizers(metadata: JsonObject, policy: PropagationPolicy | undefined): string[] {
  const present = stringsAt(metadata, 'finalizers');
  if (policy === undefined) return [...present];
  const others = present.filter((finalizer) => finalizer !== orphanFinalizer && finalizer !== foregroundFinalizer);
  if (policy === 'Orphan') others.push(orphanFinalizer);
  if (policy === 'Foreground') others.push(foregroundFinalizer);
  return others;
}

function setFinalizers(metadata: JsonObject, finalizers: readonly string[]): void {
  if (finalizers.length > 0) metadata.finalizers = [...finalizers];
  else delete metadata.finalizers;
}

/** True for an object that waits until its dependents are deleted. */
export function awaitsDependents(object: JsonObject): boolean {
  const metadata = objectAt(object, 'metadata');
  return metadata?.deletionTimestamp !== undefined && stringsAt(metadata, 'finalizers').includes(foregroundFinalizer);
}
