import { beforeEach, describe, expect, it } from 'vitest';
import { MemoryStateStore } from '../../../lib/adapters/memory/memory-state-store.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { ConfigMaps, Namespaces, Secrets } from '../../../lib/core/resource-type.ts';
import { AnotherClusterError } from '../../../lib/engine/cluster-identity/another-cluster-error.ts';
import { VerifiedClusterApi } from '../../../lib/engine/cluster-identity/verified-cluster-api.ts';
import { ApiError, type ClusterApi } from '../../../lib/ports/cluster-api.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';

const NAME = { namespace: 'default', name: 'web' };

let clock: ManualClock;
let store: MemoryStateStore;
let endpoint: Endpoint;

/** An endpoint behind which the test can exchange clusters. */
class Endpoint {
  cluster = 'uid-1';
  readonly calls: string[] = [];
  failure: ApiError | undefined;
  identity: Promise<unknown> = Promise.resolve();
  readonly api = new Proxy({} as ClusterApi, {
    get: (_, verb: string) =>
      verb === 'watch'
        ? () => this.watch()
        : async (type: unknown) => {
            this.calls.push(type === Namespaces ? 'identity' : verb);
            if (this.failure !== undefined) throw this.failure;
            if (type !== Namespaces) return { verb };
            const uid = this.cluster;
            await this.identity;
            return { metadata: { name: 'kube-system', uid } } as KubeObject;
          },
  });

  private async *watch() {
    this.calls.push('watch');
    if (this.failure !== undefined) throw this.failure;
    yield { type: 'BOOKMARK', resourceVersion: '1' };
  }
}

function connect(): VerifiedClusterApi {
  return new VerifiedClusterApi({ api: endpoint.api, cluster: 'prod', store, clock });
}

async function drain(api: VerifiedClusterApi, signal?: AbortSignal): Promise<number> {
  let events = 0;
  const options = { resourceVersion: '1', timeoutSeconds: 1, ...(signal && { signal }) };
  for await (const _ of api.watch(Secrets, options)) events += 1;
  return events;
}

/** Every method of the port. */
const CALLS: readonly [string, (api: VerifiedClusterApi) => Promise<unknown>][] = [
  ['get', (api) => api.get(Secrets, NAME)],
  ['list', (api) => api.list(Secrets)],
  ['watch', (api) => drain(api)],
  [
    'create',
    (api) => api.create(ConfigMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: NAME }, { fieldManager: 't' }),
  ],
  ['patch', (api) => api.patch(ConfigMaps, NAME, { type: 'merge', patch: {} }, { fieldManager: 't' })],
  ['delete', (api) => api.delete(ConfigMaps, NAME, { preconditions: { uid: 'x' } })],
];

beforeEach(() => {
  clock = new ManualClock();
  store = new MemoryStateStore({ clock });
  endpoint = new Endpoint();
});

/** The writes of the port, and the error that stops them before they are sent. */
const WRITES: readonly [string, (api: VerifiedClusterApi, beforeSend: () => void) => Promise<unknown>][] = [
  [
    'create',
    (api, beforeSend) => {
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: NAME };
      return api.create(ConfigMaps, object, { fieldManager: 't', beforeSend });
    },
  ],
  [
    'patch',
    (api, beforeSend) => api.patch(ConfigMaps, NAME, { type: 'merge', patch: {} }, { fieldManager: 't', beforeSend }),
  ],
  ['delete', (api, beforeSend) => api.delete(ConfigMaps, NAME, { preconditions: { uid: 'u' }, beforeSend })],
];

describe('the identity of a cluster', () => {
  it.each(WRITES)('R-1.10 a %s is not sent when its lease ends while the identity is read', async (_, write) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    endpoint.identity = promise;
    const untilMs = clock.monotonic() + 1_000;
    const ended = new Error('the lease is over');
    const written = write(connect(), () => {
      if (clock.monotonic() >= untilMs) throw ended;
    });
    await clock.advance(1_000);
    resolve();
    await expect(written).rejects.toBe(ended);
    expect(endpoint.calls).toEqual(['identity']);
  });

  it.each(WRITES)('R-1.10 a %s is sent when its lease holds after the identity was read', async (verb, write) => {
    let asked = 0;
    await write(connect(), () => {
      asked += 1;
    });
    expect({ calls: endpoint.calls, asked }).toEqual({ calls: ['identity', verb], asked: 1 });
  });

  it.each(CALLS)(
    'R-5.16 two connections to one endpoint share what was verified and what failed, for %s',
    async (verb, call) => {
      const api = connect();
      await api.get(Secrets, NAME);
      const other = api.reachedBy(endpoint.api);
      await call(other);
      expect(endpoint.calls).toEqual(['identity', 'get', verb]);
      endpoint.failure = new ApiError('Unreachable', 'no answer');
      await expect(call(other)).rejects.toThrow('no answer');
      endpoint.failure = undefined;
      endpoint.cluster = 'uid-2';
      await expect(api.get(Secrets, NAME)).rejects.toThrow(AnotherClusterError);
      await expect(call(other)).rejects.toThrow(AnotherClusterError);
    },
  );

  it('R-5.16 the first cluster that answers is registered, and checked again once a minute', async () => {
    const api = connect();
    for (const [, call] of CALLS) await call(api);
    expect(endpoint.calls).toEqual(['identity', ...CALLS.map(([verb]) => verb)]);
    expect((await store.readCluster('prod')).clusterUid).toBe('uid-1');
    await clock.advance(59_999);
    await api.get(Secrets, NAME);
    await clock.advance(1);
    await api.get(Secrets, NAME);
    expect(endpoint.calls.slice(CALLS.length + 1)).toEqual(['get', 'identity', 'get']);
  });

  it.each([-600_000, 600_000, -3_600_000])(
    'R-1.29 the identity is checked again after a minute when the clock is set by %i ms',
    async (stepMs) => {
      const api = connect();
      await api.get(Secrets, NAME);
      clock.step(stepMs);
      await clock.advance(59_999);
      await api.get(Secrets, NAME);
      await clock.advance(1);
      await api.get(Secrets, NAME);
      expect(endpoint.calls).toEqual(['identity', 'get', 'get', 'identity', 'get']);
    },
  );

  it.each(CALLS)('R-5.16 another cluster at the endpoint gets no request: %s', async (_, call) => {
    await store.pinClusterUid('prod', 'uid-0');
    const refused = call(connect());
    await expect(refused).rejects.toThrow(AnotherClusterError);
    await expect(refused).rejects.toMatchObject({
      reason: 'Unreachable',
      message: expect.stringMatching(/registered as prod.*uid-1 there, and uid-0 is registered/),
    });
    expect(endpoint.calls).toEqual(['identity']);
  });

  it('R-5.16 a cluster that was exchanged while connections broke is found at the next call', async () => {
    const api = connect();
    await api.get(Secrets, NAME);
    endpoint.failure = new ApiError('Unreachable', 'gone');
    await expect(api.get(Secrets, NAME)).rejects.toThrow('gone');
    endpoint.failure = undefined;
    endpoint.cluster = 'uid-2';
    await expect(api.list(Secrets)).rejects.toThrow(AnotherClusterError);
    endpoint.cluster = 'uid-1';
    await api.list(Secrets);
    expect(endpoint.calls).toEqual(['identity', 'get', 'get', 'identity', 'identity', 'list']);
  });

  it('R-5.16 an identity that was read before a connection broke does not count after it', async () => {
    const api = connect();
    await api.get(Secrets, NAME);
    const breaking = Promise.withResolvers<void>();
    const broken = api.reachedBy(
      new Proxy({} as ClusterApi, {
        get: () => async () => {
          await breaking.promise;
          throw new ApiError('Unreachable', 'gone');
        },
      }),
    );
    const inFlight = broken.get(Secrets, NAME);
    await clock.advance(60_000);
    const { promise, resolve } = Promise.withResolvers<void>();
    endpoint.identity = promise;
    const waiting = api.list(Secrets);
    breaking.resolve();
    await expect(inFlight).rejects.toThrow('gone');
    endpoint.cluster = 'uid-2';
    resolve();
    await expect(waiting).rejects.toThrow(AnotherClusterError);
    expect(endpoint.calls).toEqual(['identity', 'get', 'identity', 'identity']);
  });

  it('R-5.16 no other request is sent when the identity may not be read', async () => {
    endpoint.failure = new ApiError('Forbidden', 'no');
    await expect(connect().get(Secrets, NAME)).rejects.toMatchObject({ reason: 'Forbidden' });
    expect(endpoint.calls).toEqual(['identity']);
  });

  it('R-5.11 concurrent calls share one read, and an aborted call does not delay the others', async () => {
    const api = connect();
    const { promise, resolve } = Promise.withResolvers<void>();
    endpoint.identity = promise;
    const stop = new AbortController();
    const given = api.get(Secrets, { ...NAME }, { signal: stop.signal });
    const watched = drain(api, stop.signal);
    const kept = api.list(Secrets);
    stop.abort(new Error('enough'));
    await expect(given).rejects.toThrow('enough');
    expect(await watched).toBe(0);
    resolve();
    await kept;
    expect(endpoint.calls).toEqual(['identity', 'list']);
  });
});
