import type { DesiredObject, KubeObject, ObjectName } from '../../core/kube-object.ts';
import type { ResourceType } from '../../core/resource-type.ts';
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
import { MAX_OBJECT_BYTES, MAX_PAGE_BYTES } from '../http/read-body.ts';
import { checkDeleteAnswer, readListAnswer, readObjectAnswer, readOversizedPage } from './answer-body.ts';
import type { Answer } from './answer-error.ts';
import type { ApiCall } from './api-call.ts';
import { ApiSender, type ApiSenderOptions, type Draft, JSON_TYPE } from './api-sender.ts';
import { callFailure } from './call-failure.ts';
import { isConditional } from './conditional-write.ts';
import { collectionPath, objectPath } from './resource-path.ts';
import { readWatch } from './watch/read-watch.ts';

export type KubernetesClusterApiOptions = ApiSenderOptions;

const DEFAULT_PAGE_SIZE = 500;
/** A page that was too large is requested again with this share of its objects. */
const SMALLER_PAGE = 1 / 8;

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
 * When a kept-alive connection was dead, the request is sent once more if that is safe. It is safe for reads. It is
 * safe for conditional writes: if the first request did reach the server, the second one gets Conflict (a deletion:
 * NotFound), and the caller then reads the object and finds its own write. A create and an unconditional patch are
 * never repeated. They fail with Unreachable, and the next read shows what happened.
 *
 * Memory is bounded by bytes: a page that is larger than the limit is requested again with fewer objects, from
 * the same continue token.
 */
export class KubernetesClusterApi implements ClusterApi {
  readonly #sender: ApiSender;

  constructor(options: KubernetesClusterApiOptions) {
    this.#sender = new ApiSender(options);
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
    return await this.#sender.answer(call, draft, options.signal, (answer) =>
      readObjectAnswer(call, answer, metadataOnly),
    );
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

  /** Returns undefined when the page is too large and may have more than one object. */
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
    return await this.#sender.answer(call, draft, options.signal, read, maxBytes);
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
      const response = await this.#sender.open(call, draft, signal);
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
      beforeSend: options.beforeSend,
    };
    return await this.#sender.answer(call, draft, options.signal, (answer) => readObjectAnswer(call, answer, false));
  }

  async patch(type: ResourceType, name: ObjectName, body: PatchBody, options: PatchOptions): Promise<KubeObject> {
    const call: ApiCall = { verb: 'PATCH', type, ...name, subresource: options.subresource };
    const draft: Draft = {
      method: 'PATCH',
      path: objectPath(call, {
        fieldManager: options.fieldManager,
        force: body.type === 'apply' ? body.force : undefined,
        dryRun: options.dryRun === true ? 'All' : undefined,
      }),
      contentType: PATCH_TYPES[body.type],
      body: JSON.stringify(body.patch),
      repeatable: isConditional(body),
      beforeSend: options.beforeSend,
    };
    return await this.#sender.answer(call, draft, options.signal, (answer) => readObjectAnswer(call, answer, false));
  }

  async delete(type: ResourceType, name: ObjectName, options: DeleteOptions): Promise<void> {
    const call: ApiCall = { verb: 'DELETE', type, ...name };
    const { preconditions, propagation, beforeSend } = options;
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
      beforeSend,
    };
    await this.#sender.answer(call, draft, options.signal, (answer) => checkDeleteAnswer(call, answer));
  }
}

/** Lets the page size grow again as soon as the objects are small. Undefined when the default size is right. */
function nextLimitAfter(bytes: number, limit: number): number | undefined {
  const next = bytes * 4 < MAX_PAGE_BYTES ? limit * 2 : limit;
  return next < DEFAULT_PAGE_SIZE ? next : undefined;
}
