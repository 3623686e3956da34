import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { guardServer } from '../../loopback/request-guard.ts';
import type { KeycloakStandIn } from './keycloak-stand-in.ts';

export interface ListeningStandIn {
  /** E.g. `http://127.0.0.1:40123`. */
  readonly url: string;
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 1_048_576;

/** Serves the stand-in over HTTP, on 127.0.0.1, to programs; it checks their credentials itself. @param port 0 for a free one. */
export async function listenStandIn(standIn: KeycloakStandIn, { port = 0 } = {}): Promise<ListeningStandIn> {
  const server = createServer((request, response) => {
    const closed = new AbortController();
    response.once('close', () => closed.abort());
    answer(standIn, request, response, closed.signal).catch(() => response.destroy());
  });
  guardServer(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${bound}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  standIn: KeycloakStandIn,
  request: IncomingMessage,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const body = await bodyOf(request);
  if (body === undefined) {
    response.writeHead(413).end();
    return;
  }
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) if (typeof value === 'string') headers[name] = value;
  const { method = 'GET', url = '/' } = request;
  const {
    status,
    headers: answered,
    body: text,
  } = await standIn.send({
    method,
    path: url,
    headers,
    signal,
    ...(body === '' ? {} : { body }),
  });
  response.writeHead(status, answered as Record<string, string>).end(text);
}

/** Undefined when the body is too large. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
