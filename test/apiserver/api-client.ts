import type { Transport, TransportRequest } from '../../lib/adapters/kubernetes/transport.ts';
import { ApiServer, type ApiServerOptions } from '../../lib/apiserver/api-server.ts';
import type { JsonObject, JsonValue } from '../../lib/apiserver/json.ts';

export const startMs = Date.parse('2026-01-01T00:00:00Z');

/** A server whose clock only the test moves, and whose ids are counters. */
export function testServer(options: Partial<ApiServerOptions> = {}): ApiServer {
  let uids = 0;
  let draws = 0;
  return new ApiServer({
    clock: () => startMs,
    newUid: () => {
      uids += 1;
      return `00000000-0000-4000-8000-${String(uids).padStart(12, '0')}`;
    },
    random: () => {
      draws += 1;
      return (draws * 0.618033) % 1;
    },
    ...options,
  });
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The body, parsed when it is JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests walk freely through answers of unknown shape.
  readonly body: any;
}

/** Sends requests with JSON bodies and parses the responses. */
export class ApiClient {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async request(
    method: TransportRequest['method'],
    path: string,
    body?: JsonValue | string,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await this.#transport.send({
      method,
      path,
      headers: {
        'user-agent': 'test/1.0',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers['content-type']?.startsWith('application/json') ?? false;
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  }

  get(path: string, headers?: Record<string, string>): Promise<Answer> {
    return this.request('GET', path, undefined, headers);
  }

  post(path: string, body: JsonValue): Promise<Answer> {
    return this.request('POST', path, body);
  }

  put(path: string, body: JsonValue): Promise<Answer> {
    return this.request('PUT', path, body);
  }

  delete(path: string, body?: JsonValue): Promise<Answer> {
    return this.request('DELETE', path, body);
  }

  merge(path: string, body: JsonValue): Promise<Answer> {
    return this.request('PATCH', path, body, { 'content-type': 'application/merge-patch+json' });
  }

  jsonPatch(path: string, body: JsonValue): Promise<Answer> {
    return this.request('PATCH', path, body, { 'content-type': 'application/json-patch+json' });
  }

  strategic(path: string, body: JsonValue): Promise<Answer> {
    return this.request('PATCH', path, body, { 'content-type': 'application/strategic-merge-patch+json' });
  }

  apply(path: string, body: JsonValue): Promise<Answer> {
    return this.request('PATCH', path, body, { 'content-type': 'application/apply-patch+yaml' });
  }

  /** Opens a watch; `next` waits for the next event and returns it. */
  async watch(path: string, headers: Record<string, string> = {}): Promise<Watching> {
    const gone = new AbortController();
    const response = await this.#transport.send({
      method: 'GET',
      path: `${path}${path.includes('?') ? '&' : '?'}watch=true`,
      headers: { 'user-agent': 'test/1.0', ...headers },
      signal: gone.signal,
    });
    return new Watching(response.status, response.chunks(), gone);
  }
}

export interface WatchEvent {
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests walk freely through answers of unknown shape.
  readonly object: any;
}

export class Watching {
  readonly status: number;
  readonly #lines: AsyncGenerator<string, void, undefined>;
  readonly #gone: AbortController;

  constructor(status: number, chunks: AsyncIterable<Uint8Array>, gone: AbortController) {
    this.status = status;
    this.#lines = lines(chunks);
    this.#gone = gone;
  }

  /** The next event, or undefined when the watch ended. */
  async next(): Promise<WatchEvent | undefined> {
    const { value, done } = await this.#lines.next();
    return done === true ? undefined : (JSON.parse(value) as WatchEvent);
  }

  async take(count: number): Promise<WatchEvent[]> {
    const events: WatchEvent[] = [];
    while (events.length < count) {
      const event = await this.next();
      if (event === undefined) throw new Error(`the watch ended after ${events.length} of ${count} events`);
      events.push(event);
    }
    return events;
  }

  close(): void {
    this.#gone.abort();
  }
}

async function* lines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = parts.pop() ?? '';
    yield* parts;
  }
  if (rest !== '') yield rest;
}

/** A CustomResourceDefinition of `widgets.example.com`, with a status subresource unless told otherwise. */
export function widgetDefinition(version: JsonObject = {}, spec: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', shortNames: ['wd'] },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
              },
            },
          },
          subresources: { status: {} },
          ...version,
        },
      ],
      ...spec,
    },
  };
}

export const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
export const widgets = '/apis/example.com/v1/namespaces/default/widgets';

export function widget(name: string, spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name, ...metadata }, spec };
}

/** A server that serves widgets, and a client of it. */
export async function widgetServer(
  options: Partial<ApiServerOptions> = {},
): Promise<{ server: ApiServer; client: ApiClient }> {
  const server = testServer(options);
  const client = new ApiClient(server);
  await client.post(definitions, widgetDefinition());
  return { server, client };
}
