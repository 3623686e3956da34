import { type JsonObject, jsonText } from '../json.ts';
import { jsonReply, type TextReply } from '../reply.ts';
import type { ResourceRequest } from '../state/resource-request.ts';
import { partialMetadata, type StoredObject } from '../state/stored-object.ts';
import { includeObjectOf, toTable } from '../table/table.ts';

/** The text of a stored object in the form of the request. */
export function storedText(request: ResourceRequest, stored: StoredObject): string {
  switch (request.representation) {
    case 'object':
      return stored.text(request.version);
    case 'metadata':
      return stored.metadataText();
    case 'table':
      return jsonText(tableOf(request, [stored.view(request.version)], String(stored.revision)));
  }
}

/** Returns one object in the form of the request. */
export function objectReply(
  request: ResourceRequest,
  status: number,
  object: JsonObject,
  stored: StoredObject | undefined,
): TextReply {
  if (stored !== undefined) return jsonReply(status, storedText(request, stored));
  switch (request.representation) {
    case 'object':
      return jsonReply(status, jsonText(object));
    case 'metadata':
      return jsonReply(status, jsonText(partialMetadata(object)));
    case 'table':
      return jsonReply(status, jsonText(tableOf(request, [object], '')));
  }
}

/** Returns a list. `listMetadata` has its resourceVersion and the values for the next page. */
export function listReply(
  request: ResourceRequest,
  objects: readonly StoredObject[],
  listMetadata: JsonObject,
): TextReply {
  const { type, version, representation } = request;
  if (representation === 'table') {
    const views = objects.map((object) => object.view(version));
    const include = includeObjectOf(request.query);
    const table = toTable(version, views, listMetadata, include, request.state.clock());
    return jsonReply(200, jsonText(table));
  }
  const [kind, apiVersion] =
    representation === 'metadata'
      ? ['PartialObjectMetadataList', 'meta.k8s.io/v1']
      : [type.listKind, version.apiVersion];
  // A list of custom resources has an empty `continue` when there is no next page.
  const metadata = type.custom && representation === 'object' ? { continue: '', ...listMetadata } : listMetadata;
  const itemText = (object: StoredObject): string =>
    representation === 'metadata' ? object.metadataText() : object.itemText(version, type.custom);
  const items = objects.map(itemText).join(',');
  const head = `"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)}`;
  return jsonReply(200, `{${head},"metadata":${JSON.stringify(metadata)},"items":[${items}]}`);
}

function tableOf(request: ResourceRequest, objects: readonly JsonObject[], resourceVersion: string): JsonObject {
  const metadata: JsonObject = resourceVersion === '' ? {} : { resourceVersion };
  return toTable(request.version, objects, metadata, includeObjectOf(request.query), request.state.clock());
}
