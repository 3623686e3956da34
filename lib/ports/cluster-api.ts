import { EvenkeelError } from '../core/errors.ts';
import type { DesiredObject, JsonValue, KubeObject, ObjectName } from '../core/kube-object.ts';
import type { Propagation } from '../core/reconcile-context.ts';
import type { ResourceType } from '../core/resource-type.ts';

export interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface ReadOptions extends CallOptions {
  /** Requests `PartialObjectMetadata`: no spec, status or data leaves the server. */
  readonly metadataOnly?: boolean;
}

export interface ListOptions extends ReadOptions {
  /** Empty or absent lists all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** The largest number of objects on a page, 500 by default. Pages of large objects have fewer (R-5.18). */
  readonly limit?: number;
  readonly continueToken?: string;
  /**
   * Whether an object that cannot be read is left out and named in `unreadable` (R-5.19). Otherwise the whole page
   * fails, because an incomplete list proves nothing (R-1.17).
   */
  readonly skipUnreadable?: boolean;
}

/** An object of a list or a watch that is too large, or that is not an object of the kind. */
export interface UnreadableObject {
  /** Empty if the answer does not contain it; the same below. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** In our own words. */
  readonly why: string;
}

export interface ListPage {
  readonly items: KubeObject[];
  /** The version the list was read at. */
  readonly resourceVersion: string;
  /** Absent on the last page. */
  readonly continueToken?: string;
  /** With `skipUnreadable`: the skipped objects. */
  readonly unreadable?: readonly UnreadableObject[];
  /** The number of objects that the next page may have; absent when the objects of this page are small. */
  readonly nextLimit?: number;
  /** The size of the answer. */
  readonly bytes?: number;
}

export interface WatchOptions extends ReadOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly resourceVersion: string;
  /** The server ends the watch after this time. */
  readonly timeoutSeconds: number;
}

export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: KubeObject }
  /** Everything up to this version was delivered. */
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string }
  /** Replaces an event whose object cannot be read; later events are delivered as usual. */
  | { readonly type: 'UNREADABLE'; readonly unreadable: UnreadableObject; readonly resourceVersion?: string };

export type PatchBody =
  /** RFC 7396. */
  | { readonly type: 'merge'; readonly patch: JsonValue }
  /** RFC 6902. */
  | { readonly type: 'json'; readonly patch: readonly JsonValue[] }
  /** Server-side apply; `force` takes fields over from other managers. */
  | { readonly type: 'apply'; readonly patch: DesiredObject; readonly force: boolean };

/** The options of all writes. */
export interface MutationOptions extends CallOptions {
  /**
   * Called right before the request is sent, after everything that it waits for: the identity of the cluster,
   * credentials, a free connection. If it throws, the call ends and nothing was sent. It is called again for a repeated
   * request.
   */
  readonly beforeSend?: () => void;
}

export interface WriteOptions extends MutationOptions {
  readonly fieldManager: string;
}

export interface PatchOptions extends WriteOptions {
  readonly subresource?: 'status';
  /**
   * The server returns the object after the write, and stores nothing. Admission runs, and the same permission is
   * needed.
   */
  readonly dryRun?: true;
}

export interface DeleteOptions extends MutationOptions {
  /** The server checks both: a mismatch is a Conflict (R-1.18). */
  readonly preconditions: { readonly uid: string; readonly resourceVersion?: string };
  readonly propagation?: Propagation;
}

/**
 * The API of one cluster. Every call rejects with `ApiError` when the server refuses it or does not answer. The adapter
 * limits the time of each request. Reads that failed on a dead kept-alive connection are repeated once.
 */
export interface ClusterApi {
  /** @throws ApiError NotFound when the object is absent, KindMissing when its kind is not served. */
  get(type: ResourceType, name: ObjectName, options?: ReadOptions): Promise<KubeObject>;
  list(type: ResourceType, options?: ListOptions): Promise<ListPage>;
  /**
   * Yields until the server ends the watch (returns) or the watch fails (throws: `Expired` for 410 at connect or as an
   * event). Aborting the signal ends it at any moment, also before the first byte.
   */
  watch(type: ResourceType, options: WatchOptions): AsyncIterable<WatchEvent>;
  create(type: ResourceType, object: DesiredObject, options: WriteOptions): Promise<KubeObject>;
  patch(type: ResourceType, name: ObjectName, body: PatchBody, options: PatchOptions): Promise<KubeObject>;
  delete(type: ResourceType, name: ObjectName, options: DeleteOptions): Promise<void>;
}

/** The error of an API call, as a closed set. */
export type ApiErrorReason =
  /** The object is absent. */
  | 'NotFound'
  /** The kind is not served: a CRD that is missing, or an API group (never an absence of the object). */
  | 'KindMissing'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Invalid'
  | 'BadRequest'
  | 'Unauthorized'
  /** 403, and any code with which admission or a quota refuses. */
  | 'Forbidden'
  /** 410: the version or continue token is too old. */
  | 'Expired'
  /** 429. */
  | 'TooManyRequests'
  /** 5xx. */
  | 'ServerError'
  /** No answer in time: the outcome of a write is unknown. */
  | 'Timeout'
  /** Refused, reset, TLS or DNS failure: the outcome of a write is unknown. */
  | 'Unreachable'
  /** An answer that does not follow the API (HTML, truncated JSON). */
  | 'Malformed'
  /** An answer that is larger than its limit. */
  | 'TooLarge';

/** One field that validation refuses: its path and the type of error, never its value. */
export interface FieldFault {
  /** Such as `spec.ports[0].name`. */
  readonly field: string;
  /** The API server's own word, e.g. `FieldValueRequired`; empty when it gave none. */
  readonly reason: string;
}

/** What refused an authenticated request. `policy` is the admission policy's own name, never its text. */
export type Refusal =
  | { readonly by: 'quota' }
  /** The namespace is being deleted. */
  | { readonly by: 'termination' }
  | { readonly by: 'validation'; readonly faults: readonly FieldFault[] }
  | { readonly by: 'admission'; readonly policy: string | undefined }
  | { readonly by: 'authorization' };

/** The server's own text is never part of the message (R-1.24). */
export class ApiError extends EvenkeelError {
  readonly reason: ApiErrorReason;
  /** HTTP status, 0 when there was no response. */
  readonly status: number;
  readonly retryAfterMs: number | undefined;
  /**
   * Whether the request was sent before, on a connection that died: the first request may be the cause of a Conflict.
   */
  readonly repeated: boolean;
  /** For Forbidden and Invalid: what refused the request, if the answer shows it (R-3.11). */
  readonly refusal: Refusal | undefined;

  constructor(
    reason: ApiErrorReason,
    message: string,
    options: {
      status?: number;
      retryAfterMs?: number | undefined;
      repeated?: boolean;
      refusal?: Refusal | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(
      `API_${reason.replace(/[A-Z]/g, (letter, index) => (index > 0 ? `_${letter}` : letter)).toUpperCase()}`,
      message,
      {
        cause: options.cause,
      },
    );
    this.reason = reason;
    this.status = options.status ?? 0;
    this.retryAfterMs = options.retryAfterMs;
    this.repeated = options.repeated === true;
    this.refusal = options.refusal;
  }
}

export function isApiError(error: unknown, ...reasons: readonly ApiErrorReason[]): error is ApiError {
  return error instanceof ApiError && (reasons.length === 0 || reasons.includes(error.reason));
}
