import { beforeEach, describe, expect, it } from 'vitest';
import { InfrastructureError } from '../../../lib/core/errors.ts';
import { isOwnEvent, isRequest, type SkinnyEvent } from '../../../lib/core/event.ts';
import { listKey, objectKey } from '../../../lib/core/observation.ts';
import { ConfigMaps, Secrets } from '../../../lib/core/resource-type.ts';
import { decodeEvent } from '../../../lib/engine/messages/decode-event.ts';
import { ApiError } from '../../../lib/ports/cluster-api.ts';
import type { WireMessage } from '../../support/wire-message.ts';
import { CLUSTER, CONFIG_MAPS, SECRETS, target, targetOf, WIDGETS, Widgets, widgets } from '../relay/relay-fixture.ts';
import { ResyncFixture } from './resync-fixture.ts';

let fixture: ResyncFixture;

beforeEach(() => {
  fixture = new ResyncFixture();
});

const secret = (name: string, namespace = 'ns') => objectKey(SECRETS, { namespace, name });
const NOTHING_FOUND = { type: 'compared', found: 0, drift: 0, left: 0, incomplete: [] };

/** The message in the form that a worker receives. */
function received(message: WireMessage): SkinnyEvent {
  const decoded = decodeEvent(JSON.stringify(message));
  if (!decoded.ok || isRequest(decoded.event)) throw new Error('the message is no event');
  return decoded.event;
}

describe('targets', () => {
  it('R-1.2 resync finds a target that had no event, and sends it by the resync lane under an id of the tick', async () => {
    const { cluster } = fixture;
    for (let index = 0; index < 7; index += 1) cluster.put(Widgets, { namespace: 'ns', name: `w-${index}` });
    await fixture.resync();
    const events = fixture.sent('resync');
    expect(events.map(({ name }) => name).sort()).toEqual(Array.from({ length: 7 }, (_, index) => `w-${index}`));
    expect(events[0]).toMatchObject({ cause: 'resync', tick: 1, incarnation: 1, resourceVersion: '101' });
    expect(fixture.sent('events')).toEqual([]);
    await fixture.resync();
    // Resync finds it again and sends it again, because the first message may be lost.
    expect(fixture.sent('resync')).toHaveLength(7);
  });

  it('R-5.11 targets that passes have seen cost no message', async () => {
    for (const name of ['a', 'b']) await fixture.settle(fixture.cluster.put(Widgets, { namespace: 'ns', name }));
    expect(await fixture.resync()).toMatchObject(NOTHING_FOUND);
    expect(fixture.queues.resync.attempts).toBe(0);
  });

  it('R-5.8 resync finds a target whose version differs', async () => {
    const { cluster } = fixture;
    await fixture.settle(cluster.put(Widgets, { namespace: 'ns', name: 'a' }));
    cluster.put(Widgets, { namespace: 'ns', name: 'a' });
    await fixture.resync();
    expect(fixture.lines('resync')).toEqual(['resync ns/a@102']);
  });

  it('R-5.8 resync finds a target that a pass saw in another incarnation, although its version is the same', async () => {
    const { cluster, memory } = fixture;
    await fixture.settle(cluster.put(Widgets, { namespace: 'ns', name: 'a' }));
    await memory.startIncarnation(CLUSTER, 1);
    await fixture.resync();
    expect(fixture.sent('resync')).toMatchObject([{ name: 'a', incarnation: 2 }]);
  });

  it('R-5.8 resync ignores a target that a pass saw at a version later than the list, and finds one within the list', async () => {
    const { cluster } = fixture;
    const widget = cluster.put(Widgets, { namespace: 'ns', name: 'a' });
    await fixture.settle(widget, {}, { observedVersion: 150 });
    expect(await fixture.resync()).toMatchObject(NOTHING_FOUND);
    // Versions went back and then became higher than those that were seen: a restore that shows no other sign.
    cluster.version = 200;
    await fixture.resync();
    expect(fixture.lines('resync')).toEqual(['resync ns/a@101']);
  });

  it('R-5.8 resync finds by its UID a target that was deleted while everything was down, under an id of the list', async () => {
    const { cluster } = fixture;
    for (let index = 0; index < 9; index += 1) {
      await fixture.settle(cluster.put(Widgets, { namespace: 'ns', name: `w-${index}` }));
    }
    cluster.remove(Widgets, { namespace: 'ns', name: 'w-4' });
    await fixture.resync();
    expect(fixture.lines('resync')).toEqual(['deleted ns/w-4@110']);
  });

  it('R-1.11 resync finds the old UID gone and the new one unknown when a target was created again under its name', async () => {
    const { cluster } = fixture;
    const old = cluster.put(Widgets, { namespace: 'ns', name: 'a' });
    await fixture.settle(old);
    cluster.remove(Widgets, { namespace: 'ns', name: 'a' });
    const recreated = cluster.put(Widgets, { namespace: 'ns', name: 'a' });
    await fixture.resync();
    const found = fixture.sent('resync').map(({ cause, uid }) => `${cause} ${uid}`);
    expect(found.sort()).toEqual([`deleted ${old.metadata.uid}`, `resync ${recreated.metadata.uid}`]);
  });

  it('R-5.8 resync finds a target that a restore removed, although it was seen at a version later than the list', async () => {
    const { cluster, memory } = fixture;
    await fixture.settle(cluster.put(Widgets, { namespace: 'ns', name: 'a' }));
    cluster.remove(Widgets, { namespace: 'ns', name: 'a' });
    cluster.version = 50;
    await memory.startIncarnation(CLUSTER, 1);
    await fixture.resync();
    expect(fixture.lines('resync')).toEqual(['deleted ns/a@50']);
  });

  it.each([
    ['in another namespace', { namespace: 'elsewhere', name: 'a' }],
    ['under another name', { namespace: 'ns', name: 'b' }],
  ])(
    'R-1.28 resync finds a target at its listed address when its item records it %s, although its version was seen',
    async (_, address) => {
      const { cluster, clock, memory } = fixture;
      const widget = cluster.put(Widgets, { namespace: 'ns', name: 'a' });
      const seen = { observedVersion: 101, dueAtMs: clock.now() + 1_000 };
      const astray = { ...widget, metadata: { ...widget.metadata, ...address } };
      await fixture.settle(astray, {}, seen);
      await fixture.resync();
      const [event] = fixture.sent('resync');
      expect(event).toMatchObject({ cause: 'resync', namespace: 'ns', name: 'a' });
      expect(event?.changed).toBeUndefined();
      await memory.acquire({
        target: targetOf(widget),
        ownAddress: event !== undefined && isOwnEvent(received(event)),
        owner: 'worker',
        attempt: 'attempt',
        nowMs: clock.now(),
        leaseUntilMs: clock.now() - 1,
        latestUntilMs: clock.now() + 34_000,
      });
      await clock.advance(600_000);
      expect(await fixture.resync()).toMatchObject(NOTHING_FOUND);
    },
  );

  it('R-1.28 the event of a missing target has the recorded address and is not an own event', async () => {
    const { cluster } = fixture;
    await fixture.settle(cluster.put(Widgets, { namespace: 'ns', name: 'a' }));
    cluster.remove(Widgets, { namespace: 'ns', name: 'a' });
    await fixture.resync();
    const [event] = fixture.sent('resync');
    expect(event).toMatchObject({ cause: 'deleted', namespace: 'ns', name: 'a', tick: 1 });
    expect(event !== undefined && isOwnEvent(received(event))).toBe(false);
  });

  it('R-5.8 a target that was created and handled after the list was read is not missing', async () => {
    const { cluster } = fixture;
    await fixture.settle(cluster.put(Widgets, { namespace: 'ns', name: 'a' }));
    const list = cluster.list.bind(cluster);
    cluster.list = async (type, options) => {
      const page = await list(type, options);
      if (type === Widgets) await fixture.settle(cluster.put(Widgets, { namespace: 'ns', name: 'late' }));
      return page;
    };
    expect(await fixture.resync()).toMatchObject(NOTHING_FOUND);
  });

  it.each([
    ['of the list', 1],
    ['in the middle', 2],
  ])('R-5.8 an incomplete list proves nothing when page %s fails', async (_, failing) => {
    const { cluster, logger } = fixture;
    for (let index = 0; index < 9; index += 1) {
      await fixture.settle(cluster.put(Widgets, { namespace: 'ns', name: `w-${index}` }), { [secret('s')]: 50 });
    }
    cluster.put(Secrets, { namespace: 'ns', name: 'other' });
    cluster.put(Secrets, { namespace: 'ns', name: 'another' });
    cluster.onRequest = ({ kind, verb, options }) => {
      if (kind === CONFIG_MAPS || verb !== 'list') return;
      if (failing === 1 || options.continueToken !== undefined)
        throw new ApiError('ServerError', 'oops', { status: 500 });
    };
    const report = await fixture.resync({ pageSize: 1 });
    expect(report).toMatchObject({ found: 0, incomplete: [SECRETS, WIDGETS] });
    expect(fixture.sent('resync')).toEqual([]);
    expect(logger.lines.map(({ level, fields }) => `${level} ${fields.kind}`)).toEqual([
      `error ${SECRETS}`,
      `error ${WIDGETS}`,
    ]);
  });

  it('R-5.10 a forbidden kind does not prevent the comparison of others', async () => {
    const { cluster } = fixture;
    cluster.put(Widgets, { namespace: 'ns', name: 'a' });
    cluster.onRequest = ({ kind }) => {
      if (kind === SECRETS || kind === CONFIG_MAPS) throw new ApiError('Forbidden', 'no', { status: 403 });
    };
    expect(await fixture.resync()).toMatchObject({ found: 1, incomplete: [CONFIG_MAPS, SECRETS] });
  });

  it('R-5.15 targets that another version of the reconciler saw last get a pass, a few at a time', async () => {
    fixture = new ResyncFixture({ controllers: [widgets({ version: '2' })] });
    const { cluster, metrics } = fixture;
    const objects = Array.from({ length: 5 }, (_, index) =>
      cluster.put(Widgets, { namespace: 'ns', name: `w-${index}` }),
    );
    for (const object of objects) await fixture.settle(object);
    const seen = new Set<string>();
    for (const left of [3, 1, 0]) {
      await fixture.resync({ outdatedPerTick: 2 });
      for (const line of fixture.lines('resync')) seen.add(line);
      expect(objects.length - seen.size).toBe(left);
      const woken = objects.filter(({ metadata }) =>
        seen.has(`resync ns/${metadata.name}@${metadata.resourceVersion}`),
      );
      for (const object of woken) await fixture.settle(object, {}, { reconcilerVersion: '2' });
    }
    expect(metrics.total('ResyncDrift')).toBe(0);
  });

  it('R-5.11 resync leaves a target alone when its pass runs or is due soon', async () => {
    const { cluster, clock } = fixture;
    const running = cluster.put(Widgets, { namespace: 'ns', name: 'running' });
    await fixture.begin(targetOf(running));
    const soon = cluster.put(Widgets, { namespace: 'ns', name: 'soon' });
    await fixture.settle(soon, {}, { dueAtMs: clock.now() + 30_000 });
    cluster.put(Widgets, { namespace: 'ns', name: 'soon' });
    expect(await fixture.resync()).toMatchObject(NOTHING_FOUND);
    // The pass died, and nothing handled the timer.
    await clock.advance(400_000);
    expect(await fixture.resync()).toMatchObject({ found: 2, drift: 0 });
  });
});

describe('a clock that was set back', () => {
  it.each([10 * 60_000, 6 * 60_000, 3_600_000])(
    'R-1.29 a clock that was set back by %i ms moves far timers to their right time once, and keeps those of right clocks',
    async (backMs) => {
      const { cluster, clock, memory } = fixture;
      const far = async (name: string) => {
        const widget = cluster.put(Widgets, { namespace: 'ns', name });
        const nowMs = clock.now();
        await fixture.settle(widget, {}, { dueAtMs: nowMs + 2 * 3_600_000, dueSetAtMs: nowMs, wakeSent: true });
        return targetOf(widget);
      };
      const wrong = await far('wrong');
      clock.step(-backMs);
      const right = await far('right');
      const unknown = cluster.put(Widgets, { namespace: 'ns', name: 'unknown' });
      const dueAtMs = clock.now() + 5 * 3_600_000;
      await fixture.settle(unknown, {}, { dueAtMs });
      const rightBefore = await memory.readTarget(right);
      expect(await fixture.resync()).toMatchObject(NOTHING_FOUND);
      const moved = { dueAtMs: clock.now() + 2 * 3_600_000, dueSetAtMs: clock.now(), wakeSent: false };
      expect(await memory.readTarget(wrong)).toMatchObject(moved);
      expect(await memory.readTarget(right)).toEqual(rightBefore);
      expect(await memory.readTarget(targetOf(unknown))).toMatchObject({ dueAtMs });
      await clock.advance(300_000);
      await fixture.resync();
      expect(await memory.readTarget(wrong)).toMatchObject(moved);
    },
  );

  it.each([10 * 60_000, 60_000, 35_000])(
    'R-1.29 a clock that was set back by %i ms does not hide a change behind a dead pass',
    async (backMs) => {
      const { cluster, clock } = fixture;
      await fixture.begin(targetOf(cluster.put(Widgets, { namespace: 'ns', name: 'died' })));
      clock.step(-backMs);
      expect(await fixture.resync()).toMatchObject({ found: 1 });
    },
  );

  it.each([10 * 60_000, 3 * 60_000])(
    'R-1.29 a clock that was set back by %i ms does not prolong the open breaker',
    async (backMs) => {
      const { clock, memory } = fixture;
      await memory.setBreaker(CLUSTER, clock.now() + 10_000);
      clock.step(-backMs);
      expect(await fixture.resync()).toMatchObject({ type: 'compared' });
    },
  );
});

describe('dependencies', () => {
  it('R-5.8 a dependency that changed, appeared or disappeared while everything was down reaches readers that recorded another version', async () => {
    const { cluster } = fixture;
    const changed = cluster.put(Secrets, { namespace: 'ns', name: 'changed' });
    const same = cluster.put(Secrets, { namespace: 'ns', name: 'same' });
    const gone = cluster.put(Secrets, { namespace: 'ns', name: 'gone' });
    const read = async (name: string, versions: Record<string, number>) =>
      await fixture.settle(cluster.put(Widgets, { namespace: 'ns', name }), versions);
    await read('of-changed', { [secret('changed')]: Number(changed.metadata.resourceVersion) });
    await read('of-same', { [secret('same')]: Number(same.metadata.resourceVersion), [secret('absent')]: 0 });
    await read('of-gone', { [secret('gone')]: Number(gone.metadata.resourceVersion) });
    await read('of-appeared', { [secret('appeared')]: 0 });
    cluster.put(Secrets, { namespace: 'ns', name: 'changed' });
    cluster.remove(Secrets, { namespace: 'ns', name: 'gone' });
    cluster.put(Secrets, { namespace: 'ns', name: 'appeared' });
    await fixture.resync();
    expect(fixture.lines('resync').sort()).toEqual([
      'resync ns/of-appeared <- secrets/ns/appeared@110',
      'resync ns/of-changed <- secrets/ns/changed@108',
      'resync ns/of-gone <- secrets/ns/gone@absent at 110',
    ]);
    expect(fixture.metrics.total('ResyncFound', { Kind: SECRETS })).toBe(3);
  });

  it('R-5.8 a dependency that a pass saw later than the list sends nothing', async () => {
    const { cluster } = fixture;
    cluster.put(Secrets, { namespace: 'ns', name: 's' });
    await fixture.settle(cluster.put(Widgets, { namespace: 'ns', name: 'a' }), {
      [secret('s')]: 150,
      [secret('t')]: 160,
    });
    expect(await fixture.resync()).toMatchObject(NOTHING_FOUND);
  });

  it('R-5.2 a target with several changed dependencies gets one event in a tick', async () => {
    const { cluster } = fixture;
    await fixture.settle(cluster.put(Widgets, { namespace: 'ns', name: 'a' }), {
      [secret('s')]: 50,
      [secret('t')]: 60,
    });
    cluster.put(Widgets, { namespace: 'ns', name: 'a' });
    await fixture.resync();
    expect(fixture.sent('resync')).toHaveLength(1);
  });

  it('R-4.4 an object without our label is left to its poll; without a poll its absence from the list counts', async () => {
    const { cluster, clock, memory } = fixture;
    const foreign = cluster.put(ConfigMaps, { namespace: 'ns', name: 'foreign' });
    const key = objectKey(CONFIG_MAPS, { namespace: 'ns', name: 'foreign' });
    await fixture.settle(cluster.put(Widgets, { namespace: 'ns', name: 'a' }), {
      [key]: Number(foreign.metadata.resourceVersion),
    });
    await fixture.resync();
    expect(fixture.lines('resync')).toEqual(['resync ns/a <- configmaps/ns/foreign@absent at 102']);
    const poll = { cluster: CLUSTER, group: 'widgets', kind: CONFIG_MAPS, namespace: 'ns', name: 'foreign' };
    await memory.touchPoll(poll, clock.now(), 30_000);
    await fixture.resync();
    expect(fixture.lines('resync')).toEqual([]);
  });

  it('R-5.8 an object that appeared in a listed namespace reaches the lister, and one outside its selector does not', async () => {
    const { cluster, clock } = fixture;
    const list = listKey(SECRETS, 'ns');
    cluster.put(Secrets, { namespace: 'ns', name: 'left-out' });
    await clock.advance(3_600_000);
    const widget = cluster.put(Widgets, { namespace: 'ns', name: 'lister' });
    await fixture.settle(widget, {}, { edges: [list] });
    expect(await fixture.resync()).toMatchObject(NOTHING_FOUND);
    await clock.advance(300_000);
    const news = cluster.put(Secrets, { namespace: 'ns', name: 'new' });
    cluster.put(Secrets, { namespace: 'elsewhere', name: 'new' });
    await fixture.resync();
    expect(fixture.lines('resync')).toEqual(['resync ns/lister <- secrets/ns/new@103']);
    await fixture.settle(widget, { [secret('new')]: Number(news.metadata.resourceVersion) }, { edges: [list] });
    expect(await fixture.resync()).toMatchObject(NOTHING_FOUND);
    // Its labels changed, so that the selector matches it.
    await clock.advance(300_000);
    cluster.put(Secrets, { namespace: 'ns', name: 'left-out', labels: { team: 'red' } });
    await fixture.resync();
    expect(fixture.lines('resync')).toEqual(['resync ns/lister <- secrets/ns/left-out@105']);
  });
});

describe('drift', () => {
  it('R-5.13 drift counts what the last tick found and nobody has handled, not what is new or was handled', async () => {
    const { cluster, metrics } = fixture;
    const handled = cluster.put(Widgets, { namespace: 'ns', name: 'handled' });
    cluster.put(Widgets, { namespace: 'ns', name: 'lost' });
    const busy = () => cluster.put(Widgets, { namespace: 'ns', name: 'busy' });
    busy();
    expect(await fixture.resync()).toMatchObject({ found: 3, drift: 0 });
    await fixture.settle(handled);
    busy();
    cluster.put(Widgets, { namespace: 'ns', name: 'new' });
    expect(await fixture.resync()).toMatchObject({ found: 3, drift: 1 });
    expect(metrics.total('ResyncDrift', { Cluster: CLUSTER, Kind: WIDGETS })).toBe(1);
  });

  it('R-5.13 a lost deletion and a lost dependency are drift of the kind that changed', async () => {
    const { cluster, metrics } = fixture;
    await fixture.settle(cluster.put(Widgets, { namespace: 'ns', name: 'a' }), { [secret('s')]: 50 });
    await fixture.settle(cluster.put(Widgets, { namespace: 'ns', name: 'b' }));
    cluster.remove(Widgets, { namespace: 'ns', name: 'b' });
    await fixture.resync();
    cluster.put(Widgets, { namespace: 'ns', name: 'unrelated' });
    await fixture.resync();
    expect(metrics.total('ResyncDrift', { Kind: SECRETS })).toBe(1);
    expect(metrics.total('ResyncDrift', { Kind: WIDGETS })).toBe(1);
  });

  it('R-5.13 a new process counts no drift before its second tick', async () => {
    fixture.cluster.put(Widgets, { namespace: 'ns', name: 'lost' });
    await fixture.resync();
    const { cluster, store, sender, registry, clock, logger, metrics } = fixture;
    const { resyncCluster } = await import('../../../lib/engine/resync/resync-cluster.ts');
    const deps = { cluster: CLUSTER, api: cluster, store, sender, registry, scope: {}, clock, logger, metrics };
    const { signal } = new AbortController();
    expect(await resyncCluster({ ...deps, tick: 2, signal })).toMatchObject({ found: 1, drift: 0 });
  });
});

describe('what resync leaves alone', () => {
  it('R-6.7 a paused cluster gets no request', async () => {
    const { cluster, memory } = fixture;
    cluster.put(Widgets, { namespace: 'ns', name: 'a' });
    await memory.setPaused(CLUSTER, true);
    expect(await fixture.resync()).toMatchObject({ type: 'skipped', why: 'paused' });
    expect(cluster.requests).toEqual([]);
  });

  it('R-5.14 a cluster with an open breaker gets no request until it closes', async () => {
    const { cluster, clock, memory } = fixture;
    await memory.setBreaker(CLUSTER, clock.now() + 10_000);
    expect(await fixture.resync()).toMatchObject({ type: 'skipped', why: 'unreachable' });
    expect(cluster.requests).toEqual([]);
    await clock.advance(10_000);
    expect(await fixture.resync()).toMatchObject({ type: 'compared' });
  });

  it('R-6.7 the absence of namespaces outside the deployment proves nothing', async () => {
    fixture = new ResyncFixture({ scope: { namespaces: ['in'] } });
    const { cluster } = fixture;
    await fixture.settle(cluster.put(Widgets, { namespace: 'out', name: 'a' }), { [secret('s', 'out')]: 50 });
    cluster.put(Widgets, { namespace: 'in', name: 'b' });
    await fixture.resync();
    expect(fixture.lines('resync')).toEqual(['resync in/b@102']);
  });

  it('R-6.7 targets that left the selector get one event, and a check from time to time', async () => {
    fixture = new ResyncFixture({ scope: { labelSelector: 'team=red' } });
    const { cluster } = fixture;
    const widget = cluster.put(Widgets, { namespace: 'ns', name: 'a', labels: { team: 'blue' } });
    await fixture.settle(widget);
    await fixture.resync();
    expect(fixture.lines('resync')).toEqual(['deleted ns/a@101']);
    const lastOutcome = {
      type: 'unmanaged' as const,
      reason: '',
      message: '',
      atMs: 0,
      durationMs: 0,
      cause: 'deleted',
    };
    await fixture.settle(widget, {}, { lastOutcome });
    for (let tick = 0; tick < 10; tick += 1) {
      await fixture.clock.advance(300_000);
      await fixture.resync({ unmanagedEveryTicks: 5 });
    }
    expect(fixture.sent('resync')).toHaveLength(2);
    expect(fixture.metrics.total('ResyncDrift')).toBe(0);
  });

  it('R-6.7 R-5.15 targets that another selector includes again get a pass, without an edit', async () => {
    const { cluster } = fixture;
    const unmanaged = { type: 'unmanaged' as const, reason: '', message: '', atMs: 0, durationMs: 0, cause: 'resync' };
    const widget = cluster.put(Widgets, { namespace: 'ns', name: 'a', labels: { team: 'blue' } });
    await fixture.settle(widget, {}, { lastOutcome: unmanaged });
    await fixture.resync();
    expect(fixture.lines('resync')).toEqual(['resync ns/a@101']);
    await fixture.settle(widget);
    expect(await fixture.resync()).toMatchObject({ found: 0, drift: 0 });
    expect(fixture.metrics.total('ResyncDrift')).toBe(0);
  });

  it('R-6.7 a target by its label alone that lost it does not get events again and again', async () => {
    fixture = new ResyncFixture({
      controllers: [widgets({ onlyManaged: true, reads: [{ type: Widgets, mode: 'watch' }] })],
    });
    const { cluster } = fixture;
    const unmanaged = { type: 'unmanaged' as const, reason: '', message: '', atMs: 0, durationMs: 0, cause: 'resync' };
    await fixture.settle(cluster.put(Widgets, { namespace: 'ns', name: 'a' }), {}, { lastOutcome: unmanaged });
    expect(await fixture.resync()).toMatchObject({ found: 0, drift: 0 });
  });

  it('R-6.7 a target that only its label selects stays one with any other selector', async () => {
    const controllers = [widgets({ onlyManaged: true })];
    fixture = new ResyncFixture({ scope: { labelSelector: 'team=red' }, controllers });
    const labels = { 'app.kubernetes.io/managed-by': 'evenkeel' };
    fixture.cluster.put(Widgets, { namespace: 'ns', name: 'ours', labels });
    await fixture.resync();
    expect(fixture.lines('resync')).toEqual(['resync ns/ours@101']);
  });

  it('R-6.7 objects outside the selector are ignored when others read their kind', async () => {
    const reads = [{ type: Widgets, mode: 'watch' } as const];
    fixture = new ResyncFixture({ scope: { labelSelector: 'team=red' }, controllers: [widgets({ reads })] });
    const { cluster } = fixture;
    cluster.put(Widgets, { namespace: 'ns', name: 'never-ours', labels: { team: 'blue' } });
    const left = cluster.put(Widgets, { namespace: 'ns', name: 'left', labels: { team: 'blue' } });
    await fixture.settle(left);
    await fixture.resync();
    expect(fixture.lines('resync')).toEqual(['resync ns/left@102']);
    const lastOutcome = {
      type: 'unmanaged' as const,
      reason: '',
      message: '',
      atMs: 0,
      durationMs: 0,
      cause: 'deleted',
    };
    await fixture.settle(left, {}, { lastOutcome });
    expect(await fixture.resync()).toMatchObject(NOTHING_FOUND);
  });
});

describe('failures', () => {
  it('R-5.4 a tick fails when the queue refuses, and the next tick sends its events', async () => {
    const { cluster, queues } = fixture;
    cluster.put(Widgets, { namespace: 'ns', name: 'a' });
    queues.resync.refuses = () => true;
    await expect(fixture.resync()).rejects.toThrow('refused');
    queues.resync.refuses = () => false;
    expect(await fixture.resync()).toMatchObject({ found: 1, drift: 0 });
  });

  it('R-5.4 a table that does not answer fails the tick', async () => {
    fixture = new ResyncFixture({
      wrapStore: (store) =>
        new Proxy(store, {
          get: (inner, property) => {
            if (property === 'inventory') throw new InfrastructureError('down');
            const value: unknown = Reflect.get(inner, property);
            return typeof value === 'function' ? value.bind(inner) : value;
          },
        }),
    });
    fixture.cluster.put(Widgets, { namespace: 'ns', name: 'a' });
    await expect(fixture.resync()).rejects.toThrow(InfrastructureError);
  });

  it('R-5.7 resync stops when its signal aborts', async () => {
    const stop = new AbortController();
    fixture.cluster.onRequest = () => stop.abort(new Error('time is up'));
    await expect(fixture.resync({}, stop.signal)).rejects.toThrow('time is up');
  });

  it('R-5.11 resync asks for metadata only, and reads each target at most twice', async () => {
    const { cluster } = fixture;
    await fixture.settle(cluster.put(Widgets, { namespace: 'ns', name: 'a' }));
    await fixture.readsObject(target('reader'), Secrets, 'ns', 's');
    await fixture.resync();
    for (const { verb, options } of cluster.requests) {
      expect(verb).toBe('list');
      expect(options.metadataOnly).toBe(true);
    }
    expect(cluster.requests).toHaveLength(3);
  });
});
