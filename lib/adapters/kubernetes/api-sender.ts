import type { Clock } from '../../ports/clock.ts';
import { StoppedError, stopping } from '../http/before-send.ts';
import { CallDeadline } from '../http/call-deadline.ts';
import { MAX_ERROR_BYTES, MAX_OBJECT_BYTES, readBody } from '../http/read-body.ts';
import { isDeadConnection } from '../http/transport-failure.ts';
import { type Answer, answerError } from './answer-error.ts';
import type { ApiCall } from './api-call.ts';
import { callFailure } from './call-failure.ts';
import { Places } from './places.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

/** A request without its signal and without the headers that all requests have. */
export interface Draft {
  readonly method: TransportRequest['method'];
  readonly path: string;
  readonly accept?: string;
  readonly contentType?: string;
  readonly body?: string;
  /** Whether the request may be sent again when its kept-alive connection was dead. */
  readonly repeatable: boolean;
  /** See MutationOptions of the port. */
  readonly beforeSend?: (() => void) | undefined;
}

export interface ApiSenderOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly userAgent: string;
  /**
   * A call fails with Timeout when its whole answer has not arrived after this time. Watches have no such limit. 10 s
   * by default.
   */
  readonly requestTimeoutMs?: number;
}

export const JSON_TYPE = 'application/json';

const DEFAULT_REQUEST_TIMEOUT_MS = 10_000;
/** How many answers of more than a megabyte are in memory at once, while they are read and while they are parsed. */
const LARGE_ANSWERS = 2;

/**
 * Sends requests over a transport and reads their answers.
 *
 * When a kept-alive connection was dead, a repeatable request is sent once more. Memory is bounded by bytes:
 * no answer is read beyond its limit, and only two large ones are in memory at once.
 */
export class ApiSender {
  readonly #transport: Transport;
  readonly #clock: Clock;
  readonly #userAgent: string;
  readonly #requestTimeoutMs: number;
  readonly #large = new Places(LARGE_ANSWERS);

  constructor({ transport, clock, userAgent, requestTimeoutMs }: ApiSenderOptions) {
    this.#transport = transport;
    this.#clock = clock;
    this.#userAgent = userAgent;
    this.#requestTimeoutMs = requestTimeoutMs ?? DEFAULT_REQUEST_TIMEOUT_MS;
  }

  /** Returns the result of `read` for a 2xx answer. The whole answer must arrive within the time-out. */
  async answer<Result>(
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
        if (error instanceof StoppedError) throw error.cause;
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

  /** The response of a watch, whose events come without a time-out. @throws ApiError when it is refused. */
  async open(call: ApiCall, draft: Draft, signal: AbortSignal | undefined): Promise<TransportResponse> {
    const { response } = await this.#send(draft, signal);
    if (response.status !== 200) throw answerError(call, await readAnswer(response), this.#clock.now());
    return response;
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
    const { method, path, accept = JSON_TYPE, contentType, body, beforeSend } = draft;
    const headers: Record<string, string> = { accept, 'user-agent': this.#userAgent };
    if (contentType !== undefined) headers['content-type'] = contentType;
    return {
      method,
      path,
      headers,
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
      ...(beforeSend !== undefined && { beforeSend: stopping(beforeSend) }),
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

/** When an error answer is too large, only its status code is used. */
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
