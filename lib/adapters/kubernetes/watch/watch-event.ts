import type { WatchEvent } from '../../../ports/cluster-api.ts';
import { toKubeObject, unreadableObject } from '../answer-body.ts';
import { malformed, statusError } from '../answer-error.ts';
import type { ApiCall } from '../api-call.ts';
import { isRecord, parseJson, readStatus } from '../status-body.ts';

/**
 * Reads one line of a watch; undefined for a type that this version does not know.
 * @throws ApiError the error of an ERROR event (Expired for 410), or Malformed.
 */
export function readWatchEvent(call: ApiCall, line: string, metadataOnly: boolean): WatchEvent | undefined {
  const event = parseJson(line);
  if (!isRecord(event) || typeof event.type !== 'string') throw malformed(call, 200, 'a line of it is not an event');
  const { type } = event;
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED': {
      const object = toKubeObject(call, event.object, metadataOnly);
      return object === undefined ? unreadableEvent(event.object) : { type, object };
    }
    case 'BOOKMARK':
      return { type, resourceVersion: bookmarkedVersion(call, event.object) };
    case 'ERROR': {
      const status = readStatus(event.object);
      throw status === undefined
        ? malformed(call, 200, 'an ERROR event of it holds no Status')
        : statusError(call, status);
    }
    default:
      return undefined;
  }
}

function unreadableEvent(value: unknown): WatchEvent {
  const metadata = isRecord(value) && isRecord(value.metadata) ? value.metadata : {};
  const { resourceVersion: version } = metadata;
  const isVersion = typeof version === 'string' && /^[1-9][0-9]{0,19}$/.test(version);
  return { type: 'UNREADABLE', unreadable: unreadableObject(value), ...(isVersion && { resourceVersion: version }) };
}

function bookmarkedVersion(call: ApiCall, object: unknown): string {
  const metadata = isRecord(object) ? object.metadata : undefined;
  const version = isRecord(metadata) ? metadata.resourceVersion : undefined;
  if (typeof version !== 'string' || version === '') throw malformed(call, 200, 'a bookmark of it holds no version');
  return version;
}
