import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedQueue, startEmbeddedQueue } from '../../../lib/adapters/local/embedded-queue.ts';
import { type EmbeddedTable, startEmbeddedTable } from '../../../lib/adapters/local/embedded-table.ts';

let queue: EmbeddedQueue;
let table: EmbeddedTable;

beforeAll(async () => {
  [queue, table] = await Promise.all([startEmbeddedQueue(), startEmbeddedTable()]);
});

afterAll(async () => {
  await Promise.all([queue.close(), table.close()]);
});

/** Every address of this machine but the one that the servers are to listen on. */
function otherAddresses(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const others = addresses.filter(({ address }) => address !== '127.0.0.1' && !address.startsWith('fe80:'));
  // All of 127.0.0.0/8 is this machine on Linux, so even one without a network can tell the difference.
  return [...others.map(({ address }) => address), ...(process.platform === 'linux' ? ['127.0.0.2'] : [])];
}

function isListening(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (listening: boolean) => {
      socket.destroy();
      resolve(listening);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}

describe('embedded parts', () => {
  it.each([
    ['the queue', () => queue.endpoint],
    ['the table', () => table.endpoint],
  ])('R-6.1 %s listens on 127.0.0.1 and on no other address', async (_what, endpoint) => {
    const { hostname, port } = new URL(endpoint());
    expect(hostname).toBe('127.0.0.1');
    expect(await isListening('127.0.0.1', Number(port))).toBe(true);
    const others = otherAddresses();
    const listening = await Promise.all(others.map((host) => isListening(host, Number(port))));
    expect(others.filter((_host, index) => listening[index])).toEqual([]);
  });

  it('R-6.1 two of each run side by side, and a closed one frees its port', async () => {
    const [otherQueue, otherTable] = await Promise.all([startEmbeddedQueue(), startEmbeddedTable()]);
    const endpoints = [queue.endpoint, table.endpoint, otherQueue.endpoint, otherTable.endpoint];
    expect(new Set(endpoints).size).toBe(4);
    await Promise.all([otherQueue.close(), otherTable.close()]);
    for (const endpoint of [otherQueue.endpoint, otherTable.endpoint]) {
      expect(await isListening('127.0.0.1', Number(new URL(endpoint).port))).toBe(false);
    }
  });
});
