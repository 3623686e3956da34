import type { Kinds, VersionedType } from '../state/kinds.ts';

/** One version of an API group with what it serves. */
export interface GroupVersion {
  readonly group: string;
  readonly version: string;
  /** `group/version`, or `v1` for the core group. */
  readonly apiVersion: string;
  readonly types: readonly VersionedType[];
}

export interface ApiGroup {
  readonly name: string;
  /** In order of preference. */
  readonly versions: readonly GroupVersion[];
}

/** The served API groups: the core group first, the others in the order in which their kinds were added. */
export function apiGroupsOf(kinds: Kinds): ApiGroup[] {
  const apiGroups = new Map<string, Map<string, VersionedType[]>>([['', new Map()]]);
  for (const type of kinds.all()) {
    for (const version of type.versions) {
      if (!version.served) continue;
      const versions = apiGroups.get(type.group) ?? new Map<string, VersionedType[]>();
      apiGroups.set(type.group, versions);
      const types = versions.get(version.name) ?? [];
      versions.set(version.name, types);
      types.push({ type, version });
    }
  }
  return [...apiGroups].map(([name, versions]) => ({
    name,
    versions: [...versions]
      .sort(([left], [right]) => compareVersions(left, right))
      .map(([version, types]) => ({
        group: name,
        version,
        apiVersion: name === '' ? version : `${name}/${version}`,
        types: types.toSorted((left, right) => (left.type.resource < right.type.resource ? -1 : 1)),
      })),
  }));
}

/** Kubernetes' order of versions: stable before beta before alpha, higher numbers first, other names last. */
export function compareVersions(left: string, right: string): number {
  const a = rank(left);
  const b = rank(right);
  if (a === undefined || b === undefined) {
    if (a === undefined && b === undefined) return left < right ? -1 : 1;
    return a === undefined ? 1 : -1;
  }
  return b.stability - a.stability || b.major - a.major || b.minor - a.minor;
}

function rank(version: string): { stability: number; major: number; minor: number } | undefined {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (match === null) return undefined;
  const [, major = '', stabilityName, minor = '0'] = match;
  const stability = stabilityName === undefined ? 2 : stabilityName === 'beta' ? 1 : 0;
  return { stability, major: Number(major), minor: Number(minor) };
}
