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

  const get = (signal?: AbortSignal) =>
    exchange(
      pool,
      { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, method: 'GET', path: '/' },
      signal,
    );

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
