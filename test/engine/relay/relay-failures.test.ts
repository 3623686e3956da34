import { afterEach, describe, expect, it } from 'vitest';
import { InfrastructureError } from '../../../lib/core/errors.ts';
import { Secrets } from '../../../lib/core/resource-type.ts';
import { ApiError } from '../../../lib/ports/cluster-api.ts';
import type { ObservedRequest } from '../../support/test-cluster.ts';
import { CONFIG_MAPS, RelayFixture, SECRETS, target, WIDGETS, Widgets } from './relay-fixture.ts';

const MINUTE = 60_000;

let fixture: RelayFixture;

afterEach(() => fixture.stopAll());

async function watching(options: ConstructorParameters<typeof RelayFixture>[0] = {}): Promise<RelayFixture> {
  fixture = new RelayFixture(options);
  await fixture.start();
  fixture.cluster.bookmark();
  await fixture.clock.advance(0);
  return fixture;
}

/** Keeps healthy watches alive, like a server's bookmarks. */
async function minutes(count: number): Promise<void> {
  for (let minute = 0; minute < count; minute += 1) {
    fixture.cluster.bookmark();
    await fixture.clock.advance(MINUTE);
  }
}

/** The highest number of requests of a kind in any minute of the clock. */
function busiestMinute(kind: string, requests: readonly ObservedRequest[]): number {
  const perMinute = new Map<number, number>();
  for (const request of requests) {
    if (request.kind !== kind) continue;
    const minute = Math.floor(request.atMs / MINUTE);
    perMinute.set(minute, (perMinute.get(minute) ?? 0) + 1);
  }
  return Math.max(0, ...perMinute.values());
}

const expired = () => new ApiError('Expired', 'too old', { status: 410 });
const missing = () => new ApiError('KindMissing', 'no such kind', { status: 404 });
const forbidden = () => new ApiError('Forbidden', 'not allowed', { status: 403 });

describe('a kind that cannot be watched', () => {
  it.each([
    ['Forbidden', forbidden(), { tries: [15, 31], fields: { stream: SECRETS } }],
    ['KindMissing', missing(), { tries: [60, 121], fields: { kinds: SECRETS } }],
  ] as const)(
    'R-5.10 a kind that cannot be watched stops no other: %s is tried slowly and reported once',
    async (reason, error, expected) => {
      fixture = new RelayFixture();
      const { cluster, clock, logger, metrics } = fixture;
      cluster.onRequest = ({ kind }) => {
        if (kind === SECRETS) throw error;
      };
      await fixture.start();
      cluster.put(Widgets, { namespace: 'ns', name: 'a' });
      await minutes(30);
      expect(fixture.lines('events')).toEqual([expect.stringMatching(/^created ns\/a@/)]);
      const tries = cluster.requests.filter(({ kind }) => kind === SECRETS);
      expect(tries.length).toBeGreaterThanOrEqual(expected.tries[0]);
      expect(tries.length).toBeLessThanOrEqual(expected.tries[1]);
      const reports = () => logger.lines.filter(({ level }) => level !== 'debug');
      const first = reports().filter(({ level }) => level !== 'info');
      expect(first).toMatchObject([{ fields: expected.fields }]);
      expect(metrics.total('RelayReconnect', { Kind: SECRETS, Reason: reason })).toBe(tries.length);

      cluster.onRequest = () => {};
      await fixture.readsObject(target('reader'), Secrets, 'ns', 's');
      cluster.put(Secrets, { namespace: 'ns', name: 's' });
      await minutes(4);
      expect(fixture.lines('resync').filter((line) => line.includes('reader'))).toHaveLength(1);
      expect(reports().at(-1)).toMatchObject({ level: 'info', fields: { stream: SECRETS, after: reason } });
      expect(reports().filter(({ level }) => level !== 'info')).toEqual(first);
      await clock.advance(0);
    },
  );

  it('R-5.10 kinds that the cluster does not serve are named in one warning, and watched within half a minute after they appear', async () => {
    fixture = new RelayFixture();
    const { cluster, clock, logger } = fixture;
    cluster.onRequest = ({ kind }) => {
      if (kind === CONFIG_MAPS || kind === SECRETS) throw missing();
    };
    await fixture.start();
    await minutes(10);
    const kinds = [CONFIG_MAPS, SECRETS].sort().join(', ');
    expect(logger.lines.filter(({ level }) => level !== 'info')).toMatchObject([{ level: 'warn', fields: { kinds } }]);

    cluster.onRequest = () => {};
    cluster.requests.length = 0;
    await clock.advance(30_000);
    const watched = cluster.requests.filter(({ verb }) => verb === 'watch').map(({ kind }) => kind);
    expect(watched).toEqual(expect.arrayContaining([CONFIG_MAPS, SECRETS]));
  });

  it('R-5.10 a kind with a forbidden watch and a permitted list does not list more often', async () => {
    fixture = new RelayFixture();
    const { cluster } = fixture;
    cluster.onRequest = ({ kind, verb }) => {
      if (kind === SECRETS && verb === 'watch') throw forbidden();
    };
    await fixture.start();
    await minutes(10);
    expect(cluster.requests.filter(({ kind }) => kind === SECRETS).length).toBeLessThanOrEqual(22);
  });
});

describe('what a watch recovers from', () => {
  it('R-5.7 a watch with an expired version lists again, also when the watch sends this as an event', async () => {
    const { cluster, clock } = await watching();
    await fixture.stopAll();
    cluster.put(Widgets, { namespace: 'ns', name: 'a' });
    cluster.expire();
    await fixture.start('next');
    await clock.advance(2_000);
    expect(fixture.lines('resync')).toEqual(['updated ns/a@102']);
    cluster.cut(expired());
    await clock.advance(2_000);
    expect(fixture.lines('resync')).toEqual([]);
    expect(cluster.requests.filter(({ kind, verb }) => kind === WIDGETS && verb === 'list')).toHaveLength(4);
    cluster.put(Widgets, { namespace: 'ns', name: 'b' });
    await clock.advance(0);
    expect(fixture.lines('events')).toEqual(['created ns/b@103']);
  });

  it.each([false, true])(
    'R-5.7 a silent watch is ended, also before the first byte, when it ignores its abort: %s',
    async (deaf) => {
      fixture = new RelayFixture();
      const { cluster, clock, metrics } = fixture;
      cluster.silent = true;
      cluster.deaf = deaf;
      await fixture.start();
      const connects = () => cluster.requests.filter(({ kind, verb }) => kind === WIDGETS && verb === 'watch').length;
      expect(connects()).toBe(1);
      await clock.advance(149_000);
      expect(connects()).toBe(1);
      await clock.advance(3_000);
      expect(connects()).toBe(2);
      expect(metrics.total('RelayReconnect', { Kind: WIDGETS, Reason: 'Idle' })).toBe(1);
      cluster.silent = false;
      cluster.put(Widgets, { namespace: 'ns', name: 'a' });
      await clock.advance(0);
      expect(fixture.lines('events')).toHaveLength(1);
      await fixture.stopAll();
      cluster.deaf = false;
      cluster.cut();
    },
  );

  it('R-5.7 a watch that waits for its first byte stops at once', async () => {
    fixture = new RelayFixture();
    fixture.cluster.silent = true;
    await fixture.start();
    await fixture.stopAll();
    expect(fixture.cluster.watching(WIDGETS)).toBe(0);
    expect(fixture.clock.sleeping).toBe(0);
  });

  it('R-5.7 time spent on the queue does not count as silence', async () => {
    const { cluster, clock, queues, metrics } = await watching();
    queues.events.refuses = () => true;
    for (let index = 0; index < 300; index += 1) cluster.put(Widgets, { namespace: 'ns', name: `w-${index}` });
    await clock.advance(200_000);
    expect(metrics.total('RelayReconnect', { Kind: WIDGETS })).toBe(0);
  });

  it.each([
    ['401', new ApiError('Unauthorized', 'the token has expired', { status: 401 })],
    ['429', new ApiError('TooManyRequests', 'slow down', { status: 429 })],
    ['500', new ApiError('ServerError', 'oops', { status: 500 })],
    ['a refused connection', new ApiError('Unreachable', 'refused')],
    ['a time-out', new ApiError('Timeout', 'no answer')],
    ['an answer that is none', new ApiError('Malformed', 'not JSON')],
    ['a mistake of ours', new TypeError('undefined is not a function')],
  ])(
    'R-5.7 a watch that failed with %s tries again with a growing delay, and continues where it was',
    async (_, error) => {
      const { cluster, clock, logger } = await watching();
      cluster.onRequest = () => {
        throw error;
      };
      const from = cluster.requests.length;
      cluster.cut(error);
      await clock.advance(60 * MINUTE);
      const requests = cluster.requests.slice(from);
      expect(busiestMinute(WIDGETS, requests)).toBeLessThanOrEqual(15);
      const inTheEnd = requests.filter(({ kind, atMs }) => kind === WIDGETS && atMs > clock.now() - 50 * MINUTE);
      expect(inTheEnd.length).toBeGreaterThan(50);
      expect(inTheEnd.length).toBeLessThan(150);
      expect(logger.lines.filter(({ fields }) => fields.stream === WIDGETS)).toHaveLength(1);
      cluster.onRequest = () => {};
      cluster.put(Widgets, { namespace: 'ns', name: 'a' });
      await clock.advance(MINUTE);
      expect(fixture.lines('events')).toHaveLength(1);
      expect(fixture.lines('resync')).toEqual([]);
    },
  );

  it('R-5.14 a watch waits for a Retry-After, up to a limit', async () => {
    const { cluster, clock } = await watching();
    const tries = () => cluster.requests.filter(({ kind }) => kind === WIDGETS).length;
    const throttle = async (retryAfterMs: number) => {
      const error = new ApiError('TooManyRequests', 'slow down', { status: 429, retryAfterMs });
      cluster.onRequest = ({ kind }) => {
        if (kind === WIDGETS) throw error;
      };
      cluster.cut(error);
      await clock.advance(0);
    };
    await throttle(45_000);
    const before = tries();
    await clock.advance(44_000);
    expect(tries()).toBe(before);
    cluster.onRequest = () => {};
    await clock.advance(MINUTE);
    expect(tries()).toBeGreaterThan(before);
    await throttle(24 * 3_600_000);
    const later = tries();
    await clock.advance(6 * MINUTE);
    expect(tries()).toBeGreaterThan(later);
  });
});

describe('requests a minute', () => {
  it('R-5.7 requests stay bounded when every watch ends at once', async () => {
    const { cluster, clock } = await watching();
    cluster.onRequest = ({ verb }) => {
      if (verb === 'watch') queueMicrotask(() => setImmediate(() => cluster.cut()));
    };
    cluster.cut();
    await clock.advance(60 * MINUTE);
    expect(busiestMinute(WIDGETS, cluster.requests)).toBeLessThanOrEqual(30);
  });

  it('R-5.7 requests stay bounded when every version has always expired', async () => {
    const { cluster, clock } = await watching();
    cluster.onRequest = ({ verb }) => {
      if (verb === 'watch') throw expired();
    };
    cluster.cut(expired());
    await clock.advance(60 * MINUTE);
    expect(busiestMinute(WIDGETS, cluster.requests)).toBeLessThanOrEqual(30);
  });

  it('R-5.7 requests stay bounded when every second page of a list fails', async () => {
    fixture = new RelayFixture();
    const { cluster, clock } = fixture;
    for (let index = 0; index < 7; index += 1) cluster.put(Widgets, { namespace: 'ns', name: `w-${index}` });
    cluster.onRequest = ({ options }) => {
      if (options.continueToken !== undefined) throw expired();
    };
    await fixture.start();
    await clock.advance(60 * MINUTE);
    expect(busiestMinute(WIDGETS, cluster.requests)).toBeLessThanOrEqual(30);
  });

  it('R-5.7 requests stay bounded when the cluster is found restored again and again', async () => {
    const { cluster, clock, memory } = await watching();
    // Two clusters behind one address: every response is older than the one before.
    cluster.onRequest = ({ verb, kind }) => {
      if (kind === WIDGETS && verb === 'list') cluster.version -= 1;
    };
    cluster.version += 10_000;
    cluster.bookmark();
    await clock.advance(6_000);
    cluster.bookmark();
    await clock.advance(0);
    const before = (await memory.readCluster('c1')).incarnation;
    for (let second = 0; second < 3_600; second += 1) {
      cluster.bookmark();
      cluster.cut();
      await clock.advance(1_000);
    }
    expect((await memory.readCluster('c1')).incarnation).toBeGreaterThan(before);
    expect(busiestMinute(WIDGETS, cluster.requests)).toBeLessThanOrEqual(45);
  });

  it('R-5.7 no requests are sent while the table is down, and the relay comes back with it', async () => {
    let isDown = false;
    const { cluster, clock } = await watching({
      wrapStore: (store) =>
        new Proxy(store, {
          get: (inner, property) => {
            const value: unknown = Reflect.get(inner, property);
            if (typeof value !== 'function') return value;
            return async (...args: unknown[]) => {
              if (isDown) throw new InfrastructureError('the table does not answer');
              return await value.apply(inner, args);
            };
          },
        }),
    });
    isDown = true;
    cluster.cut();
    await clock.advance(0);
    cluster.put(Widgets, { namespace: 'ns', name: 'a' });
    const before = cluster.requests.length;
    await clock.advance(60 * MINUTE);
    expect(cluster.requests.length).toBe(before);
    isDown = false;
    await clock.advance(2 * MINUTE);
    expect(fixture.lines('events')).toEqual(['created ns/a@102']);
  });

  it('R-5.11 a quiet hour costs three requests of a stream for each end of a watch', async () => {
    const { cluster } = await watching();
    const before = cluster.requests.length;
    await minutes(60);
    const requests = cluster.requests.slice(before);
    for (const kind of [WIDGETS, SECRETS, CONFIG_MAPS]) {
      const watches = requests.filter((request) => request.kind === kind && request.verb === 'watch');
      expect(watches.length).toBeGreaterThanOrEqual(7);
      expect(watches.length).toBeLessThanOrEqual(15);
      expect(requests.filter((request) => request.kind === kind)).toHaveLength(2 * watches.length);
      for (const { options } of watches) {
        expect(options.timeoutSeconds).toBeGreaterThanOrEqual(240);
        expect(options.timeoutSeconds).toBeLessThanOrEqual(480);
      }
      expect(new Set(watches.map(({ options }) => options.timeoutSeconds)).size).toBeGreaterThan(3);
    }
    const writes = requests.filter(({ verb }) => verb === 'patch' || verb === 'create');
    expect(writes.length).toBeLessThanOrEqual(20);
  });
});
