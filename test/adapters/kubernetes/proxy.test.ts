import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectCluster } from '../../../lib/adapters/kubernetes/connect-cluster.ts';
import type { ClusterConnection } from '../../../lib/adapters/kubernetes/connection/cluster-connection.ts';
import { staticToken } from '../../../lib/adapters/kubernetes/credentials/token-source.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { certificateAuthority } from './certificates.ts';
import { serve } from './http-server.ts';
import { Widgets, widget } from './kinds.ts';

const authority = certificateAuthority();
const identity = authority.issue('api', ['127.0.0.1']);
const client = authority.issue('admin');
const blue = { namespace: 'shop', name: 'blue' };

interface Proxied {
  readonly url: string;
  /** The requests to the proxy: the address, and the password. */
  readonly asked: string[];
}

/** A proxy that connects to the requested address, or answers with a status instead. */
async function proxyOf(options: { status?: number; tls?: boolean } = {}): Promise<Proxied> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const { certificate: cert, key } = identity;
  const proxy = options.tls === true ? createTlsServer({ cert, key }) : createServer();
  proxy.on('connect', (request, socket: Socket, head: Buffer) => {
    asked.push([request.url, request.headers['proxy-authorization']].filter(Boolean).join(' '));
    if (options.status !== undefined) {
      socket.end(`HTTP/1.1 ${options.status} No\r\n\r\n`);
      return;
    }
    const [host = '', port] = (request.url ?? '').split(':');
    const target = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      target.write(head);
      target.pipe(socket).pipe(target);
    });
    for (const one of [socket, target]) {
      sockets.add(one);
      one.on('error', () => socket.destroy());
    }
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
  });
  const { port } = proxy.address() as AddressInfo;
  return { url: `${options.tls === true ? 'https' : 'http'}://127.0.0.1:${port}`, asked };
}

async function served() {
  const { certificate: cert, key } = identity;
  const { url, requests } = await serve((_, response) => response.end(JSON.stringify(widget())), {
    cert,
    key,
    ca: authority.certificate,
    requestCert: true,
    rejectUnauthorized: false,
  });
  return { url, requests, place: new URL(url).host };
}

function apiOf(connection: ClusterConnection) {
  const connected = connectCluster({ connection, userAgent: 'evenkeel/test', clock: new ManualClock() });
  onTestFinished(() => connected.close());
  return connected.api;
}

const trusted = { certificateAuthority: authority.certificate, token: staticToken('tk') };

describe('R-6.3 a connection through a proxy', () => {
  it('the connection goes through the proxy to the server, whose certificate is checked', async () => {
    const server = await served();
    const proxy = await proxyOf();
    const api = apiOf({ server: server.url, ...trusted, clientCertificate: client, proxy: proxy.url });
    await expect(api.get(Widgets, blue)).resolves.toMatchObject({ kind: 'Widget' });
    expect(proxy.asked).toEqual([server.place]);
    expect(server.requests[0]?.headers).toMatchObject({ authorization: 'Bearer tk' });
    expect(server.requests[0]?.headers).not.toHaveProperty('proxy-authorization');

    const other = certificateAuthority('Other CA').certificate;
    const distrusting = apiOf({ server: server.url, certificateAuthority: other, proxy: proxy.url });
    await expect(distrusting.get(Widgets, blue)).rejects.toMatchObject({ reason: 'Unreachable' });
    expect(server.requests).toHaveLength(1);
  });

  it('only the proxy gets the password of its URL', async () => {
    const server = await served();
    const proxy = await proxyOf();
    const url = proxy.url.replace('://', '://user:pass%40word@');
    await apiOf({ server: server.url, ...trusted, proxy: url }).get(Widgets, blue);
    expect(proxy.asked).toEqual([`${server.place} Basic ${Buffer.from('user:pass@word').toString('base64')}`]);
    expect(server.requests[0]?.headers).not.toHaveProperty('proxy-authorization');
  });

  it("the proxy may use TLS with a certificate of the cluster's authority", async () => {
    const server = await served();
    const proxy = await proxyOf({ tls: true });
    await apiOf({ server: server.url, ...trusted, proxy: proxy.url }).get(Widgets, blue);
    expect(proxy.asked).toEqual([server.place]);
  });

  it.each([407, 403, 502])('R-6.4 an answer %i of the proxy is reported as its refusal', async (status) => {
    const server = await served();
    const proxy = await proxyOf({ status });
    const url = proxy.url.replace('://', '://user:SECRET@');
    const error: unknown = await apiOf({ server: server.url, ...trusted, proxy: url })
      .get(Widgets, blue)
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      reason: 'Unreachable',
      message: expect.stringContaining('the proxy that the kubeconfig names (proxy-url) made no connection'),
    });
    expect(String((error as Error).stack)).not.toContain('SECRET');
    expect(server.requests).toEqual([]);
  });

  it('the connection uses no other route when the proxy is missing', async () => {
    const server = await served();
    const api = apiOf({ server: server.url, ...trusted, proxy: 'http://127.0.0.1:1' });
    await expect(api.get(Widgets, blue)).rejects.toMatchObject({ reason: 'Unreachable' });
    expect(server.requests).toEqual([]);
  });
});
