import type { KubeObject, ObjectMeta } from '../../core/kube-object.ts';
import { apiVersion } from '../../core/resource-type.ts';
import type { ListPage } from '../../ports/cluster-api.ts';
import { type Answer, malformed } from './answer-error.ts';
import type { ApiCall } from './api-call.ts';
import { isRecord, parseJson } from './status-body.ts';

/** The object in a 2xx answer. @throws ApiError Malformed when it is not the one that was asked for. */
export function readObjectAnswer(call: ApiCall, answer: Answer, metadataOnly: boolean): KubeObject {
  const object = toKubeObject(call, parseJson(answer.text), metadataOnly);
  if (object === undefined || object.metadata.name !== call.name) {
    throw malformed(call, answer.status, 'the answer is not that object');
  }
  return object;
}

/** The page in a 2xx answer. @throws ApiError Malformed: an incomplete list proves nothing, so no part of it is used. */
export function readListAnswer(call: ApiCall, answer: Answer, metadataOnly: boolean): ListPage {
  const body = parseJson(answer.text);
  if (!isRecord(body) || !isRecord(body.metadata)) throw malformed(call, answer.status, 'the answer is not a list');
  const { resourceVersion, continue: continueToken } = body.metadata;
  // An empty list of a Go server may be null, but is never left out.
  const found = body.items === null ? [] : body.items;
  if (!Array.isArray(found) || typeof resourceVersion !== 'string' || resourceVersion === '') {
    throw malformed(call, answer.status, 'the answer is not a list');
  }
  const items = found.map((item: unknown) => {
    const object = toKubeObject(call, item, metadataOnly);
    if (object === undefined) throw malformed(call, answer.status, 'an item of the list is not an object');
    return object;
  });
  return typeof continueToken === 'string' && continueToken !== ''
    ? { items, resourceVersion, continueToken }
    : { items, resourceVersion };
}

/** Checks that a 2xx answer to a DELETE comes from the API: a Status, or the object as it is now. */
export function checkDeleteAnswer(call: ApiCall, answer: Answer): void {
  const body = parseJson(answer.text);
  if (isRecord(body) && (body.kind === 'Status' || toKubeObject(call, body, true) !== undefined)) return;
  throw malformed(call, answer.status, 'the answer says nothing about the deletion');
}

/**
 * The value as an object of the call's kind; undefined when it is none. Items of built-in lists come without apiVersion
 * and kind, and metadata-only forms with those of PartialObjectMetadata: here each has its own.
 */
export function toKubeObject({ type }: ApiCall, value: unknown, metadataOnly: boolean): KubeObject | undefined {
  if (!isRecord(value) || !isObjectMeta(value.metadata)) return undefined;
  const typeMeta = { apiVersion: apiVersion(type), kind: type.kind };
  if (metadataOnly) return { ...typeMeta, metadata: value.metadata };
  const { apiVersion: version = typeMeta.apiVersion, kind = typeMeta.kind } = value;
  if (version !== typeMeta.apiVersion || kind !== typeMeta.kind) return undefined;
  return Object.assign(value, typeMeta, { metadata: value.metadata });
}

function isObjectMeta(value: unknown): value is ObjectMeta {
  return (
    isRecord(value) &&
    isText(value.name) &&
    isText(value.uid) &&
    isText(value.resourceVersion) &&
    (value.namespace === undefined || typeof value.namespace === 'string')
  );
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}
