import { sha256Base64Url } from './hash.ts';
import type { ObjectName } from './kube-object.ts';
import type { KindId } from './resource-type.ts';

/** `kind/namespace/name`, with an empty namespace for cluster-scoped kinds. Identifies one object in maps and marks. */
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

/** Replaces the kind in a hashed key. No kind has this name. */
const HASHED_KIND = '#';

/**
 * Identifies an object whose key is too long: `#//` and the SHA-256 of the key in base64url. A release that does not
 * know this form takes it for an object that no pass read, so the event does not count as already observed.
 */
export function hashedKey(object: ObjectKey): ObjectKey {
  return `${HASHED_KIND}//${sha256Base64Url(object)}`;
}

/** The SHA-256 in a hashed key, in base64url; undefined for a key with the full name. */
export function hashInKey(object: ObjectKey): string | undefined {
  const { kind, name } = parseObjectKey(object);
  return kind === HASHED_KIND ? name : undefined;
}

/** The key among `keys` that `object` identifies, by its full name or by its hash. */
export function findKey(keys: readonly ObjectKey[], object: ObjectKey): ObjectKey | undefined {
  const isHashed = hashInKey(object) !== undefined;
  return keys.find((key) => (isHashed ? hashedKey(key) : key) === object);
}

/** The version that a pass recorded of an object, which may be identified by the hash of its key. */
export function recordedVersion(versions: Readonly<Record<ObjectKey, number>>, object: ObjectKey): number | undefined {
  if (hashInKey(object) === undefined) return versions[object];
  const key = findKey(Object.keys(versions), object);
  return key === undefined ? undefined : versions[key];
}

/** Means "read and found absent" where a version is recorded. Real versions are positive. */
export const ABSENT_VERSION = 0;

/**
 * resourceVersions compare as integers within a kind (guaranteed since Kubernetes 1.35). A version that is not a
 * number, or larger than the exact integers of a double, is undefined here and never covers anything.
 */
export function versionNumber(resourceVersion: string | undefined): number | undefined {
  if (resourceVersion === undefined || !/^[1-9][0-9]{0,15}$/.test(resourceVersion)) return undefined;
  const version = Number(resourceVersion);
  return Number.isSafeInteger(version) ? version : undefined;
}

/** A pending mark: an event that arrived during a pass. `any` means an event that never counts as already observed. */
export type DirtyMark = string;

export const ANY_MARK: DirtyMark = 'any';

export function dirtyMark(incarnation: number, object: ObjectKey, version: number): DirtyMark {
  return `${incarnation}/${object}@${version}`;
}
