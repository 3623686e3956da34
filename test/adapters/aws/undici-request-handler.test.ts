import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it } from 'vitest';
import { createAwsClients } from '../../../lib/adapters/aws/clients.ts';
import { UndiciRequestHandler } from '../../../lib/adapters/aws/undici-request-handler.ts';
import { LOCAL_CREDENTIALS, LOCAL_REGION } from '../../support/emulators/local-account.ts';

const servers: Server[] = [];
const handlers: UndiciRequestHandler[] = [];

afterEach(async () => {
  for (const handler of handlers.splice(0)) handler.destroy();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
});

/** A server whose response depends on the number of earlier requests on the connection. */
async function serve(answer: (response: ServerResponse, requestOnSocket: number, request: IncomingMessage) => void) {
  const carried = new Map<Socket, number>();
  const server = createServer((request, response) => {
    const count = (carried.get(request.socket) ?? 0) + 1;
    carried.set(request.socket, count);
    request.resume();
    request.on('end', () => answer(response, count, request));
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, connections: () => carried.size };
}

function handlerFor(port: number, { maxSockets = 1, requestTimeoutMs = 5_000 } = {}) {
  const handler = new UndiciRequestHandler({ maxSockets, connectTimeoutMs: 1_000, requestTimeoutMs });
  handlers.push(handler);
  const request = {
    protocol: 'http:',
    hostname: '127.0.0.1',
    port,
    method: 'POST',
    path: '/',
    headers: { 'content-type': 'application/x-amz-json-1.0' },
    body: '{}',
  };
  return (options = {}) => handler.handle(request as never, options);
}

const ok = (response: ServerResponse) => response.end('{"ok":true}');

describe('requests to AWS', () => {
  it.each([
    ['an answer', 200],
    ['a refusal', 400],
    ['a failure', 503],
  ])('R-5.18 %s without an end is read up to its limit', async (_, status) => {
    let sent = 0;
    const { port } = await serve((response) => {
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536))) sent += 65_536;
      };
      response.on('drain', more);
      more();
    });
    await expect(handlerFor(port)()).rejects.toMatchObject({ name: 'AnswerTooLarge' });
    expect(sent).toBeLessThan(64 * 1_048_576);
  });

  it('R-5.5 connections are kept and used again', async () => {
    const { port, connections } = await serve(ok);
    const send = handlerFor(port);
    for (let count = 0; count < 5; count += 1) {
      const { response } = await send();
      expect(response.statusCode).toBe(200);
      expect(response.body.toString()).toBe('{"ok":true}');
    }
    expect(connections()).toBe(1);
  });

  it('R-5.5 a request on a dead connection is repeated once on a new one', async () => {
    const { port, connections } = await serve((response, requestOnSocket, request) => {
      if (requestOnSocket > 1) request.socket.resetAndDestroy();
      else ok(response);
    });
    const send = handlerFor(port);
    await send();
    expect((await send()).response.statusCode).toBe(200);
    expect(connections()).toBe(2);
  });

  it('R-5.5 the repeated request does not use another dead connection', async () => {
    const { port } = await serve((response, requestOnSocket, request) => {
      if (requestOnSocket > 1) request.socket.resetAndDestroy();
      else ok(response);
    });
    const send = handlerFor(port, { maxSockets: 3 });
    await Promise.all([send(), send(), send()]);
    expect((await send()).response.statusCode).toBe(200);
  });

  it('R-5.5 several concurrent requests on dead connections are all repeated', async () => {
    const { port } = await serve((response, requestOnSocket, request) => {
      if (requestOnSocket > 1) request.socket.destroy();
      else ok(response);
    });
    const send = handlerFor(port, { maxSockets: 2 });
    await Promise.all([send(), send()]);
    const answers = await Promise.all([send(), send()]);
    expect(answers.map(({ response }) => response.statusCode)).toEqual([200, 200]);
  });

  it('R-5.5 a request fails with an error name of the SDK when the server drops every connection', async () => {
    let requests = 0;
    const { port } = await serve((_response, _count, request) => {
      requests += 1;
      request.socket.destroy();
    });
    await expect(handlerFor(port)()).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(requests).toBe(2);
  });

  it('R-5.14 a request ends with a time-out when the server does not answer', async () => {
    const { port } = await serve(() => {});
    await expect(handlerFor(port, { requestTimeoutMs: 100 })()).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('R-5.14 a request fails when no server listens', async () => {
    const { port } = await serve(ok);
    const server = servers.pop();
    server?.close();
    await expect(handlerFor(port)()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('R-5.5 an aborted request rejects at once and releases its connection', async () => {
    const abort = new AbortController();
    let closed: Promise<unknown> = Promise.resolve();
    const { port } = await serve((_response, _count, request) => {
      closed = once(request.socket, 'close');
      abort.abort();
    });
    const send = handlerFor(port);
    await expect(send({ abortSignal: abort.signal })).rejects.toMatchObject({ name: 'AbortError' });
    await closed;
    await expect(send({ abortSignal: abort.signal })).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('R-5.14 the clients retry failed connections a limited number of times', async () => {
    let requests = 0;
    const { port } = await serve((response) => {
      requests += 1;
      if (requests < 3) response.writeHead(503).end('{}');
      else response.end('{"Item":{"pk":{"S":"a"}}}');
    });
    const clients = createAwsClients({
      region: LOCAL_REGION,
      credentials: LOCAL_CREDENTIALS,
      endpoints: { dynamodb: `http://127.0.0.1:${port}` },
      maxSockets: 1,
    });
    const read = () => clients.dynamodb.send(new GetItemCommand({ TableName: 'state', Key: {} }));
    expect((await read()).Item).toEqual({ pk: { S: 'a' } });
    expect(requests).toBe(3);
    requests = -100;
    await expect(read()).rejects.toThrow();
    expect(requests).toBe(-97);
    clients.close();
  });
});
