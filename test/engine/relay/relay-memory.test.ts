import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { connectCluster } from '../../../lib/adapters/kubernetes/connect-cluster.ts';
import { SystemClock } from '../../../lib/adapters/system/system-clock.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { Secrets } from '../../../lib/core/resource-type.ts';
import type { ClusterApi } from '../../../lib/ports/cluster-api.ts';
import { serve } from '../../adapters/kubernetes/http-server.ts';
import { Held } from './held.ts';
import { RelayFixture, Widgets } from './relay-fixture.ts';

const PAGE = 500;
const OBJECTS = 50_000;
const EVENTS = 20_000;
const LOOKS = 10;
/** At this measurement all code is compiled and every buffer exists. */
const WARM = 3;
/** 40 bytes for each object, which is not enough for its name and UID. */
const ALLOWED_BYTES = 40 * OBJECTS;
/** An object and its metadata are counted separately, because an adapter could keep either. */
const TWO_PAGES = 2 * PAGE * 2;

let fixture: RelayFixture;
let kept: Kept;
let sent: number;

beforeEach(() => {
  fixture = new RelayFixture({ relay: { pageSize: PAGE } });
  kept = new Kept();
  sent = 0;
  // The recorders of the fixture would keep what they get.
  fixture.metrics.record = () => {};
  for (const lane of ['events', 'resync'] as const) {
    fixture.queues[lane].send = async (messages) => {
      sent += messages.length;
      return messages.map(() => ({ accepted: true }));
    };
  }
});

afterEach(() => fixture.stopAll());

describe('memory, with the objects behind HTTP', () => {
  it.each([
    { what: 'read', type: Secrets, wakeups: 0 },
    { what: 'reconciled', type: Widgets, wakeups: OBJECTS },
  ])('R-5.7 a list of 50,000 objects that are $what keeps neither objects nor their text', async (example) => {
    const http = await cluster();
    const { cluster: embedded } = fixture;
    const list = embedded.list.bind(embedded);
    let listed = 0;
    embedded.list = async (type, options = {}) => {
      if (type !== example.type) return await list(type, options);
      if (listed % (OBJECTS / LOOKS) === 0) await kept.look();
      const page = await http.list(type, options);
      listed += page.items.length;
      for (const object of page.items) kept.follow(object);
      return page;
    };
    const watched = Promise.withResolvers<void>();
    const watch = embedded.watch.bind(embedded);
    embedded.watch = (type, options) => {
      if (type === example.type) watched.resolve();
      return watch(type, options);
    };

    await fixture.start();
    await watched.promise;
    await kept.look();

    expect(listed).toBe(OBJECTS);
    expect(sent).toBe(example.wakeups);
    // A page is released before the next one is requested.
    kept.expectFewObjects(0);
    kept.expectFewBytes();
  });

  it('R-5.7 a watch with 20,000 events keeps no object', async () => {
    const http = await cluster();
    const { cluster: embedded } = fixture;
    const watch = embedded.watch.bind(embedded);
    const ended = Promise.withResolvers<void>();
    let seen = 0;
    embedded.watch = async function* (type, options) {
      if (type === Widgets && seen === 0) {
        for await (const event of http.watch(type, options)) {
          if ('object' in event) kept.follow(event.object);
          if (seen % (EVENTS / LOOKS) === 0) await kept.look();
          seen += 1;
          yield event;
        }
        ended.resolve();
      }
      yield* watch(type, options);
    };

    await fixture.start();
    await ended.promise;
    await kept.look();
    // One namespace may send this many events per second. Events above the limit wait for a while; only their names are
    // kept.
    for (let seconds = 0; seconds < 60; seconds += 5) await fixture.clock.advance(5_000);

    expect(seen).toBe(EVENTS);
    expect(sent).toBeGreaterThan(EVENTS - PAGE);
    kept.expectFewObjects(1);
  });
});

/** Which of the returned objects are still reachable, from one measurement to the next. */
class Kept {
  private readonly held = new Held();
  private readonly bytes: number[] = [];

  follow(object: KubeObject): void {
    this.held.keep(object);
    this.held.keep(object.metadata);
  }

  async look(): Promise<void> {
    await this.held.look();
    const { heapUsed, external } = process.memoryUsage();
    this.bytes.push(heapUsed + external);
  }

  /** @param least a lower bound, which shows that reachable objects are counted at all. */
  expectFewObjects(least: number): void {
    expect(this.bytes).toHaveLength(LOOKS + 1);
    expect(this.held.most).toBeGreaterThanOrEqual(least);
    expect(this.held.most).toBeLessThan(TWO_PAGES);
  }

  /**
   * Text has no identity that a reference could follow. It shows only in the size of the heap. If something of each
   * object is kept, the size grows at every measurement; a single step is a buffer or compiled code.
   */
  expectFewBytes(): void {
    const steps = this.bytes.slice(WARM + 1).map((bytes, index) => bytes - (this.bytes[WARM + index] ?? 0));
    const growth = steps.reduce((sum, step) => sum + step, 0) - Math.max(...steps, 0);
    expect(growth).toBeLessThan((ALLOWED_BYTES * (steps.length - 1)) / LOOKS);
  }
}

/** An API server that creates each object when it is requested, and so keeps none. */
async function cluster(): Promise<ClusterApi> {
  const server = await serve(({ url = '' }, response) => {
    server.requests.length = 0;
    const { searchParams } = new URL(url, 'http://localhost');
    response.setHeader('content-type', 'application/json');
    if (searchParams.has('watch')) void writeEvents(response);
    else response.end(page(Number(searchParams.get('continue') ?? 0), Number(searchParams.get('limit'))));
  });
  const clock = new SystemClock();
  const connected = connectCluster({ connection: { server: server.url }, userAgent: 'test', clock });
  onTestFinished(() => connected.close());
  return connected.api;
}

function page(from: number, limit: number): string {
  const items = Array.from({ length: limit }, (_, index) => objectOf(from + index));
  const next = from + limit;
  const metadata = { resourceVersion: '100', ...(next < OBJECTS ? { continue: String(next) } : {}) };
  return JSON.stringify({ kind: 'PartialObjectMetadataList', metadata, items });
}

async function writeEvents(response: ServerResponse): Promise<void> {
  for (let index = 0; index < EVENTS; index += 1) {
    const hasRoom = response.write(`${JSON.stringify({ type: 'ADDED', object: objectOf(index) })}\n`);
    if (!hasRoom) await once(response, 'drain');
  }
  response.end();
}

function objectOf(index: number): Pick<KubeObject, 'metadata'> {
  const name = `o-${String(index).padStart(6, '0')}`;
  const annotations = { filler: `${index}`.padEnd(400, '.') };
  return { metadata: { namespace: 'ns', name, uid: `uid-${name}`, resourceVersion: String(200 + index), annotations } };
}
