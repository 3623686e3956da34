import { createHash } from 'node:crypto';
import { isObject, type JsonObject, jsonText, objectAt } from '../json.ts';
import type { VersionedType } from '../state/kinds.ts';
import type { ApiGroup, GroupVersion } from './api-groups.ts';
import { kubernetesVersion } from './version.ts';

const info = { title: 'Kubernetes', version: kubernetesVersion };

/** The answer of `/openapi/v3`: the paths of the documents, by group version. */
export function openApiIndex(apiGroups: readonly ApiGroup[]): JsonObject {
  const paths: JsonObject = {};
  for (const { versions } of apiGroups) {
    for (const each of versions) {
      const path = rootOf(each).slice(1);
      const hash = createHash('sha256')
        .update(jsonText(openApiV3(each)))
        .digest('hex')
        .toUpperCase();
      paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` };
    }
  }
  return { paths };
}

/**
 * The OpenAPI v3 document of a group version. kubectl reads its PATCH operations to find what the server supports, and
 * its schemas for `kubectl explain`. Built-in kinds have a schema with only their name.
 */
export function openApiV3(groupVersion: GroupVersion): JsonObject {
  const schemas: JsonObject = {};
  const paths: JsonObject = {};
  for (const versioned of groupVersion.types) {
    schemas[schemaName(versioned)] = schemaOf(versioned);
    Object.assign(paths, pathsOf(groupVersion, versioned));
  }
  return { openapi: '3.0.0', info, paths, components: { schemas } };
}

/** The OpenAPI v2 document, without schemas: clients find them in v3. */
export const openApiV2: JsonObject = { swagger: '2.0', info, paths: {} };

/**
 * The same document in protobuf (gnostic's `Document`). kubectl requires it before it sends a List. The document has no
 * schema, so kubectl leaves the validation to the server. All bytes are ASCII.
 */
export const openApiV2Protobuf =
  protobufField(1, '2.0') + protobufField(2, protobufField(1, info.title) + protobufField(2, info.version));

/** A length-delimited protobuf field. Number and length fit into one byte each. */
function protobufField(number: number, content: string): string {
  return String.fromCharCode((number << 3) | 2, content.length) + content;
}

function rootOf({ group, version }: GroupVersion): string {
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
}

/** `com.example.v1.Widget`: the group in reverse order, as the real server names the schemas of custom resources. */
function schemaName({ type, version }: VersionedType): string {
  const group = type.group === '' ? ['core'] : type.group.split('.').reverse();
  return [...group, version.name, type.kind].join('.');
}

function schemaOf({ type, version }: VersionedType): JsonObject {
  const own = version.openApi ?? { type: 'object' };
  const properties = objectAt(own, 'properties') ?? {};
  return {
    ...own,
    properties: {
      apiVersion: { type: 'string', description: 'The version of the schema of this object.' },
      kind: { type: 'string', description: 'The kind of this object.' },
      metadata: { type: 'object', description: 'Standard object metadata.' },
      ...Object.fromEntries(
        Object.entries(properties).filter(([name, value]) => name !== 'metadata' && isObject(value)),
      ),
    },
    'x-kubernetes-group-version-kind': [groupVersionKind({ type, version })],
  };
}

function groupVersionKind({ type, version }: VersionedType): JsonObject {
  return { group: type.group, kind: type.kind, version: version.name };
}

function pathsOf(groupVersion: GroupVersion, versioned: VersionedType): JsonObject {
  const { type } = versioned;
  const scope = type.scope === 'Namespaced' ? '/namespaces/{namespace}' : '';
  const collection = `${rootOf(groupVersion)}${scope}/${type.resource}`;
  const reference = { $ref: `#/components/schemas/${schemaName(versioned)}` };
  const content = { 'application/json': { schema: reference } };
  const kind = groupVersionKind(versioned);
  const operation = (action: string, mediaTypes: readonly string[], parameters: readonly string[]): JsonObject => ({
    ...(mediaTypes.length === 0
      ? {}
      : {
          requestBody: {
            content: Object.fromEntries(mediaTypes.map((each) => [each, { schema: { type: 'object' } }])),
          },
        }),
    parameters: parameters.map((name) => ({
      name,
      in: 'query',
      schema: { type: name === 'force' ? 'boolean' : 'string' },
    })),
    responses: { 200: { description: 'OK', content } },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': kind,
  });
  const writing = ['dryRun', 'fieldManager', 'fieldValidation'];
  const body = ['application/json', 'application/yaml'];
  // The server accepts strategic merge patches, but does not list them here. If it did, kubectl would look for merge
  // keys in the schemas of built-in kinds, which are missing here, and not in its own schemas.
  const patches = ['application/json-patch+json', 'application/merge-patch+json', 'application/apply-patch+yaml'];
  return {
    [collection]: { get: operation('list', [], []), post: operation('post', body, writing) },
    [`${collection}/{name}`]: {
      get: operation('get', [], []),
      put: operation('put', body, writing),
      patch: operation('patch', patches, [...writing, 'force']),
      delete: operation('delete', [], ['dryRun', 'gracePeriodSeconds', 'propagationPolicy']),
    },
  };
}
