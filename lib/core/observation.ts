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

/** A mark in a held target's dirty set: what was seen while the pass ran. `any` stands for what is never covered. */
export type DirtyMark = string;

export const ANY_MARK: DirtyMark = 'any';

export function dirtyMark(incarnation: number, object: ObjectKey, version: number): DirtyMark {
  return `${incarnation}/${object}@${version}`;
}

/**
 * Whether everything the marks speak of was already seen by a pass of `incarnation` that recorded `versions`: only then
 * may it commit over them.
 */
export function marksAreCovered(
  marks: readonly DirtyMark[],
  incarnation: number,
  versions: Readonly<Record<ObjectKey, number>>,
): boolean {
  return marks.every((mark) => {
    const match = /^(\d+)\/(.*)@(\d+)$/.exec(mark);
    if (match === null) return false;
    const [, markIncarnation, object = '', version] = match;
    const recorded = versions[object];
    return Number(markIncarnation) === incarnation && recorded !== undefined && recorded >= Number(version);
  });
}
