import { createSocket, type Socket as Datagrams } from 'node:dgram';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
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

  it.each([
    ['Node.js', getGlobalDispatcher()],
    // As in a plan, whose own clients load the package.
    ['the package undici', new Agent()],
  ])('R-6.11 guard names the place that called fetch when %s connects for it', async (_, dispatcher) => {
    using restore = new DisposableStack();
    restore.adopt(getGlobalDispatcher(), setGlobalDispatcher);
    setGlobalDispatcher(dispatcher);
    using guard = new ConnectionGuard();
    await expect(fetch(url)).rejects.toThrow();
    await expect(fetch(new Request(url))).rejects.toThrow();
    expect(guard.refused).toHaveLength(2);
    for (const { stack } of guard.refused) expect(stack[0]).toContain('connection-guard.test.ts');
  });

  it.each<[string, (socket: Datagrams) => void, string]>([
    ['port and address', (socket) => socket.send('text', 9, '192.0.2.1'), '192.0.2.1:9 (UDP)'],
    ['port and callback', (socket) => socket.send('text', 9, () => undefined), 'localhost:9 (UDP)'],
    ['a part of the text', (socket) => socket.send('text', 0, 2, 9, '192.0.2.1'), '192.0.2.1:9 (UDP)'],
    ['a list of texts', (socket) => socket.send(['a', 'b'], 9, '192.0.2.1', () => undefined), '192.0.2.1:9 (UDP)'],
    ['connect', (socket) => socket.connect(9, '192.0.2.1'), '192.0.2.1:9 (UDP)'],
    ['connect without address', (socket) => socket.connect(9, () => undefined), 'localhost:9 (UDP)'],
  ])('R-6.11 guard refuses a datagram when it is sent by %s', (_, act, to) => {
    const socket = createSocket('udp4');
    try {
      using guard = new ConnectionGuard();
      expect(() => act(socket)).toThrow(`a connection to ${to} was refused`);
      expect(guard.refused).toMatchObject([{ to }]);
      expect(guard.refused[0]?.stack.join('\n')).toContain('connection-guard.test.ts');
    } finally {
      socket.close();
    }
  });

  it('R-6.11 guard refuses datagrams on a connected socket, and lets them pass when they were allowed', async () => {
    const receiver = createSocket('udp4');
    const sender = createSocket('udp4');
    const received: string[] = [];
    receiver.on('message', (message) => received.push(String(message)));
    await new Promise<void>((resolve) => receiver.bind(0, '127.0.0.1', resolve));
    const { port } = receiver.address();
    const sent = (text: string) =>
      new Promise<void>((resolve, reject) => sender.send(text, (error) => (error ? reject(error) : resolve())));
    try {
      using guard = new ConnectionGuard();
      await guard.allow(() => new Promise<void>((resolve) => sender.connect(port, '127.0.0.1', resolve)));
      expect(() => sender.send('refused')).toThrow(`127.0.0.1:${port} (UDP)`);
      await guard.allow(() => sent('allowed'));
      guard[Symbol.dispose]();
      await sent('after');
      await expect.poll(() => received).toEqual(['allowed', 'after']);
    } finally {
      sender.close();
      receiver.close();
    }
  });

  it('R-6.11 guard lets a fetch pass when it was allowed', async () => {
    using guard = new ConnectionGuard();
    const answer = await guard.allow(() => fetch(url));
    expect(await answer.text()).toBe('ok');
    expect(guard.refused).toEqual([]);
  });
});
