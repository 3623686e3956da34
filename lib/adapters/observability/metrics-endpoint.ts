import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EvenkeelError } from '../../core/errors.ts';
import { guardServer, tokenCheck } from '../loopback/request-guard.ts';
import type { PrometheusMetrics } from './prometheus-metrics.ts';

export interface MetricsEndpoint {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves `GET /metrics` on 127.0.0.1, to programs of this user.
 * @param port 0 for a free one.
 * @param token required in every request, as a bearer token or as a password.
 * @throws EvenkeelError PORT_IN_USE, or CANNOT_LISTEN.
 */
export async function serveMetrics(metrics: PrometheusMetrics, port: number, token: string): Promise<MetricsEndpoint> {
  const server = createServer(async (request, response) => {
    const path = (request.url ?? '/').split('?', 1)[0];
    if (path !== '/metrics') {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('only /metrics is served here\n');
    } else if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD' }).end();
    } else {
      const body = await metrics.exposition();
      response.writeHead(200, { 'content-type': metrics.contentType }).end(request.method === 'HEAD' ? '' : body);
    }
  });
  guardServer(server, tokenCheck(token));
  const bound = Promise.withResolvers<void>();
  server.once('error', (error: NodeJS.ErrnoException) => bound.reject(listenError(error, port)));
  server.listen(port, '127.0.0.1', () => bound.resolve());
  await bound.promise;
  const { port: actual } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${actual}/metrics`,
    close: () => {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      return closed.promise;
    },
  };
}

function listenError(error: NodeJS.ErrnoException, port: number): EvenkeelError {
  if (error.code === 'EADDRINUSE') {
    return new EvenkeelError(
      'PORT_IN_USE',
      `port ${port} of 127.0.0.1, wanted for the metrics, is in use. Stop what uses it, or set metrics.port to another one or to 0 for a free one.`,
      { cause: error, data: { port } },
    );
  }
  return new EvenkeelError('CANNOT_LISTEN', `the metrics cannot be served on port ${port} (${error.code}).`, {
    cause: error,
    data: { port },
  });
}
