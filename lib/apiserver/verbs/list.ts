import { type ApiError, badRequest, expired, timeout } from '../api-error.ts';
import type { JsonObject } from '../json.ts';
import type { TextReply } from '../reply.ts';
import type { ResourceRequest } from '../state/resource-request.ts';
import type { ServerState } from '../state/server-state.ts';
import { CompactedError, type Snapshot } from '../state/store.ts';
import type { StoredObject } from '../state/stored-object.ts';
import { decodeContinue, encodeContinue } from './continue-token.ts';
import { type ReadOptions, readOptions } from './read-options.ts';
import { listReply } from './render.ts';

const inconsistentContinue =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

/** Lists a collection, in pages if the request asks for them. All pages show the state of the first one. */
export function list(request: ResourceRequest): TextReply {
  const { state, type, version, info } = request;
  const options = readOptions(request);
  const prefix = info.namespace === '' ? '' : `${info.namespace}/`;
  const { snapshot, from } = startOf(state, type.collection, prefix, options);
  const keys = snapshot.range(prefix, from);

  const listed: StoredObject[] = [];
  const matches = objectMatcher(options, version);
  let read = 0;
  for (const key of keys) {
    if (options.limit > 0 && listed.length >= options.limit) break;
    read += 1;
    const object = snapshot.get(key);
    if (object !== undefined && matches(object)) listed.push(object);
  }
  const metadata: JsonObject = { resourceVersion: String(snapshot.revision) };
  const lastRead = keys[read - 1];
  if (read < keys.length && lastRead !== undefined) {
    metadata.continue = encodeContinue({ revision: snapshot.revision, start: `${lastRead.slice(prefix.length)}\0` });
    if (options.labels === undefined && options.fields === undefined) metadata.remainingItemCount = keys.length - read;
  }
  return listReply(request, listed, metadata);
}

/** Whether an object satisfies the request's selectors. */
export function objectMatcher(
  { labels, fields }: Pick<ReadOptions, 'labels' | 'fields'>,
  version: ResourceRequest['version'],
): (object: StoredObject) => boolean {
  return (object) =>
    (labels === undefined || labels(object.labels)) && (fields === undefined || fields.matches(object.view(version)));
}

function startOf(
  state: ServerState,
  collection: string,
  prefix: string,
  options: ReadOptions,
): { snapshot: Snapshot; from: string } {
  const { store } = state;
  const { resourceVersion, match, continueToken } = options;
  if (continueToken !== '') {
    if (resourceVersion !== undefined && resourceVersion !== 0) {
      throw badRequest('specifying resource version is not allowed when using continue');
    }
    const { revision, start } = decodeContinue(continueToken);
    const from = prefix + start;
    if (revision < 0) return { snapshot: store.at(collection, store.revision), from };
    const renewed = encodeContinue({ revision: -1, start });
    return { snapshot: snapshotAt(state, collection, revision, expired(inconsistentContinue, renewed)), from };
  }
  if (resourceVersion === undefined || resourceVersion === 0) {
    return { snapshot: store.at(collection, store.revision), from: '' };
  }
  if (resourceVersion > store.revision) throw tooLarge(resourceVersion, store.revision);
  const exact = match === 'Exact' || (match === undefined && options.limit > 0);
  const tooOld = expired('The resourceVersion for the provided list is too old.');
  return { snapshot: snapshotAt(state, collection, exact ? resourceVersion : store.revision, tooOld), from: '' };
}

function snapshotAt({ store }: ServerState, collection: string, revision: number, tooOld: ApiError): Snapshot {
  try {
    return store.at(collection, revision);
  } catch (error) {
    if (error instanceof CompactedError) throw tooOld;
    throw error;
  }
}

/**
 * The answer for a version that the server has not reached yet. The real server waits for some time before it answers
 * so.
 */
export function tooLarge(wanted: number, present: number): ApiError {
  return timeout(`Too large resource version: ${wanted}, current: ${present}`, 1, [
    { reason: 'ResourceVersionTooLarge', message: 'Too large resource version' },
  ]);
}
