import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Transport, TransportRequest } from '../adapters/kubernetes/transport.ts';
import type { LoopbackIdentity } from '../adapters/loopback/loopback-identity.ts';
import { type CredentialCheck, refusalOf, tokenCheck } from '../adapters/loopback/request-guard.ts';
import { ApiError } from './api-error.ts';
import { decodeProtobuf, PROTOBUF_MEDIA_TYPE } from './protobuf/decode-protobuf.ts';
import { bodyLimitBytes, bodyTooLarge } from './verbs/decode-body.ts';

export interface ListenOptions {
  /** The bearer token that every request must have. */
  readonly token: string;
  /** Whether the server issued another token, and that token has not expired. */
  readonly isIssued?: (token: string) => boolean;
  /** 0 takes any free port. */
  readonly port?: number;
  /** The identity for TLS; without one it serves plain HTTP. */
  readonly tls?: LoopbackIdentity;
}

export interface Listening {
  readonly port: number;
  /** `https://127.0.0.1:<port>`, or http without TLS. */
  readonly url: string;
  /** PEM, when it serves TLS. */
  readonly certificateAuthority?: string;
  readonly token: string;
  /** Stops listening and closes all connections. */
  close(): Promise<void>;
}

const host = '127.0.0.1';
/** The number of bytes that are still read of a body that was refused for its size. */
const discardedBytes = 16 * bodyLimitBytes;
const methods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

/**
 * Serves requests over HTTP, with or without TLS, on the loopback interface. Refuses requests of web pages and of other
 * users of the machine.
 */
export async function listen(
  transport: Transport,
  { token, isIssued, port = 0, tls }: ListenOptions,
): Promise<Listening> {
  const isAuthorized = tokenCheck(token, isIssued);
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    exchange(transport, isAuthorized, request, response).catch((error: unknown) => response.destroy(asError(error)));
  };
  const server: Server =
    tls === undefined
      ? createServer({ keepAliveTimeout: 60_000 }, answer)
      : createTlsServer({ keepAliveTimeout: 60_000, cert: tls.certificate, key: tls.key }, answer);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const bound = (server.address() as AddressInfo).port;
  const served = { port: bound, token, close: () => close(server) };
  if (tls === undefined) return { ...served, url: `http://${host}:${bound}` };
  return { ...served, url: `https://${host}:${bound}`, certificateAuthority: tls.certificateAuthority };
}

async function exchange(
  transport: Transport,
  isAuthorized: CredentialCheck,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const refusal = refusalOf(incoming.headers, isAuthorized);
  if (refusal !== undefined) {
    refuse(outgoing, refusal.status, refusal.status === 401 ? 'Unauthorized' : 'Forbidden', refusal.message);
    return;
  }
  const method = incoming.method === 'HEAD' ? 'GET' : (incoming.method ?? '');
  if (!isMethod(method)) {
    refuse(outgoing, 405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource');
    return;
  }
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort());
  let asText: Pick<TransportRequest, 'headers' | 'body'>;
  try {
    asText = textOf(await readBody(incoming), flatten(incoming));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    refuse(outgoing, error.code, error.reason, error.message);
    discardRest(incoming);
    return;
  }
  const response = await transport.send({ method, path: incoming.url ?? '/', ...asText, signal: gone.signal });
  for (const [name, value] of Object.entries(response.headers)) {
    if (value !== undefined) outgoing.setHeader(name, value);
  }
  outgoing.statusCode = response.status;
  if (incoming.method === 'HEAD') {
    outgoing.end();
    return;
  }
  if (response.headers['content-length'] === undefined && !isStream(response.headers['content-type'])) {
    outgoing.end(await response.text());
    return;
  }
  outgoing.flushHeaders();
  for await (const chunk of response.chunks()) {
    if (!outgoing.write(chunk)) await drained(outgoing);
    if (outgoing.destroyed) return;
  }
  outgoing.end();
}

function isMethod(method: string): method is TransportRequest['method'] {
  return methods.has(method);
}

function isStream(contentType: string | undefined): boolean {
  return contentType?.includes('stream=watch') ?? false;
}

/** Waits until the client has received the written data, or is gone. */
function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      outgoing.off('drain', done);
      outgoing.off('close', done);
      resolve();
    };
    outgoing.once('drain', done);
    outgoing.once('close', done);
  });
}

/** @throws ApiError RequestEntityTooLarge. It keeps no more than the limit in memory. */
async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // With this iterator, leaving the loop does not close the connection before the answer is sent.
  for await (const chunk of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > bodyLimitBytes) throw bodyTooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes);
}

/**
 * Reads and drops the rest of a body, up to a limit. A client that is still sending its body reads the answer only
 * after that. If the connection is closed earlier, the client never reads it.
 */
function discardRest(incoming: IncomingMessage): void {
  let left = discardedBytes;
  incoming.on('data', (chunk: Buffer) => {
    left -= chunk.byteLength;
    if (left < 0) incoming.destroy();
  });
  incoming.on('error', () => {});
}

/** A Transport carries only text, so a protobuf body is converted to the JSON that the client could have sent. */
function textOf(body: Buffer, headers: Record<string, string>): Pick<TransportRequest, 'headers' | 'body'> {
  if (body.length === 0) return { headers };
  const mediaType = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  const object = mediaType === PROTOBUF_MEDIA_TYPE ? decodeProtobuf(body) : undefined;
  if (object === undefined) return { headers, body: body.toString('utf8') };
  return { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(object) };
}

function flatten(incoming: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return headers;
}

function refuse(outgoing: ServerResponse, code: number, reason: string, message: string): void {
  outgoing.writeHead(code, { 'content-type': 'application/json' });
  outgoing.end(
    JSON.stringify({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code }),
  );
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
