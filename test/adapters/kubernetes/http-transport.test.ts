import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { isDeadConnection, isUnreadableAnswer } from '../../../lib/adapters/http/transport-failure.ts';
import type { ClusterConnection } from '../../../lib/adapters/kubernetes/connection/cluster-connection.ts';
import { staticToken, type TokenSource } from '../../../lib/adapters/kubernetes/credentials/token-source.ts';
import { HttpTransport } from '../../../lib/adapters/kubernetes/http-transport.ts';
import type { TransportRequest } from '../../../lib/adapters/kubernetes/transport.ts';
import { serve } from './http-server.ts';

const get: TransportRequest = {
  method: 'GET',
  path: '/api/v1/secrets?limit=5',
  headers: { accept: 'application/json' },
};
const watch: TransportRequest = { ...get, path: '/api/v1/secrets?watch=true' };

/** undici's pool looks for a free connection before it knows that the last one is free, so one caller uses two. */
const FEW = 2;

function transportTo(connection: ClusterConnection, connections?: number): HttpTransport {
  const transport = new HttpTransport(connections === undefined ? { connection } : { connection, connections });
  onTestFinished(() => transport.close());
  return transport;
}

/** Tokens `token-1`, `token-2` and so on, a new one after each refusal. */
function renewedToken(): TokenSource & { refusals: string[] } {
  const refusals: string[] = [];
  return {
    kind: 'static',
    refusals,
    current: async () => `token-${refusals.length + 1}`,
    refused: (token) => refusals.push(token),
  };
}

describe('an exchange over HTTP', () => {
  it('the transport sends method, path, headers, body and token, and returns status, headers and text', async () => {
    const server = await serve(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      response.writeHead(418, { 'Retry-After': '7' }).end(`got ${body}`);
    });
    const transport = transportTo({ server: `${server.url}/k8s/clusters/c1/`, token: staticToken('t0ken') });
    const response = await transport.send({ ...get, method: 'PATCH', headers: { 'content-type': 'x/y' }, body: 'ünï' });
    expect(response).toMatchObject({ status: 418, headers: { 'retry-after': '7' } });
    await expect(response.text()).resolves.toBe('got ünï');
    expect(server.requests[0]).toMatchObject({
      method: 'PATCH',
      url: '/k8s/clusters/c1/api/v1/secrets?limit=5',
      headers: { 'content-type': 'x/y', authorization: 'Bearer t0ken' },
    });
  });

  it('the transport keeps its connections for later requests, and uses another one for a watch', async () => {
    const server = await serve((request, response) => {
      if (request.url === watch.path) response.write('begun');
      else response.end('{}');
    });
    const transport = transportTo({ server: server.url });
    for (let count = 0; count < 20; count += 1) await (await transport.send(get)).text();
    expect(server.connections()).toBeLessThanOrEqual(FEW);
    const watched = (await transport.send(watch)).chunks()[Symbol.asyncIterator]();
    await expect(watched.next()).resolves.toMatchObject({ value: Buffer.from('begun') });
    await (await transport.send(get)).text();
    expect(server.connections()).toBeLessThanOrEqual(FEW + 1);
  });

  it('the transport limits the connections for requests, and not those for watches', async () => {
    const server = await serve((request, response) => {
      if (request.url === watch.path) response.write('begun');
      else response.end('{}');
    });
    const transport = transportTo({ server: server.url }, 2);
    await Promise.all(Array.from({ length: 10 }, async () => (await transport.send(get)).text()));
    expect(server.connections()).toBe(2);
    await Promise.all(Array.from({ length: 5 }, () => transport.send(watch)));
    expect(server.connections()).toBe(7);
  });

  it('R-5.16 the transport does not follow a redirect', async () => {
    const elsewhere = await serve((_, response) => response.end('{}'));
    const server = await serve((_, response) => response.writeHead(302, { location: elsewhere.url }).end());
    const response = await transportTo({ server: server.url, token: staticToken('t') }).send(get);
    expect(response.status).toBe(302);
    await response.text();
    expect(elsewhere.requests).toEqual([]);
  });
});

describe('R-5.16 the environment', () => {
  it('the transport ignores the proxies of the environment', async () => {
    const proxy = await serve((_, response) => response.writeHead(502).end());
    for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY']) vi.stubEnv(name, proxy.url);
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    const server = await serve((_, response) => response.end('{}'));
    const response = await transportTo({ server: server.url }).send(get);
    await expect(response.text()).resolves.toBe('{}');
    expect(proxy.connections()).toBe(0);
  });
});

describe('an exchange is broken off', () => {
  it('a request ends when its signal aborts before the headers', async () => {
    const server = await serve(() => undefined);
    const abort = new AbortController();
    const sent = transportTo({ server: server.url }).send({ ...watch, signal: abort.signal });
    await expect.poll(() => server.requests.length).toBe(1);
    const [socket] = server.sockets;
    abort.abort('enough');
    await expect(sent).rejects.toBe('enough');
    if (socket?.destroyed === false) await once(socket, 'close');
  });

  it('a request ends when its signal aborts while it waits for a connection', async () => {
    const server = await serve(() => undefined);
    const transport = transportTo({ server: server.url }, 1);
    const first = transport.send(get).catch(() => undefined);
    const abort = new AbortController();
    const sent = transport.send({ ...get, signal: abort.signal });
    abort.abort('enough');
    await expect(sent).rejects.toBe('enough');
    await transport.close();
    await first;
  });

  it('a request ends when its signal aborts inside the body', async () => {
    const server = await serve((_, response) => response.write('begun'));
    const abort = new AbortController();
    const response = await transportTo({ server: server.url }).send({ ...watch, signal: abort.signal });
    const [socket] = server.sockets;
    const reading = (async () => {
      for await (const _ of response.chunks()) abort.abort(new Error('enough'));
    })();
    await expect(reading).rejects.toThrow('enough');
    if (socket?.destroyed === false) await once(socket, 'close');
  });

  it('a request ends when the reader of a stream leaves early', async () => {
    const server = await serve((_, response) => response.write('begun'));
    const response = await transportTo({ server: server.url }).send(watch);
    const [socket] = server.sockets;
    for await (const _ of response.chunks()) break;
    if (socket?.destroyed === false) await once(socket, 'close');
  });

  it('a request ends when the transport closes', async () => {
    const server = await serve(() => undefined);
    const transport = transportTo({ server: server.url });
    const sent = transport.send(get);
    const outcome = expect(sent).rejects.toThrow();
    await expect.poll(() => server.requests.length).toBe(1);
    await transport.close();
    await outcome;
  });

  it('a request ends when its signal aborts while a token is fetched', async () => {
    const token: TokenSource = { kind: 'file', current: () => new Promise(() => undefined), refused: () => undefined };
    const server = await serve((_, response) => response.end());
    const abort = new AbortController();
    const sent = transportTo({ server: server.url, token }).send({ ...get, signal: abort.signal });
    abort.abort('enough');
    await expect(sent).rejects.toBe('enough');
    expect(server.requests).toEqual([]);
  });
});

describe('a connection that dies', () => {
  it('a dead connection differs from other failures: refused, not HTTP, truncated body', async () => {
    const closed = createServer();
    closed.listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as { port: number };
    closed.close();
    const refused: unknown = await transportTo({ server: `http://127.0.0.1:${port}` })
      .send(get)
      .catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'ECONNREFUSED' });
    expect(isDeadConnection(refused)).toBe(false);

    const gibberish = await serve((request) => request.socket.end('SSH-2.0-x\r\n\r\n'));
    const strange: unknown = await transportTo({ server: gibberish.url })
      .send(get)
      .catch((error: unknown) => error);
    expect(isUnreadableAnswer(strange)).toBe(true);
    expect(isDeadConnection(strange)).toBe(false);

    const cut = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"kind":', () => response.destroy());
    });
    const response = await transportTo({ server: cut.url }).send(get);
    await expect(response.text()).rejects.toThrow();
  });

  it.each(['end', 'reset'] as const)('by an %s before the answer is a dead one', async (how) => {
    const server = await serve((request) => (how === 'end' ? request.socket.end() : request.socket.resetAndDestroy()));
    const error: unknown = await transportTo({ server: server.url })
      .send(get)
      .catch((caught: unknown) => caught);
    expect(isDeadConnection(error)).toBe(true);
  });

  it('the next request uses a new connection when one idle connection was dead', async () => {
    const accepted: Socket[] = [];
    let frozen = false;
    // A load balancer may forget kept-alive connections. It answers the first byte on one with a reset.
    const server = createServer((socket) => {
      const old = !frozen;
      accepted.push(socket);
      socket.on('error', () => undefined);
      socket.on('data', () => {
        if (frozen && old) socket.resetAndDestroy();
        else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      for (const socket of accepted) socket.destroy();
      server.close();
    });
    const { port } = server.address() as { port: number };
    const transport = transportTo({ server: `http://127.0.0.1:${port}` });
    await Promise.all(Array.from({ length: 4 }, async () => (await transport.send(get)).text()));
    expect(accepted).toHaveLength(4);

    frozen = true;
    await expect(transport.send(get)).rejects.toSatisfy(isDeadConnection);
    const next = await Promise.all(Array.from({ length: 4 }, async () => (await transport.send(get)).text()));
    expect(next).toEqual(['{}', '{}', '{}', '{}']);
    expect(accepted).toHaveLength(8);
  });
});

describe('R-5.7 a token that the server refuses', () => {
  it('a refused token is fetched again, and the request repeated once', async () => {
    const server = await serve((request, response) => {
      const status = request.headers.authorization === 'Bearer token-2' ? 200 : 401;
      response.writeHead(status).end('{}');
    });
    const token = renewedToken();
    const response = await transportTo({ server: server.url, token }).send({ ...get, method: 'POST', body: 'x' });
    expect(response.status).toBe(200);
    expect(token.refusals).toEqual(['token-1']);
    expect(server.requests.map(({ method }) => method)).toEqual(['POST', 'POST']);
  });

  it('a request that is refused twice is a 401', async () => {
    const server = await serve((_, response) => response.writeHead(401).end('{}'));
    const response = await transportTo({ server: server.url, token: renewedToken() }).send(get);
    expect(response.status).toBe(401);
    await response.text();
    expect(server.requests).toHaveLength(2);
  });

  it('the request is not sent again when there is no other token', async () => {
    const server = await serve((_, response) => response.writeHead(401).end('the answer'));
    const response = await transportTo({ server: server.url, token: staticToken('t') }).send(get);
    await expect(response.text()).resolves.toBe('the answer');
    expect(server.requests).toHaveLength(1);
  });

  it('the connection stays usable when the token cannot be fetched again', async () => {
    const server = await serve((_, response) => response.writeHead(401).end('x'.repeat(100_000)));
    let calls = 0;
    const token: TokenSource = {
      kind: 'file',
      current: async () => {
        calls += 1;
        if (calls === 2) throw new Error('no token');
        return 'token';
      },
      refused: () => undefined,
    };
    const transport = transportTo({ server: server.url, token }, 1);
    await expect(transport.send(get)).rejects.toThrow('no token');
    await (await transport.send(get)).text();
    expect(server.connections()).toBe(1);
  });
});
