import type { JsonObject } from '../json.ts';
import type { VersionedType } from '../state/kinds.ts';
import type { ResourceType } from '../state/resource-type.ts';
import type { ApiGroup, GroupVersion } from './api-groups.ts';

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const customVerbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const subresourceVerbs = ['get', 'patch', 'update'];

/** The answer of `/api`. */
export function apiVersions(): JsonObject {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '127.0.0.1' }],
  };
}

/** The answer of `/apis`. */
export function apiGroupList(apiGroups: readonly ApiGroup[]): JsonObject {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: named(apiGroups).map(apiGroup) };
}

/** The answer of `/apis/<group>`, which is also one entry in the list of groups. */
export function apiGroup({ name, versions }: ApiGroup): JsonObject {
  const listed = versions.map(({ apiVersion, version }) => ({ groupVersion: apiVersion, version }));
  return { name, versions: listed, preferredVersion: listed[0] ?? null };
}

/** The answer of `/api/v1` and `/apis/<group>/<version>`. */
export function apiResourceList({ apiVersion, types }: GroupVersion): JsonObject {
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: apiVersion,
    resources: types.flatMap(({ type, version }) => [
      {
        name: type.resource,
        singularName: type.singular,
        namespaced: type.scope === 'Namespaced',
        kind: type.kind,
        verbs: verbsOf(type, type.custom ? customVerbs : verbs),
        ...(type.shortNames.length === 0 ? {} : { shortNames: [...type.shortNames] }),
        ...(type.categories.length === 0 ? {} : { categories: [...type.categories] }),
      },
      ...[...type.subresources].map((subresource) => ({
        name: `${type.resource}/${subresource}`,
        singularName: '',
        namespaced: type.scope === 'Namespaced',
        kind: type.kind,
        verbs: subresourceVerbs,
      })),
      ...[...(version.others ?? [])].map(([subresource, { group, version: ofKind, kind, verbs: own }]) => ({
        name: `${type.resource}/${subresource}`,
        singularName: '',
        namespaced: type.scope === 'Namespaced',
        group,
        version: ofKind,
        kind,
        verbs: [...own],
      })),
    ]),
  };
}

/** The aggregated discovery document (apidiscovery.k8s.io/v2) of the groups. */
export function aggregatedDiscovery(apiGroups: readonly ApiGroup[]): JsonObject {
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: apiGroups.map(({ name, versions }) => ({
      metadata: name === '' ? {} : { name },
      versions: versions.map(({ version, types }) => ({
        version,
        resources: types.map(discoveredResource),
        freshness: 'Current',
      })),
    })),
  };
}

function discoveredResource({ type, version }: VersionedType): JsonObject {
  const responseKind = { group: type.group, version: version.name, kind: type.kind };
  const subresources = [
    ...[...type.subresources].map((subresource) => ({ subresource, responseKind, verbs: subresourceVerbs })),
    ...[...(version.others ?? [])].map(([subresource, { group, version: ofKind, kind, verbs: own }]) => ({
      subresource,
      responseKind: { group, version: ofKind, kind },
      verbs: [...own],
    })),
  ];
  return {
    resource: type.resource,
    responseKind,
    scope: type.scope,
    singularResource: type.singular,
    verbs: verbsOf(type, verbs),
    ...(type.shortNames.length === 0 ? {} : { shortNames: [...type.shortNames] }),
    ...(type.categories.length === 0 ? {} : { categories: [...type.categories] }),
    ...(subresources.length === 0 ? {} : { subresources }),
  };
}

function verbsOf(type: ResourceType, usual: readonly string[]): string[] {
  return type.answersOnly === true ? ['create'] : [...usual];
}

/** All groups except the core group, which has its own path. */
export function named(apiGroups: readonly ApiGroup[]): ApiGroup[] {
  return apiGroups.filter(({ name }) => name !== '');
}
