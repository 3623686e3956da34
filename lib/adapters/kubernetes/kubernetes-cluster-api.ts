import type { DesiredObject, KubeObject, ObjectName } from '../../core/kube-object.ts';
import type { ResourceType } from '../../core/resource-type.ts';
import type { Clock } from '../../ports/clock.ts';
import {
  ApiError,
  type ClusterApi,
  type DeleteOptions,
  type ListOptions,
  type ListPage,
  type PatchBody,
  type PatchOptions,
  type ReadOptions,
  type WatchEvent,
  type WatchOptions,
  type WriteOptions,
} from '../../ports/cluster-api.ts';
import { CallDeadline } from '../http/call-deadline.ts';
import { MAX_ERROR_BYTES, MAX_OBJECT_BYTES, MAX_PAGE_BYTES, readBody } from '../http/read-body.ts';
import { isDeadConnection } from '../http/transport-failure.ts';
import { checkDeleteAnswer, readListAnswer, readObjectAnswer, readOversizedPage } from './answer-body.ts';
import { type Answer, answerError } from './answer-error.ts';
import type { ApiCall } from './api-call.ts';
import { callFailure } from './call-failure.ts';
import { isConditional } from './conditional-write.ts';
import { Places } from './places.ts';
import { collectionPath, objectPath } from './resource-path.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';
import { readWatch } from './watch/read-watch.ts';

export interface KubernetesClusterApiOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly userAgent: string;
  /** A call without its whole answer after this fails with Timeout; a watch has no such limit. 10 s by default. */
  readonly requestTimeoutMs?: number;
}

/** A request that is ready but for the headers and the signal, which all have in common. */
interface Draft {
  readonly method: TransportRequest['method'];
  readonly path: string;
  readonly accept?: string;
  readonly contentType?: string;
  readonly body?: string;
  /** May be sent again on a fresh connection when its own had died. */
  readonly repeatable: boolean;
}

const DEFAULT_REQUEST_TIMEOUT_MS = 10_000;
const DEFAULT_PAGE_SIZE = 500;
/** A page that was too large is asked for again with this part of its objects. */
const SMALLER_PAGE = 1 / 8;
/** Answers of more than a megabyte that are held at once, before they are parsed and while they are. */
const LARGE_ANSWERS = 2;

const JSON_TYPE = 'application/json';
const METADATA_OF_OBJECT = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const METADATA_OF_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

const PATCH_TYPES: Readonly<Record<PatchBody['type'], string>> = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
};

/**
 * A cluster's API over a transport.
 *
 * A request whose kept-alive connection had died is sent once more where that can do no harm. Reads always can. A
 * conditional write can too: if the first one did reach the server, the second finds the version changed and answers
 * Conflict (a deletion: NotFound), upon which the caller reads again in any case, and finds its own write. A create and an
 * unconditional patch are never repeated: they fail with Unreachable, and what happened shows at the next read.
 *
 * Memory is bounded by bytes: no answer is read beyond a limit, and of large ones two are held at once. A page
 * that is beyond it is asked for again with fewer objects, from the same continue token.
 */
export class KubernetesClusterApi implements ClusterApi {
  readonly #transport: Transport;
  readonly #clock: Clock;
  readonly #userAgent: string;
  readonly #requestTimeoutMs: number;
  readonly #large = new Places(LARGE_ANSWERS);

  constructor(options: KubernetesClusterApiOptions) {
    this.#transport = options.transport;
    this.#clock = options.clock;
    this.#userAgent = options.userAgent;
    this.#requestTimeoutMs = options.requestTimeoutMs ?? DEFAULT_REQUEST_TIMEOUT_MS;
  }

  async get(type: ResourceType, name: ObjectName, options: ReadOptions = {}): Promise<KubeObject> {
    const call: ApiCall = { verb: 'GET', type, ...name };
    const metadataOnly = options.metadataOnly === true;
    const draft: Draft = {
      method: 'GET',
      path: objectPath(call),
      accept: metadataOnly ? METADATA_OF_OBJECT : JSON_TYPE,
      repeatable: true,
    };
    return await this.#answer(call, draft, options.signal, (answer) => readObjectAnswer(call, answer, metadataOnly));
  }

  async list(type: ResourceType, options: ListOptions = {}): Promise<ListPage> {
    const call: ApiCall = { verb: 'LIST', type, namespace: options.namespace ?? '', name: '' };
    let limit = options.limit ?? DEFAULT_PAGE_SIZE;
    for (;;) {
      const page = await this.#page(call, limit, options);
      if (page !== undefined) return page;
      limit = Math.max(1, Math.floor(limit * SMALLER_PAGE));
    }
  }

  /** Undefined when it is too large and holds more than one object. */
  async #page(call: ApiCall, limit: number, options: ListOptions): Promise<ListPage | undefined> {
    const { metadataOnly = false, skipUnreadable = false } = options;
    const draft: Draft = {
      method: 'GET',
      path: collectionPath(call, {
        labelSelector: options.labelSelector,
        fieldSelector: options.fieldSelector,
        limit,
        continue: options.continueToken,
      }),
      accept: metadataOnly ? METADATA_OF_LIST : JSON_TYPE,
      repeatable: true,
    };
    const reading = { metadataOnly, skipUnreadable };
    const read = (answer: Answer): ListPage | undefined => {
      if (answer.isWhole) {
        const page = readListAnswer(call, answer, reading);
        const nextLimit = nextLimitAfter(answer.bytes, limit);
        return nextLimit === undefined ? page : { ...page, nextLimit };
      }
      return limit > 1 ? undefined : { ...readOversizedPage(call, answer, reading), nextLimit: limit };
    };
    const maxBytes = limit > 1 ? MAX_PAGE_BYTES : MAX_OBJECT_BYTES;
    return await this.#answer(call, draft, options.signal, read, maxBytes);
  }

  async *watch(type: ResourceType, options: WatchOptions): AsyncGenerator<WatchEvent, void, undefined> {
    const { signal } = options;
    const call: ApiCall = { verb: 'WATCH', type, namespace: options.namespace ?? '', name: '' };
    const metadataOnly = options.metadataOnly === true;
    const draft: Draft = {
      method: 'GET',
      path: collectionPath(call, {
        watch: true,
        allowWatchBookmarks: true,
        resourceVersion: options.resourceVersion,
        timeoutSeconds: options.timeoutSeconds,
        labelSelector: options.labelSelector,
      }),
      accept: metadataOnly ? METADATA_OF_OBJECT : JSON_TYPE,
      repeatable: true,
    };
    if (signal?.aborted) return;
    try {
      const { response } = await this.#send(draft, signal);
      if (response.status !== 200) throw answerError(call, await readAnswer(response), this.#clock.now());
      for await (const event of readWatch(call, response.chunks(), metadataOnly)) {
        if (signal?.aborted) return;
        yield event;
      }
    } catch (error) {
      if (signal?.aborted) return;
      throw error instanceof ApiError ? error : callFailure(call, error);
    }
  }

  async create(type: ResourceType, object: DesiredObject, options: WriteOptions): Promise<KubeObject> {
    const { namespace = '', name } = object.metadata;
    const call: ApiCall = { verb: 'POST', type, namespace, name };
    const draft: Draft = {
      method: 'POST',
      path: collectionPath(call, { fieldManager: options.fieldManager }),
      contentType: JSON_TYPE,
      body: JSON.stringify(object),
      repeatable: false,
    };
    return await this.#answer(call, draft, options.signal, (answer) => readObjectAnswer(call, answer, false));
  }

  async patch(type: ResourceType, name: ObjectName, body: PatchBody, options: PatchOptions): Promise<KubeObject> {
    const call: ApiCall = { verb: 'PATCH', type, ...name, subresource: options.subresource };
    const draft: Draft = {
      method: 'PATCH',
      path: objectPath(call, {
        fieldManager: options.fieldManager,
        force: body.type === 'apply' ? body.force : undefined,
      }),
      contentType: PATCH_TYPES[body.type],
      body: JSON.stringify(body.patch),
      repeatable: isConditional(body),
    };
    return await this.#answer(call, draft, options.signal, (answer) => readObjectAnswer(call, answer, false));
  }

  async delete(type: ResourceType, name: ObjectName, options: DeleteOptions): Promise<void> {
    const call: ApiCall = { verb: 'DELETE', type, ...name };
    const { preconditions, propagation } = options;
    const draft: Draft = {
      method: 'DELETE',
      path: objectPath(call),
      contentType: JSON_TYPE,
      body: JSON.stringify({
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        preconditions,
        propagationPolicy: propagation,
      }),
      repeatable: true,
    };
    await this.#answer(call, draft, options.signal, (answer) => checkDeleteAnswer(call, answer));
  }

  /** What `read` makes of a 2xx answer, which came within the time-out. */
  async #answer<Result>(
    call: ApiCall,
    draft: Draft,
    signal: AbortSignal | undefined,
    read: (answer: Answer) => Result,
    maxBytes = MAX_OBJECT_BYTES,
  ): Promise<Result> {
    if (this.#transport.ready !== undefined) await untilReady(call, this.#transport.ready(signal), signal);
    const deadline = new CallDeadline(this.#clock, this.#requestTimeoutMs, signal);
    let leave: (() => void) | undefined;
    const whenLarge = async () => {
      leave ??= await deadline.withoutTime(this.#large.take(deadline.signal));
    };
    try {
      let answer: Answer;
      let repeated = false;
      try {
        deadline.signal.throwIfAborted();
        const sent = await this.#send(draft, deadline.signal);
        repeated = sent.repeated;
        answer = await readAnswer(sent.response, maxBytes, whenLarge);
      } catch (error) {
        throw callFailure(call, error, deadline);
      } finally {
        deadline.end();
      }
      if (!isSuccess(answer.status)) throw answerError(call, answer, this.#clock.now(), repeated);
      return read(answer);
    } finally {
      leave?.();
    }
  }

  async #send(
    draft: Draft,
    signal: AbortSignal | undefined,
  ): Promise<{ response: TransportResponse; repeated: boolean }> {
    const request = this.#complete(draft, signal);
    try {
      return { response: await this.#transport.send(request), repeated: false };
    } catch (error) {
      if (!draft.repeatable || !isDeadConnection(error) || signal?.aborted === true) throw error;
      return { response: await this.#transport.send(request), repeated: true };
    }
  }

  #complete(draft: Draft, signal: AbortSignal | undefined): TransportRequest {
    const { method, path, accept = JSON_TYPE, contentType, body } = draft;
    const headers: Record<string, string> = { accept, 'user-agent': this.#userAgent };
    if (contentType !== undefined) headers['content-type'] = contentType;
    return {
      method,
      path,
      headers,
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    };
  }
}

async function untilReady(call: ApiCall, ready: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  try {
    await ready;
  } catch (error) {
    throw callFailure(call, error, signal === undefined ? undefined : { signal, expired: false });
  }
}

/** Of an error that is too large nothing but the status is believed. */
async function readAnswer(
  response: TransportResponse,
  maxBytes = MAX_ERROR_BYTES,
  whenLarge?: () => Promise<void>,
): Promise<Answer> {
  const { status, headers } = response;
  const body = await readBody(response.chunks(), isSuccess(status) ? maxBytes : MAX_ERROR_BYTES, whenLarge);
  return { status, headers, ...body, ...(!isSuccess(status) && !body.isWhole && { text: '' }) };
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** The page size grows back as soon as the objects are small again. Undefined when it need not be less than the default. */
function nextLimitAfter(bytes: number, limit: number): number | undefined {
  const next = bytes * 4 < MAX_PAGE_BYTES ? limit * 2 : limit;
  return next < DEFAULT_PAGE_SIZE ? next : undefined;
}
