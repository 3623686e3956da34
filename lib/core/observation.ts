import { sha256Base64Url } from './hash.ts';
import type { ObjectName } from './kube-object.ts';
import type { KindId } from './resource-type.ts';

/** `kind/namespace/name`, with an empty namespace for cluster-scoped kinds. Names one object in maps and marks. */
export type ObjectKey = string;

/** An object key, or `kind/namespace/*` for a list of a namespace, or `kind//*` for a list of all namespaces. */
export type EdgeKey = string;

export function objectKey(kind: KindId, object: ObjectName): ObjectKey {
  return `${kind}/${object.namespace}/${object.name}`;
}

/** The edge of a list read. An empty namespace means all namespaces. */
export function listKey(kind: KindId, namespace: string): EdgeKey {
  return `${kind}/${namespace}/*`;
}

export function parseObjectKey(key: EdgeKey): { kind: KindId; namespace: string; name: string } {
  const [kind = '', namespace = '', name = ''] = key.split('/');
  return { kind, namespace, name };
}

/** Stands in place of the kind in a hashed key. No kind has this name. */
const HASHED_KIND = '#';

/**
 * Names an object whose key is too long: `#//` and the SHA-256 of the key in base64url. For a release that does not know
 * this form it is an object that no pass read, so the event is not already observed.
 */
export function hashedKey(object: ObjectKey): ObjectKey {
  return `${HASHED_KIND}//${sha256Base64Url(object)}`;
}

/** The SHA-256 in a hashed key, in base64url; undefined for a key that names its object in full. */
export function hashInKey(object: ObjectKey): string | undefined {
  const { kind, name } = parseObjectKey(object);
  return kind === HASHED_KIND ? name : undefined;
}

/** The key among `keys` that `object` names, in full or by its hash. */
export function findKey(keys: readonly ObjectKey[], object: ObjectKey): ObjectKey | undefined {
  const isHashed = hashInKey(object) !== undefined;
  return keys.find((key) => (isHashed ? hashedKey(key) : key) === object);
}

/** The version that a pass recorded of an object, which may be named by the hash of its key. */
export function recordedVersion(versions: Readonly<Record<ObjectKey, number>>, object: ObjectKey): number | undefined {
  if (hashInKey(object) === undefined) return versions[object];
  const key = findKey(Object.keys(versions), object);
  return key === undefined ? undefined : versions[key];
}

/** Stands for "read and found absent" where a version is recorded. Real versions are positive. */
export const ABSENT_VERSION = 0;

/**
 * resourceVersions compare as integers within a kind (guaranteed since Kubernetes 1.35). One that is not a number, or
 * beyond what a double holds exactly, is undefined here and never covers anything.
 */
export function versionNumber(resourceVersion: string | undefined): number | undefined {
  if (resourceVersion === undefined || !/^[1-9][0-9]{0,15}$/.test(resourceVersion)) return undefined;
  const version = Number(resourceVersion);
  return Number.isSafeInteger(version) ? version : undefined;
}

/** A pending mark: an event that arrived during a pass. `any` stands for an event that is never already observed. */
export type DirtyMark = string;

export const ANY_MARK: DirtyMark = 'any';

export function dirtyMark(incarnation: number, object: ObjectKey, version: number): DirtyMark {
  return `${incarnation}/${object}@${version}`;
}
