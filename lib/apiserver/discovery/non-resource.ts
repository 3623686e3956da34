import { methodHasNoHandler } from '../api-error.ts';
import { type JsonObject, jsonText } from '../json.ts';
import { wantsAggregatedDiscovery } from '../negotiation.ts';
import { jsonReply, pageNotFound, type TextReply } from '../reply.ts';
import type { Kinds } from '../state/kinds.ts';
import { apiGroupsOf, type GroupVersion } from './api-groups.ts';
import { aggregatedDiscovery, apiGroup, apiGroupList, apiResourceList, apiVersions, named } from './discovery.ts';
import { openApiIndex, openApiV2, openApiV2Protobuf, openApiV3 } from './openapi.ts';
import { versionInfo } from './version.ts';

const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
/** The media type that clients accept, and the media type of the answer. Only the second one is valid. */
const acceptedOpenApiV2 = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
const openApiV2Type = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
const healthPaths = new Set(['/healthz', '/livez', '/readyz']);

/** Answers all requests that are not for a resource: discovery, OpenAPI, version and health. */
export class NonResource {
  readonly #kinds: Kinds;
  #texts = new Map<string, string>();

  constructor(kinds: Kinds) {
    this.#kinds = kinds;
    kinds.onChange(() => {
      this.#texts = new Map();
    });
  }

  answer(method: string, pathname: string, headers: Readonly<Record<string, string>>): TextReply {
    const path = pathname.length > 1 && pathname.endsWith('/') ? pathname.slice(0, -1) : pathname;
    if (method !== 'GET') throw methodHasNoHandler();
    if (healthPaths.has(path)) return { status: 200, headers: { 'content-type': 'text/plain' }, text: 'ok' };
    const aggregated = (path === '/api' || path === '/apis') && wantsAggregatedDiscovery(headers.accept);
    if (path === '/openapi/v2' && headers.accept?.includes(acceptedOpenApiV2)) {
      return { status: 200, headers: { 'content-type': openApiV2Type }, text: openApiV2Protobuf };
    }
    const key = aggregated ? `${path} aggregated` : path;
    const text = this.#texts.get(key) ?? this.#write(path, aggregated);
    if (text === undefined) return pageNotFound();
    this.#texts.set(key, text);
    return jsonReply(200, text, aggregated ? { 'content-type': aggregatedType } : {});
  }

  #write(path: string, aggregated: boolean): string | undefined {
    const document = aggregated ? this.#aggregated(path) : this.#document(path);
    return document === undefined ? undefined : jsonText(document);
  }

  #aggregated(path: string): JsonObject {
    const apiGroups = apiGroupsOf(this.#kinds);
    return aggregatedDiscovery(path === '/api' ? apiGroups.filter(({ name }) => name === '') : named(apiGroups));
  }

  #document(path: string): JsonObject | undefined {
    const apiGroups = apiGroupsOf(this.#kinds);
    switch (path) {
      case '/':
        return {
          paths: [
            '/api',
            '/api/v1',
            '/apis',
            '/healthz',
            '/livez',
            '/openapi/v2',
            '/openapi/v3',
            '/readyz',
            '/version',
          ],
        };
      case '/api':
        return apiVersions();
      case '/apis':
        return apiGroupList(apiGroups);
      case '/version':
        return versionInfo;
      case '/openapi/v2':
        return openApiV2;
      case '/openapi/v3':
        return openApiIndex(apiGroups);
    }
    const openApi = path.startsWith('/openapi/v3/') ? this.#groupVersion(path.slice('/openapi/v3'.length)) : undefined;
    if (openApi !== undefined) return openApiV3(openApi);
    const served = this.#groupVersion(path);
    if (served !== undefined) return apiResourceList(served);
    const group = apiGroups.find(({ name }) => name !== '' && path === `/apis/${name}`);
    return group === undefined ? undefined : { kind: 'APIGroup', apiVersion: 'v1', ...apiGroup(group) };
  }

  /** The group version that has this path as its root. */
  #groupVersion(path: string): GroupVersion | undefined {
    return apiGroupsOf(this.#kinds)
      .flatMap(({ versions }) => versions)
      .find(({ group, version }) => path === (group === '' ? `/api/${version}` : `/apis/${group}/${version}`));
  }
}
