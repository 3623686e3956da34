import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConnectionGuard } from '../../../lib/adapters/system/connection-guard.ts';

let server: Server;
let url: string;
let requests = 0;

beforeEach(async () => {
  requests = 0;
  server = createServer((_, response) => {
    requests += 1;
    response.end('ok');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe('the guard of connections', () => {
  it('R-6.11 guard refuses a fetch, and names its address and what ran, until it is disposed', async () => {
    {
      using guard = new ConnectionGuard<string>();
      guard.within = () => 'pass of a';
      await expect(fetch(url)).rejects.toThrow();
      expect(guard.refused).toMatchObject([{ to: new URL(url).host, within: 'pass of a' }]);
      expect(requests).toBe(0);
    }
    expect(await (await fetch(url)).text()).toBe('ok');
  });

  it('R-6.11 guard lets a fetch pass when it was allowed', async () => {
    using guard = new ConnectionGuard();
    const answer = await guard.allow(() => fetch(url));
    expect(await answer.text()).toBe('ok');
    expect(guard.refused).toEqual([]);
  });
});
