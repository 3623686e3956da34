import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { Agent, type Dispatcher } from 'undici';

type RequestHandler = Extract<NonNullable<DynamoDBClientConfig['requestHandler']>, { handle: unknown }>;
type HttpRequest = Parameters<RequestHandler['handle']>[0];
type HandleOptions = Parameters<RequestHandler['handle']>[1];
type HandleResult = Awaited<ReturnType<RequestHandler['handle']>>;

export interface UndiciRequestHandlerOptions {
  readonly maxSockets: number;
  readonly connectTimeoutMs: number;
  /** The time from the request until the last byte of the answer's head; a single request may have another limit. */
  readonly requestTimeoutMs: number;
}

/**
 * How long an idle connection is kept. AWS closes idle connections too. A request that fails because of that is repeated.
 */
const IDLE_CONNECTION_MS = 30_000;

/** The largest AWS answer is that of a BatchGetItem: 16 MB, before JSON escapes. */
const MAX_ANSWER_BYTES = 32 * 1_048_576;

/** The error codes of a request whose connection was dropped by the server, or by a NAT in between. */
const DROPPED_CONNECTION = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);
const TIMED_OUT = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT']);

/**
 * Sends the SDK's requests with undici, which needs less CPU than the SDK's own handler.
 *
 * Connections are kept alive. After a function was frozen, a connection may be dead without notice. So a request that
 * failed because of a dropped connection is repeated once, on a new connection. This is safe for everything that this
 * package sends: reads, conditional writes (whose outcome can be read back), and messages that are deduplicated or may
 * arrive twice.
 */
export class UndiciRequestHandler {
  readonly metadata = { handlerProtocol: 'http/1.1' };
  readonly #agent: Agent;

  constructor({ maxSockets, connectTimeoutMs, requestTimeoutMs }: UndiciRequestHandlerOptions) {
    this.#agent = new Agent({
      connections: maxSockets,
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: IDLE_CONNECTION_MS,
      keepAliveMaxTimeout: IDLE_CONNECTION_MS,
      connect: { timeout: connectTimeoutMs },
      headersTimeout: requestTimeoutMs,
      bodyTimeout: requestTimeoutMs,
    });
  }

  async handle(request: HttpRequest, options: HandleOptions = {}): Promise<HandleResult> {
    try {
      return await this.#send(request, options);
    } catch (error) {
      if (!DROPPED_CONNECTION.has(codeOf(error))) throw sdkError(error);
    }
    try {
      return await this.#send(request, options);
    } catch (error) {
      throw sdkError(error);
    }
  }

  destroy(): void {
    void this.#agent.destroy();
  }

  /** The SDK passes its defaults here (a logger, a socket time-out); they are ignored. */
  updateHttpClientConfig(): void {}

  httpHandlerConfigs(): Record<string, never> {
    return {};
  }

  #send(request: HttpRequest, { abortSignal, requestTimeout }: NonNullable<HandleOptions>) {
    return new Promise<HandleResult>((resolve, reject) => {
      if (abortSignal?.aborted) {
        reject(abortError());
        return;
      }
      const exchange = new Exchange(resolve, reject);
      if (abortSignal !== undefined && 'addEventListener' in abortSignal) {
        const abort = () => exchange.abort();
        abortSignal.addEventListener('abort', abort, { once: true });
        exchange.onEnd = () => abortSignal.removeEventListener('abort', abort);
      }
      const port = request.port === undefined ? '' : `:${request.port}`;
      this.#agent.dispatch(
        {
          origin: `${request.protocol}//${request.hostname}${port}`,
          path: request.path,
          method: request.method as Dispatcher.HttpMethod,
          headers: request.headers,
          body: request.body,
          ...(requestTimeout !== undefined && { headersTimeout: requestTimeout }),
        },
        exchange,
      );
    });
  }
}

/** One request and its answer, with the whole body. */
class Exchange implements Dispatcher.DispatchHandler {
  onEnd: (() => void) | undefined;
  readonly #resolve: (result: HandleResult) => void;
  readonly #reject: (error: unknown) => void;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #controller: Dispatcher.DispatchController | undefined;
  #aborted = false;
  #statusCode = 0;
  #headers: Record<string, string> = {};

  constructor(resolve: (result: HandleResult) => void, reject: (error: unknown) => void) {
    this.#resolve = resolve;
    this.#reject = reject;
  }

  abort(): void {
    this.#aborted = true;
    this.#reject(abortError());
    this.#controller?.abort(abortError());
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#aborted) controller.abort(abortError());
  }

  onResponseStart(_controller: Dispatcher.DispatchController, statusCode: number, headers: Record<string, unknown>) {
    this.#statusCode = statusCode;
    this.#headers = headers as Record<string, string>;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.byteLength;
    if (this.#bytes > MAX_ANSWER_BYTES) {
      this.#chunks.length = 0;
      controller.abort(answerTooLarge());
      return;
    }
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.onEnd?.();
    const [first] = this.#chunks;
    const body = this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks);
    this.#resolve({ response: { statusCode: this.#statusCode, headers: this.#headers, body } });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.onEnd?.();
    this.#reject(error);
  }
}

function codeOf(error: unknown): string {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined;
  return typeof code === 'string' ? code : '';
}

/** Gives errors the names that the SDK's retry strategy knows, so that it retries time-outs and dropped connections. */
function sdkError(error: unknown): unknown {
  const code = codeOf(error);
  if (TIMED_OUT.has(code)) return named('TimeoutError', 'ETIMEDOUT', error);
  if (DROPPED_CONNECTION.has(code)) return named('ConnectionError', 'ECONNRESET', error);
  return error;
}

function named(name: string, code: string, cause: unknown): Error {
  return Object.assign(new Error('the request got no answer', { cause }), { name, code });
}

function answerTooLarge(): Error {
  return Object.assign(new Error(`the answer has more than ${MAX_ANSWER_BYTES} bytes`), { name: 'AnswerTooLarge' });
}

function abortError(): Error {
  return Object.assign(new Error('the request was aborted'), { name: 'AbortError' });
}
