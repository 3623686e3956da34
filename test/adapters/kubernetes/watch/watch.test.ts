import { describe, expect, it } from 'vitest';
import { KubernetesClusterApi } from '../../../../lib/adapters/kubernetes/kubernetes-cluster-api.ts';
import type { ApiErrorReason, WatchEvent, WatchOptions } from '../../../../lib/ports/cluster-api.ts';
import { ManualClock, settle } from '../../../support/manual-clock.ts';
import { FakeTransport, failure, type Scripted, silence } from '../fake-transport.ts';
import { status, Widgets, widget } from '../kinds.ts';

const options: WatchOptions = { resourceVersion: '5', timeoutSeconds: 300 };

function setup(...script: Scripted[]) {
  const transport = new FakeTransport(...script);
  const clock = new ManualClock();
  return { transport, clock, api: new KubernetesClusterApi({ transport, clock, userAgent: 'evenkeel/test' }) };
}

async function collect(events: AsyncIterable<WatchEvent>): Promise<WatchEvent[]> {
  const all: WatchEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

const line = (type: string, object: unknown) => `${JSON.stringify({ type, object })}\n`;
const bookmark = (resourceVersion: string) => line('BOOKMARK', { kind: 'Widget', metadata: { resourceVersion } });

describe('R-5.7 the request of a watch', () => {
  it('a watch always asks for bookmarks, from a version, for a time', async () => {
    const { api, transport } = setup({ body: '' }, { body: '' });
    await collect(api.watch(Widgets, options));
    await collect(api.watch(Widgets, { ...options, namespace: 'shop', labelSelector: 'a=b', metadataOnly: true }));
    const query = 'watch=true&allowWatchBookmarks=true&resourceVersion=5&timeoutSeconds=300';
    expect(transport.requests).toMatchObject([
      { method: 'GET', path: `/apis/test.evenkeel.dev/v1/widgets?${query}`, headers: { accept: 'application/json' } },
      {
        path: `/apis/test.evenkeel.dev/v1/namespaces/shop/widgets?${query}&labelSelector=a%3Db`,
        headers: { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' },
      },
    ]);
  });

  it('a watch has no time-out of its own, because its caller has an idle watchdog', async () => {
    const { api, clock } = setup(silence);
    const abort = new AbortController();
    const watched = collect(api.watch(Widgets, { ...options, signal: abort.signal }));
    await settle();
    expect(clock.sleeping).toBe(0);
    abort.abort();
    await watched;
  });

  it('a watch is sent once more when its kept-alive connection was dead', async () => {
    const { api } = setup(failure('ECONNRESET'), { body: bookmark('6') });
    await expect(collect(api.watch(Widgets, options))).resolves.toHaveLength(1);
  });
});

describe('R-5.7 the events of a watch', () => {
  it('events come in order, with bookmarks, and end when the server ends the watch', async () => {
    const body =
      line('ADDED', widget()) +
      line('MODIFIED', widget({ resourceVersion: '8' })) +
      bookmark('9') +
      line('DELETED', widget({ resourceVersion: '10' }));
    const { api } = setup({ body });
    await expect(collect(api.watch(Widgets, options))).resolves.toEqual([
      { type: 'ADDED', object: widget() },
      { type: 'MODIFIED', object: widget({ resourceVersion: '8' }) },
      { type: 'BOOKMARK', resourceVersion: '9' },
      { type: 'DELETED', object: widget({ resourceVersion: '10' }) },
    ]);
  });

  it('events have metadata only, under the kind itself, when that was requested', async () => {
    const partial = {
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: widget().metadata,
      data: 1,
    };
    const { api } = setup({ body: line('ADDED', partial) });
    await expect(collect(api.watch(Widgets, { ...options, metadataOnly: true }))).resolves.toEqual([
      { type: 'ADDED', object: widget() },
    ]);
  });

  it('events of unknown types are skipped', async () => {
    const { api } = setup({ body: line('SHINY', { any: 'thing' }) + bookmark('9') });
    await expect(collect(api.watch(Widgets, options))).resolves.toHaveLength(1);
  });

  it('events before a failure are delivered before it', async () => {
    const { api } = setup({ chunks: [line('ADDED', widget()), '{"type":"ADD', failure('ECONNRESET')] });
    const seen: string[] = [];
    const watching = (async () => {
      for await (const event of api.watch(Widgets, options)) seen.push(event.type);
    })();
    await expect(watching).rejects.toMatchObject({ reason: 'Unreachable' });
    expect(seen).toEqual(['ADDED']);
  });

  it('a stream that ends inside an event is Malformed', async () => {
    const { api } = setup({ body: line('ADDED', widget()) + line('ADDED', widget()).slice(0, -20) });
    const seen: string[] = [];
    const watching = (async () => {
      for await (const event of api.watch(Widgets, options)) seen.push(event.type);
    })();
    await expect(watching).rejects.toMatchObject({ reason: 'Malformed' });
    expect(seen).toEqual(['ADDED']);
  });

  it('a whole last event without its line end is delivered', async () => {
    const { api } = setup({ body: line('ADDED', widget()).trimEnd() });
    await expect(collect(api.watch(Widgets, options))).resolves.toHaveLength(1);
  });

  it.each(['nonsense\n', '[]\n', line('BOOKMARK', {}), line('ERROR', {}), '{"object":{}}\n'])(
    'events of the form %j are Malformed, and the error contains nothing of them',
    async (body) => {
      const { api } = setup({ body });
      const error: unknown = await collect(api.watch(Widgets, options)).catch((caught: unknown) => caught);
      expect(error).toMatchObject({ reason: 'Malformed' });
      expect((error as Error).message).not.toContain('nonsense');
    },
  );

  it.each([
    ['nothing', null, { namespace: '', name: '', uid: '' }, undefined],
    ['no name', { metadata: {} }, { namespace: '', name: '', uid: '' }, undefined],
    [
      'no UID',
      { metadata: { namespace: 'shop', name: 'odd', resourceVersion: '8' } },
      { namespace: 'shop', name: 'odd', uid: '' },
      '8',
    ],
    [
      'another kind',
      { ...widget(), kind: 'Gadget' },
      { namespace: 'shop', name: 'blue', uid: widget().metadata.uid },
      widget().metadata.resourceVersion,
    ],
    ['a version that is none', { metadata: { name: 'odd', uid: 'u', resourceVersion: 8 } }, { name: 'odd' }, undefined],
  ])(
    'R-5.19 events with an object of %s are named, and later ones are delivered',
    async (_, object, named, version) => {
      const { api } = setup({ body: line('ADDED', object) + line('MODIFIED', widget()) });
      const [first, ...rest] = await collect(api.watch(Widgets, options));
      expect(first).toMatchObject({ type: 'UNREADABLE', unreadable: named });
      expect(first?.type === 'UNREADABLE' ? first.resourceVersion : 'none').toBe(version);
      expect(rest).toEqual([{ type: 'MODIFIED', object: widget() }]);
    },
  );

  it('events with bytes that are not UTF-8 are Malformed', async () => {
    const { api } = setup({ chunks: [new Uint8Array([0xff, 0x0a])] });
    await expect(collect(api.watch(Widgets, options))).rejects.toMatchObject({ reason: 'Malformed' });
  });
});

describe('R-5.7 a watch fails', () => {
  it.each<[number, string, ApiErrorReason]>([
    [410, 'Expired', 'Expired'],
    [410, 'Gone', 'Expired'],
    [500, 'InternalError', 'ServerError'],
    [429, 'TooManyRequests', 'TooManyRequests'],
    [403, 'Forbidden', 'Forbidden'],
    [504, 'Timeout', 'Timeout'],
  ])('a watch fails in the same way for %i %s as the answer and as an ERROR event', async (code, reason, expected) => {
    const body = status(code, reason, { retryAfterSeconds: 4 });
    const { api } = setup({ status: code, body }, { body: bookmark('6') + line('ERROR', body) });
    const wanted = { reason: expected, status: code, retryAfterMs: 4_000 };
    await expect(collect(api.watch(Widgets, options))).rejects.toMatchObject(wanted);
    const error: unknown = await collect(api.watch(Widgets, options)).catch((caught: unknown) => caught);
    expect(error).toMatchObject(wanted);
    expect((error as Error).message).toBe(`WATCH widgets.test.evenkeel.dev: ${code} ${expected}`);
  });

  it('R-5.10 a watch fails with KindMissing when its kind is not served', async () => {
    const { api } = setup({ status: 404, body: '404 page not found\n' });
    await expect(collect(api.watch(Widgets, options))).rejects.toMatchObject({ reason: 'KindMissing' });
  });
});

describe('R-5.7 a watch ends', () => {
  it('a watch ends without a request when its signal has aborted before', async () => {
    const { api, transport } = setup({ body: bookmark('6') });
    await expect(collect(api.watch(Widgets, { ...options, signal: AbortSignal.abort() }))).resolves.toEqual([]);
    expect(transport.requests).toEqual([]);
  });

  it('a watch ends when its signal aborts before the first byte', async () => {
    const { api } = setup(silence);
    const abort = new AbortController();
    const watched = collect(api.watch(Widgets, { ...options, signal: abort.signal }));
    await settle();
    abort.abort();
    await expect(watched).resolves.toEqual([]);
  });

  it('a watch ends when its signal aborts between events of one chunk, without the rest', async () => {
    const { api } = setup({ body: bookmark('6') + bookmark('7') + line('ERROR', status(410, 'Expired')) });
    const abort = new AbortController();
    const seen: WatchEvent[] = [];
    for await (const event of api.watch(Widgets, { ...options, signal: abort.signal })) {
      seen.push(event);
      abort.abort();
    }
    expect(seen).toHaveLength(1);
  });

  it("a watch closes its stream when the consumer leaves, and passes on the consumer's errors", async () => {
    const { api, transport } = setup();
    let closed = 0;
    transport.send = async () => ({
      status: 200,
      headers: {},
      text: async () => '',
      chunks: async function* () {
        try {
          for (let version = 6; ; version += 1) yield new TextEncoder().encode(bookmark(String(version)));
        } finally {
          closed += 1;
        }
      },
    });
    const consuming = async () => {
      for await (const _ of api.watch(Widgets, options)) throw new Error('of the consumer');
    };
    await expect(consuming()).rejects.toThrow('of the consumer');
    for await (const _ of api.watch(Widgets, options)) break;
    expect(closed).toBe(2);
  });
});
