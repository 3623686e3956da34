import { describe, expect, it } from 'vitest';
import { MAX_OBJECT_BYTES, MAX_PAGE_BYTES } from '../../../lib/adapters/http/read-body.ts';
import { connectCluster } from '../../../lib/adapters/kubernetes/connect-cluster.ts';
import { KubernetesClusterApi } from '../../../lib/adapters/kubernetes/kubernetes-cluster-api.ts';
import type { Transport, TransportRequest, TransportResponse } from '../../../lib/adapters/kubernetes/transport.ts';
import { SystemClock } from '../../../lib/adapters/system/system-clock.ts';
import type { ListPage, UnreadableObject } from '../../../lib/ports/cluster-api.ts';
import { ManualClock, settle } from '../../support/manual-clock.ts';
import { serve } from './http-server.ts';
import { status, Widgets } from './kinds.ts';

const CHUNK = 65_536;

/**
 * An API server's list of objects, each with an annotation of this many bytes. It generates the list while it is read.
 */
class LargeList implements Transport {
  /** For each request: how many objects it asked for, and how many bytes of the response were read. */
  readonly limits: number[] = [];
  readonly taken: number[] = [];
  /** Bytes that were read from responses whose stream is still open. */
  open = 0;
  mostOpen = 0;
  private readonly sizes: readonly number[];

  constructor(sizes: readonly number[]) {
    this.sizes = sizes;
  }

  async send({ path }: TransportRequest): Promise<TransportResponse> {
    const query = new URL(path, 'http://server').searchParams;
    const from = Number(query.get('continue') ?? 0);
    const limit = Number(query.get('limit'));
    const request = this.limits.push(limit) - 1;
    this.taken.push(0);
    const chunks = () => this.chunks(request, from, Math.min(this.sizes.length, from + limit));
    return { status: 200, headers: {}, chunks, text: () => Promise.reject(new Error('read it in chunks')) };
  }

  private async *chunks(request: number, from: number, to: number): AsyncGenerator<Uint8Array> {
    let mine = 0;
    try {
      for await (const text of this.texts(from, to)) {
        const bytes = new TextEncoder().encode(text);
        for (let start = 0; start < bytes.byteLength; start += CHUNK) {
          const chunk = bytes.subarray(start, start + CHUNK);
          mine += chunk.byteLength;
          this.taken[request] = mine;
          this.open += chunk.byteLength;
          this.mostOpen = Math.max(this.mostOpen, this.open);
          yield chunk;
        }
      }
    } finally {
      this.open -= mine;
    }
  }

  private async *texts(from: number, to: number): AsyncGenerator<string> {
    const next = to < this.sizes.length ? `,"continue":"${to}"` : '';
    yield `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"9"${next}},"items":[`;
    for (let index = from; index < to; index += 1) {
      const filler = `\u0436${'x'.repeat(this.sizes[index] ?? 0)}`;
      const annotations = `"annotations":{"filler":"${filler}"}`;
      const metadata = `{"name":"o-${index}","namespace":"shop","uid":"u-${index}","resourceVersion":"5",${annotations}}`;
      yield `${index === from ? '' : ','}{"metadata":${metadata}}`;
    }
    yield ']}';
  }
}

const api = (transport: Transport) =>
  new KubernetesClusterApi({ transport, clock: new ManualClock(), userAgent: 'evenkeel/test' });

/** Reads a list like the code that uses it. */
async function readAll(transport: Transport, skipUnreadable = false) {
  const names: string[] = [];
  const unreadable: UnreadableObject[] = [];
  let page: ListPage | undefined;
  do {
    page = await api(transport).list(Widgets, {
      metadataOnly: true,
      skipUnreadable,
      limit: Math.min(500, page?.nextLimit ?? 500),
      ...(page?.continueToken !== undefined && { continueToken: page.continueToken }),
    });
    names.push(...page.items.map(({ metadata }) => metadata.name));
    unreadable.push(...(page.unreadable ?? []));
  } while (page.continueToken !== undefined);
  return { names, unreadable };
}

const named = (count: number) => Array.from({ length: count }, (_, index) => `o-${index}`);

describe('the pages of a list', () => {
  it.each([
    ['500 objects of 255 KB', new Array<number>(500).fill(255_000)],
    ['600 objects of 9 KB', new Array<number>(600).fill(9_000)],
    ['20 objects of 3 MB', new Array<number>(20).fill(3_000_000)],
    [
      'a few large objects among small ones',
      Array.from({ length: 900 }, (_, index) => (index === 450 ? 5_000_000 : 800)),
    ],
  ])('R-5.18 a page is requested again with fewer objects when it is too large: %s', async (_, sizes) => {
    const server = new LargeList(sizes);
    expect((await readAll(server)).names).toEqual(named(sizes.length));
    for (const [request, taken] of server.taken.entries()) {
      const most = server.limits[request] === 1 ? MAX_OBJECT_BYTES : MAX_PAGE_BYTES;
      expect(taken).toBeLessThanOrEqual(most + CHUNK);
    }
    expect(server.limits.some((limit) => limit < 500)).toBe(true);
    // Objects that were too large are not requested repeatedly.
    const listed = sizes.reduce((sum, size) => sum + size, 0);
    const read = server.taken.reduce((sum, taken) => sum + taken, 0);
    expect(read).toBeLessThan(1.3 * listed + 8 * MAX_PAGE_BYTES);
  });

  it('R-5.18 a page has 500 objects when they are small, also after large ones', async () => {
    const small = new LargeList(new Array<number>(1_200).fill(700));
    await readAll(small);
    expect(small.limits).toEqual([500, 500, 500]);
    const mixed = new LargeList([...new Array<number>(20).fill(400_000), ...new Array<number>(3_000).fill(700)]);
    await readAll(mixed);
    expect(mixed.limits.at(-1)).toBe(500);
  });

  it.each([
    ['the first', 0],
    ['one in the middle', 2],
    ['the last', 4],
  ])('R-5.19 a page leaves out one object that is too large alone, and names it: %s', async (_, index) => {
    const sizes = new Array<number>(5).fill(900);
    sizes[index] = MAX_OBJECT_BYTES + 1;
    const { names, unreadable } = await readAll(new LargeList(sizes), true);
    expect(names).toEqual(named(5).filter((name) => name !== `o-${index}`));
    expect(unreadable).toMatchObject([{ namespace: 'shop', name: `o-${index}`, uid: `u-${index}` }]);
  });

  it('R-1.17 a list fails as a whole, with the name of the too large object, when absence is concluded from it', async () => {
    const sizes = [900, MAX_OBJECT_BYTES + 1, 900];
    await expect(readAll(new LargeList(sizes))).rejects.toMatchObject({
      reason: 'TooLarge',
      message: expect.stringContaining('shop/o-1'),
    });
  });

  it('R-5.18 a list fails when the continue token has expired before the smaller page', async () => {
    const large = new LargeList(new Array<number>(500).fill(255_000));
    let requests = 0;
    const expiring: Transport = {
      async send(request) {
        requests += 1;
        if (requests === 1) return await large.send(request);
        const text = JSON.stringify(status(410, 'Expired'));
        const chunks = async function* () {
          yield new TextEncoder().encode(text);
        };
        return { status: 410, headers: {}, chunks, text: async () => text };
      },
    };
    await expect(api(expiring).list(Widgets, { continueToken: '7' })).rejects.toMatchObject({ reason: 'Expired' });
    expect(requests).toBe(2);
  });
});

describe('answers of more than a megabyte', () => {
  it('R-5.18 large answers are read two at a time, and small ones do not wait for them', async () => {
    const transport = new LargeList(new Array<number>(8).fill(2_000_000));
    const cluster = api(transport);
    const lists = Promise.all(Array.from({ length: 8 }, () => cluster.list(Widgets, { limit: 1 })));
    const small = await api(new LargeList([10])).list(Widgets, { limit: 1 });
    expect(small.items).toHaveLength(1);
    await lists;
    // Each of the other responses holds one megabyte that nobody reads yet.
    expect(transport.mostOpen).toBeLessThan(2 * 2_100_000 + 6 * 1_200_000);
  });

  it('R-5.14 a large answer without an end frees its place when its time limit is over', async () => {
    const clock = new ManualClock();
    const stuck: Transport = {
      send: async ({ signal }) => ({
        status: 200,
        headers: {},
        text: () => Promise.reject(new Error('read it in chunks')),
        async *chunks() {
          yield new Uint8Array(1_100_000);
          await new Promise((_, reject) => {
            signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
          });
        },
      }),
    };
    let transport = stuck;
    const cluster = new KubernetesClusterApi({
      transport: { send: (request) => transport.send(request) },
      clock,
      userAgent: 'evenkeel/test',
      requestTimeoutMs: 10_000,
    });
    const hanging = Array.from({ length: 3 }, () =>
      cluster.get(Widgets, { namespace: 'shop', name: 'blue' }).catch((error) => error.reason),
    );
    await settle();
    await clock.advance(10_000);
    expect(await Promise.all(hanging.slice(0, 2))).toEqual(['Timeout', 'Timeout']);
    // The third request waited for a place. That time is not the server's; the server's time starts with the place.
    await clock.advance(10_000);
    expect(await hanging[2]).toBe('Timeout');
    transport = new LargeList([2_000_000]);
    expect((await cluster.list(Widgets, { limit: 1 })).items).toHaveLength(1);
  });
});

describe('an answer without an end', () => {
  it.each([
    ['an object', 200, 'TooLarge'],
    ['an error of the server', 500, 'ServerError'],
    ['a refusal', 403, 'Malformed'],
    ['too many requests', 429, 'TooManyRequests'],
  ])('R-5.18 an answer without an end is read up to its limit: %s', async (_, code, reason) => {
    let sent = 0;
    const server = await serve((_request, response) => {
      response.writeHead(code, { 'content-type': 'application/json' });
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(CHUNK))) sent += CHUNK;
      };
      response.on('drain', more);
      more();
    });
    const cluster = connectCluster({
      connection: { server: server.url },
      userAgent: 'test',
      clock: new SystemClock(),
      requestTimeoutMs: 60_000,
    });
    try {
      const name = { namespace: 'shop', name: 'blue' };
      await expect(cluster.api.get(Widgets, name)).rejects.toMatchObject({ reason });
      await expect(cluster.api.list(Widgets, { limit: 500 })).rejects.toMatchObject({ reason });
      const body = { type: 'merge', patch: {} } as const;
      await expect(cluster.api.patch(Widgets, name, body, { fieldManager: 'f' })).rejects.toMatchObject({ reason });
    } finally {
      await cluster.close();
    }
    expect(sent).toBeLessThan(200 * 1_048_576);
  });
});
