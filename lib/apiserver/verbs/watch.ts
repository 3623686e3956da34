import { expired } from '../api-error.ts';
import { type JsonObject, jsonText } from '../json.ts';
import { BodyStream, type StreamReply } from '../reply.ts';
import type { ResourceRequest } from '../state/resource-request.ts';
import { type Change, CompactedError } from '../state/store.ts';
import type { StoredObject } from '../state/stored-object.ts';
import { includeObjectOf, toTable } from '../table/table.ts';
import { objectMatcher } from './list.ts';
import { type ReadOptions, readOptions } from './read-options.ts';
import { storedText } from './render.ts';

type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** The annotation of the bookmark that comes after the last initial event. */
const initialEventsEnd = 'k8s.io/initial-events-end';

/** A watch without a time-out ends after a random time in [1800 s, 3600 s), as on a real server. */
const defaultTimeoutSeconds = 1800;

const bookmarkIntervalMs = 60_000;

/**
 * Streams the changes of a collection, from a version or from its present state. When the history of the version is
 * gone, the answer has already started, so the watch sends an ERROR event with the Status of 410. For a version in the
 * future, the watch waits and sends nothing.
 */
export function watch(request: ResourceRequest): StreamReply {
  const options = readOptions(request);
  const stream = new BodyStream();
  const feed = new WatchFeed(request, options, stream);
  feed.start();
  return { status: 200, headers: { 'content-type': 'application/json;stream=watch' }, stream };
}

class WatchFeed {
  readonly #request: ResourceRequest;
  readonly #options: ReadOptions;
  readonly #stream: BodyStream;
  readonly #matches: (object: StoredObject) => boolean;
  #after = 0;
  #headersSent = false;

  constructor(request: ResourceRequest, options: ReadOptions, stream: BodyStream) {
    this.#request = request;
    this.#options = options;
    this.#stream = stream;
    this.#matches = objectMatcher(options, request.version);
  }

  start(): void {
    const { state, hub, type, info, signal } = this.#request;
    const { store } = state;
    const { resourceVersion, sendInitialEvents } = this.#options;
    const fromPresent = resourceVersion === undefined || resourceVersion === 0;
    this.#after = fromPresent || sendInitialEvents === true ? store.revision : resourceVersion;
    if (sendInitialEvents ?? fromPresent) this.#sendPresent();
    if (sendInitialEvents === true) this.#bookmark({ [initialEventsEnd]: 'true' });
    if (!this.#replay()) return;

    const unsubscribe = hub.subscribe({
      collection: type.collection,
      namespace: info.namespace,
      deliver: (change) => this.#deliver(change),
      close: () => this.#stream.end(),
    });
    this.#stream.onClose(unsubscribe);
    this.#schedule();
    const abort = () => this.#stream.fail(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    this.#stream.onClose(() => signal?.removeEventListener('abort', abort));
  }

  /** Sends the changes between the requested version and now. Returns false when they are not known any more. */
  #replay(): boolean {
    const { state, type, info } = this.#request;
    if (this.#after >= state.store.revision) return true;
    try {
      for (const change of state.store.changesSince(this.#after, type.collection)) {
        const { namespace = '' } = change.after ?? change.before ?? {};
        const concerned =
          change.collection === type.collection && (info.namespace === '' || info.namespace === namespace);
        if (concerned) this.#deliver(change);
      }
      return true;
    } catch (error) {
      if (!(error instanceof CompactedError)) throw error;
      const message = `too old resource version: ${this.#after} (${state.store.compactedRevision})`;
      this.#stream.write(`${JSON.stringify({ type: 'ERROR', object: expired(message).toStatus() })}\n`);
      this.#stream.end();
      return false;
    }
  }

  #sendPresent(): void {
    const { state, type, info } = this.#request;
    const prefix = info.namespace === '' ? '' : `${info.namespace}/`;
    for (const object of state.store.list(type.collection, prefix)) {
      if (this.#matches(object)) this.#send('ADDED', object);
    }
  }

  #deliver({ revision, before, after, gone }: Change): void {
    // A watch that starts in the future gets no versions before its start.
    if (revision <= this.#after) return;
    const was = before !== undefined && this.#matches(before);
    const is = after !== undefined && this.#matches(after);
    if (after !== undefined && is) this.#send(was ? 'MODIFIED' : 'ADDED', after);
    else if (before !== undefined && was) this.#send('DELETED', gone ?? before.at(revision));
  }

  #send(type: EventType, object: StoredObject): void {
    const text =
      this.#request.representation === 'table'
        ? this.#tableText(object.view(this.#request.version), String(object.revision))
        : storedText(this.#request, object);
    this.#stream.write(`{"type":"${type}","object":${text}}\n`);
  }

  #tableText(object: JsonObject, resourceVersion: string): string {
    const { version, query, state } = this.#request;
    const headers = !this.#headersSent;
    this.#headersSent = true;
    const table = toTable(version, [object], { resourceVersion }, includeObjectOf(query), state.clock(), headers);
    return jsonText(table);
  }

  #bookmark(annotations?: JsonObject): void {
    if (!this.#options.bookmarks) return;
    const { type, version, representation, state } = this.#request;
    // A watch that starts in the future stays at its version until the server reaches it.
    const resourceVersion = String(Math.max(this.#after, state.store.revision));
    const metadata: JsonObject = annotations === undefined ? { resourceVersion } : { resourceVersion, annotations };
    const [kind, apiVersion] =
      representation === 'metadata' ? ['PartialObjectMetadata', 'meta.k8s.io/v1'] : [type.kind, version.apiVersion];
    const text =
      representation === 'table'
        ? this.#tableText({ metadata }, resourceVersion)
        : jsonText({ kind, apiVersion, metadata });
    this.#stream.write(`{"type":"BOOKMARK","object":${text}}\n`);
  }

  /** Sends bookmarks at intervals, and ends the watch after its time-out, if the server has timers. */
  #schedule(): void {
    const { timers, state } = this.#request;
    if (timers === undefined) return;
    const seconds = this.#options.timeoutSeconds ?? defaultTimeoutSeconds * (1 + state.random());
    const cancelTimeout = timers.after(seconds * 1000, () => {
      this.#bookmark();
      this.#stream.end();
    });
    this.#stream.onClose(cancelTimeout);
    if (!this.#options.bookmarks) return;
    let cancelBookmark = () => {};
    const rearm = (): void => {
      cancelBookmark = timers.after(bookmarkIntervalMs, () => {
        this.#bookmark();
        rearm();
      });
    };
    rearm();
    this.#stream.onClose(() => cancelBookmark());
  }
}
