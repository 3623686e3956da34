import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface TestServer {
  readonly url: string;
  readonly port: number;
  /** Connections accepted so far. */
  readonly connections: () => number;
  readonly sockets: ReadonlySet<Socket>;
  readonly requests: IncomingMessage[];
}

type Handler = (request: IncomingMessage, response: ServerResponse, count: number) => void;

/** A server on 127.0.0.1 for the running test. `count` is the number of the request, from 1. */
export async function serve(handle: Handler, tls?: ServerOptions): Promise<TestServer> {
  const requests: IncomingMessage[] = [];
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    requests.push(request);
    handle(request, response, requests.length);
  };
  const server: Server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  server.keepAliveTimeout = 60_000;
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    port,
    connections: () => connections,
    sockets,
    requests,
  };
}
