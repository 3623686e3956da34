import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exchange } from '../../../lib/adapters/http/exchange.ts';

const LARGE = Buffer.alloc(3 * 1_048_576, 'evenkeel');

describe('an exchange over HTTP', () => {
  let server: Server;
  let pool: Pool;
  let answer: (response: ServerResponse) => void;
  let closed: Promise<unknown>;
  beforeEach(async () => {
    server = createServer((_, response) => {
      closed = once(response, 'close');
      answer(response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    pool = new Pool(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
  afterEach(async () => {
    await pool.destroy();
    server.closeAllConnections();
    server.close();
  });

  const get = (signal?: AbortSignal, beforeSend?: () => void) =>
    exchange(
      pool,
      { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, method: 'GET', path: '/' },
      signal,
      beforeSend,
    );

  it('R-1.10 a request is stopped before its first byte when the caller refuses on a connection that is there', async () => {
    const refused = new Error('too late');
    let requests = 0;
    answer = (response) => {
      requests += 1;
      response.end('yes');
    };
    const stopped = get(undefined, () => {
      throw refused;
    });
    await expect(stopped).rejects.toBe(refused);
    expect((await get()).status).toBe(200);
    expect(requests).toBe(1);
  });

  it('R-1.10 a request asks only when it leaves the queue of its pool', async () => {
    await pool.destroy();
    pool = new Pool(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { connections: 1 });
    const order: string[] = [];
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<ServerResponse>();
    answer = arrive;
    const first = get(undefined, () => order.push('first is sent'));
    const second = get(undefined, () => order.push('second is sent'));
    const response = await arrived;
    order.push('first arrived');
    answer = (last) => last.end();
    response.end();
    for await (const _ of (await first).chunks);
    await second;
    expect(order).toEqual(['first is sent', 'first arrived', 'second is sent']);
  });

  it('R-5.18 a body arrives whole and in order when its reader is slower than its sender', async () => {
    answer = (response) => response.end(LARGE);
    const { status, chunks } = await get();
    const read: Uint8Array[] = [];
    for await (const chunk of chunks) {
      read.push(chunk);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(status).toBe(200);
    expect(Buffer.concat(read).equals(LARGE)).toBe(true);
  });

  it('R-5.7 a body that never ends fails with the reason of the signal when it aborts', async () => {
    answer = (response) => response.write('first');
    const abort = new AbortController();
    const { chunks } = await get(abort.signal);
    expect(Buffer.from((await chunks.next()).value ?? []).toString()).toBe('first');
    const next = chunks.next();
    abort.abort('no longer wanted');
    await expect(next).rejects.toBe('no longer wanted');
    await closed;
  });

  it('R-5.7 a request fails with the reason of the signal when it aborts before the first byte', async () => {
    const abort = new AbortController();
    answer = () => abort.abort('too late');
    await expect(get(abort.signal)).rejects.toBe('too late');
    await closed;
    await expect(get(abort.signal)).rejects.toBe('too late');
  });

  it('R-5.18 a connection is closed when the reader leaves the body early', async () => {
    answer = (response) => response.write('first');
    const { chunks } = await get();
    for await (const _ of chunks) break;
    await closed;
  });

  it('R-5.7 a body fails when its connection ends before it does', async () => {
    answer = (response) => {
      response.writeHead(200, { 'content-length': '10' });
      response.write('first', () => response.destroy());
    };
    const { chunks } = await get();
    await expect(Array.fromAsync(chunks)).rejects.toThrow(/closed/);
  });
});
