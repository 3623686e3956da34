import { ApiError, alreadyExists, badRequest, forbidden, invalid } from '../api-error.ts';
import { ensureObject, type JsonObject, stringAt } from '../json.ts';
import { validateMetadata } from '../metadata/validate-metadata.ts';
import { admitted } from '../state/admission.ts';
import { apiTime, type ServerState } from '../state/server-state.ts';
import { objectKey } from '../state/stored-object.ts';
import type { Target, WriteOptions } from '../state/target.ts';
import { recordUpdate } from './field-management.ts';
import { requireLivingNamespace } from './namespace-lifecycle.ts';
import { kindOf, shapeDecoded, typeIssues } from './shape-decoded.ts';
import type { Written } from './written.ts';

const generatedSuffixLength = 5;
const generatedNameLimit = 63;
const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789';

/**
 * Creates the object under the name in its metadata. The caller must not use the object after that.
 * @throws ApiError for everything that the real server refuses.
 */
export function createObject(state: ServerState, target: Target, given: JsonObject, options: WriteOptions): Written {
  const object = admitted(state, 'CREATE', target, given);
  const { type, version } = target;
  const { strategy } = type;
  const metadata = ensureObject(object, 'metadata');
  for (const field of systemFields) delete metadata[field];
  matchNamespace(metadata, target);
  shapeDecoded(object, target, options);
  if (stringAt(metadata, 'name') === '' && stringAt(metadata, 'generateName') !== '') {
    metadata.name = generateName(stringAt(metadata, 'generateName'), state.random);
  }
  const name = stringAt(metadata, 'name');
  if (type.terminating) {
    throw forbidden(type, name, 'create not allowed while custom resource definition is terminating');
  }
  requireLivingNamespace(state, target, name);

  if (options.origin === 'apply') delete metadata.resourceVersion;
  else recordUpdate(state, target, undefined, object, options);
  strategy.prepareForCreate?.(object, version);
  if (strategy.generation) metadata.generation = 1;
  else delete metadata.generation;
  metadata.uid = state.newUid();
  metadata.creationTimestamp = apiTime(state.clock());

  const ofType = typeIssues(object, target);
  const issues =
    ofType.length > 0
      ? ofType
      : [...validateMetadata(metadata, type.scope, strategy.names), ...(strategy.validate?.(object, version) ?? [])];
  if (issues.length > 0) throw invalid(type.group, kindOf(object, type), name, issues);
  if (stringAt(metadata, 'resourceVersion') !== '') {
    throw new ApiError(500, '', 'resourceVersion should not be set on objects to be created');
  }
  const key = objectKey(target.namespace, name);
  if (state.store.get(type.collection, key) !== undefined) throw alreadyExists(type, name);
  if (options.dryRun) return { object, stored: undefined, created: true };
  const stored = state.store.put(type.collection, key, toStorage(target, object), version);
  return { object: stored.view(version), stored, created: true };
}

/** Metadata that only the server sets. */
const systemFields = ['uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds', 'selfLink'];

/** Sets the namespace of the path. An object that names another namespace is refused. */
export function matchNamespace(metadata: JsonObject, { type, namespace }: Target): void {
  if (type.scope === 'Cluster') {
    delete metadata.namespace;
    return;
  }
  const own = stringAt(metadata, 'namespace');
  if (own !== '' && own !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  metadata.namespace = namespace;
}

/** The object in the form in which its type is stored. */
export function toStorage({ type, version }: Target, object: JsonObject): JsonObject {
  if (version.toStorage !== undefined) return version.toStorage(object);
  object.apiVersion = type.storageVersion.apiVersion;
  return object;
}

function generateName(prefix: string, random: () => number): string {
  let suffix = '';
  for (let index = 0; index < generatedSuffixLength; index += 1) {
    suffix += suffixAlphabet[Math.floor(random() * suffixAlphabet.length)] ?? '';
  }
  return prefix.slice(0, generatedNameLimit - generatedSuffixLength) + suffix;
}
