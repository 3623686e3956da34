import type { KubeObject, ObjectMeta } from '../../core/kube-object.ts';
import { apiVersion } from '../../core/resource-type.ts';
import type { ListPage, UnreadableObject } from '../../ports/cluster-api.ts';
import { type Answer, malformed, tooLarge } from './answer-error.ts';
import type { ApiCall } from './api-call.ts';
import { readListHead } from './list-head.ts';
import { isRecord, parseJson } from './status-body.ts';

/**
 * Reads the object of a 2xx answer.
 * @throws ApiError Malformed when it is another object than the requested one; TooLarge.
 */
export function readObjectAnswer(call: ApiCall, answer: Answer, metadataOnly: boolean): KubeObject {
  if (!answer.isWhole) throw tooLarge(call, answer, 'the object');
  const object = toKubeObject(call, parseJson(answer.text), metadataOnly);
  if (object === undefined || object.metadata.name !== call.name) {
    throw malformed(call, answer.status, 'the answer is not that object');
  }
  return object;
}

export interface ListReading {
  readonly metadataOnly: boolean;
  readonly skipUnreadable: boolean;
}

/**
 * Reads the page of a 2xx answer that was read to its end.
 * @throws ApiError Malformed: an incomplete list proves nothing. With `skipUnreadable`, objects that cannot be read are
 * reported instead.
 */
export function readListAnswer(call: ApiCall, answer: Answer, { metadataOnly, skipUnreadable }: ListReading): ListPage {
  const body = parseJson(answer.text);
  if (!isRecord(body) || !isRecord(body.metadata)) throw malformed(call, answer.status, 'the answer is not a list');
  const { resourceVersion, continue: continueToken } = body.metadata;
  // A Go server may send null for an empty list, but it always sends the field.
  const found = body.items === null ? [] : body.items;
  if (!Array.isArray(found) || typeof resourceVersion !== 'string' || resourceVersion === '') {
    throw malformed(call, answer.status, 'the answer is not a list');
  }
  const items: KubeObject[] = [];
  const unreadable: UnreadableObject[] = [];
  for (const [index, item] of found.entries()) {
    const object = toKubeObject(call, item, metadataOnly);
    if (object !== undefined) items.push(object);
    else if (skipUnreadable) unreadable.push(unreadableObject(item));
    else throw malformed(call, answer.status, `item ${index + 1} of the list is not an object of the kind`);
  }
  return {
    items,
    resourceVersion,
    bytes: answer.bytes,
    ...(typeof continueToken === 'string' && continueToken !== '' && { continueToken }),
    ...(unreadable.length > 0 && { unreadable }),
  };
}

/**
 * Reads a page of one object whose body was larger than the limit. The object is reported as unreadable, and the list
 * continues after it.
 * @throws ApiError TooLarge when unreadable objects are not skipped, or when the head of the list does not contain the
 * continue token.
 */
export function readOversizedPage(call: ApiCall, answer: Answer, { skipUnreadable }: ListReading): ListPage {
  const head = readListHead(answer.text);
  const { namespace = '', name = '' } = head?.first ?? {};
  const error = tooLarge(call, answer, name === '' ? 'one object' : `the object ${namespace}/${name}`);
  if (!skipUnreadable || head === undefined) throw error;
  const { resourceVersion, continueToken, first } = head;
  return {
    items: [],
    resourceVersion,
    bytes: answer.bytes,
    ...(continueToken !== '' && { continueToken }),
    unreadable: [{ ...first, why: 'it is larger than is read of one' }],
  };
}

/** The fields that are known of a value that is not an object of the kind. */
export function unreadableObject(value: unknown): UnreadableObject {
  const metadata = isRecord(value) && isRecord(value.metadata) ? value.metadata : {};
  const known = (field: unknown) => (typeof field === 'string' && field.length <= MAX_NAME_LENGTH ? field : '');
  return {
    namespace: known(metadata.namespace),
    name: known(metadata.name),
    uid: known(metadata.uid),
    why: 'it is not an object of the kind: its metadata lacks a name, a UID or a version, or holds ones that are too long',
  };
}

/** Checks that a 2xx answer to a DELETE comes from the API: it is a Status, or the object in its present state. */
export function checkDeleteAnswer(call: ApiCall, answer: Answer): void {
  if (!answer.isWhole) throw tooLarge(call, answer, 'the object');
  const body = parseJson(answer.text);
  if (isRecord(body) && (body.kind === 'Status' || toKubeObject(call, body, true) !== undefined)) return;
  throw malformed(call, answer.status, 'the answer says nothing about the deletion');
}

/**
 * Returns the value as an object of the call's kind; undefined when it is not one. Items of built-in lists have no
 * apiVersion and kind, and metadata-only objects have those of PartialObjectMetadata. The result has the apiVersion and
 * kind of the call.
 */
export function toKubeObject({ type }: ApiCall, value: unknown, metadataOnly: boolean): KubeObject | undefined {
  if (!isRecord(value) || !isObjectMeta(value.metadata)) return undefined;
  const typeMeta = { apiVersion: apiVersion(type), kind: type.kind };
  if (metadataOnly) return { ...typeMeta, metadata: value.metadata };
  const { apiVersion: version = typeMeta.apiVersion, kind = typeMeta.kind } = value;
  if (version !== typeMeta.apiVersion || kind !== typeMeta.kind) return undefined;
  return Object.assign(value, typeMeta, { metadata: value.metadata });
}

/**
 * The limit for a field of an object that could not be read. A UID has 36 characters, a version 20, and a name in a key
 * of the table fewer than this.
 */
const MAX_NAME_LENGTH = 1_024;

function isObjectMeta(value: unknown): value is ObjectMeta {
  return (
    isRecord(value) &&
    isText(value.name) &&
    isText(value.uid) &&
    isText(value.resourceVersion) &&
    (value.namespace === undefined ||
      (typeof value.namespace === 'string' && value.namespace.length <= MAX_NAME_LENGTH))
  );
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value.length <= MAX_NAME_LENGTH;
}
