import type { KubeObject, ObjectMeta } from '../../core/kube-object.ts';
import { apiVersion } from '../../core/resource-type.ts';
import type { ListPage, UnreadableObject } from '../../ports/cluster-api.ts';
import { type Answer, malformed, tooLarge } from './answer-error.ts';
import type { ApiCall } from './api-call.ts';
import { readListHead } from './list-head.ts';
import { isRecord, parseJson } from './status-body.ts';

/** The object in a 2xx answer. @throws ApiError Malformed when it is not the one that was asked for; TooLarge. */
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
 * The page in a 2xx answer that was read to its end.
 * @throws ApiError Malformed: an incomplete list proves nothing, so no part of it is used, unless what cannot be read is to
 * be skipped.
 */
export function readListAnswer(call: ApiCall, answer: Answer, { metadataOnly, skipUnreadable }: ListReading): ListPage {
  const body = parseJson(answer.text);
  if (!isRecord(body) || !isRecord(body.metadata)) throw malformed(call, answer.status, 'the answer is not a list');
  const { resourceVersion, continue: continueToken } = body.metadata;
  // An empty list of a Go server may be null, but is never left out.
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
 * The page that a 2xx answer stands for which was not read to its end, of a list with one object a page: that object is too
 * large, and the list goes on after it.
 * @throws ApiError TooLarge when it is not to be skipped, or when the answer does not begin with where the list goes on.
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

/** As much as can be told of what is no object. */
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

/** Checks that a 2xx answer to a DELETE comes from the API: a Status, or the object as it is now. */
export function checkDeleteAnswer(call: ApiCall, answer: Answer): void {
  if (!answer.isWhole) throw tooLarge(call, answer, 'the object');
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

/** Of an object; a UID has 36 characters, a version 20, and no name that the table takes in a key has more. */
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
