import { beforeEach, describe, expect, it } from 'vitest';
import type { OnRequest } from '../../../lib/adapters/request-observer.ts';
import { InfrastructureError } from '../../../lib/core/errors.ts';
import type { PollRequest } from '../../../lib/core/event.ts';
import type { DesiredObject, KubeObject } from '../../../lib/core/kube-object.ts';
import { settled } from '../../../lib/core/outcome.ts';
import { ConfigMaps, kindId, Secrets } from '../../../lib/core/resource-type.ts';
import { decodeEvent } from '../../../lib/engine/messages/decode-event.ts';
import { pollRequest } from '../../../lib/engine/wake/due-event.ts';
import { World } from '../../../lib/testing/world.ts';
import { createWidget, WIDGET_DEFINITION, Widgets, widgetController } from '../../support/widget.ts';
import { wireMessage } from '../../support/wire-message.ts';

const SETTINGS = { namespace: 'default', name: 'settings' };

/** Widgets that read one Secret by polling. */
async function pollingWorld(seed = 1, onRequest: OnRequest = () => {}): Promise<World> {
  const made = new World({
    seed,
    onRequest,
    controllers: [
      widgetController({
        reads: [{ type: Secrets, mode: 'poll' }],
        reconcile: async (_, context) => {
          const settings = await context.get(Secrets, SETTINGS);
          return { outcome: settled(), status: { settings: settings?.metadata.resourceVersion ?? 'absent' } };
        },
      }),
    ],
  });
  await made.install([WIDGET_DEFINITION]);
  return made;
}

let world: World;
const gets = () => world.server.requests.find({ verb: 'get', resource: 'secrets', userAgent: 'evenkeel' }).length;
const passes = () => world.reports.filter(({ end }) => end === 'committed').length;

beforeEach(async () => {
  world = await pollingWorld();
});

const settings = (value: string): Omit<DesiredObject, 'apiVersion' | 'kind'> => ({
  metadata: SETTINGS,
  data: { value },
});

function pollOf(dueAt = 0): PollRequest {
  return pollRequest({ cluster: 'test', kind: 'secrets', group: 'widgets', ...SETTINGS }, dueAt, 0);
}

async function reconciled(count: number): Promise<KubeObject[]> {
  const widgets: KubeObject[] = [];
  for (let index = 0; index < count; index += 1) {
    const widget = await createWidget(world, `w-${index}`);
    await world.worker().handle(world.event(Widgets, widget));
    widgets.push(widget);
  }
  return widgets;
}

const seenBy = async (widgets: readonly KubeObject[]) => {
  const statuses = await Promise.all(widgets.map(async (widget) => (await world.read(Widgets, widget)).status));
  return new Set(statuses.map((status) => (status as { settings: string }).settings));
};

describe('PollRunner', () => {
  it('R-4.4 a hundred readers of one object cost one GET in an interval, and no pass', async () => {
    await world.create(Secrets, settings('MQ=='));
    const widgets = await reconciled(100);
    await world.run(120_000);
    const [before, passesBefore] = [gets(), passes()];
    await world.run(10 * 60_000);
    expect(gets() - before).toBeGreaterThanOrEqual(15);
    expect(gets() - before).toBeLessThanOrEqual(23);
    expect(passes() - passesBefore).toBe(0);
    expect((await seenBy(widgets)).size).toBe(1);
  });

  it('R-4.4 R-5.11 a poll costs one wake and one event in an interval, because the sweep sends no second one', async () => {
    const requests: string[] = [];
    world = await pollingWorld(1, (_, operation) => requests.push(operation));
    await world.create(Secrets, settings('MQ=='));
    await reconciled(3);
    await world.run(120_000);
    requests.length = 0;
    const before = gets();
    await world.run(10 * 60_000);
    const polls = gets() - before;
    expect(polls).toBeGreaterThanOrEqual(15);
    const count = (operation: string) => requests.filter((each) => each === operation).length;
    expect({ wakes: count('SendMessage'), events: count('SendMessageBatch') }).toEqual({ wakes: polls, events: polls });
  });

  it('R-1.26 the sweep sends the wake for the first timer of a poll, and for one that a touch moved to an earlier time', async () => {
    await reconciled(1);
    expect(await world.sweep.run()).toEqual({ sent: 0, woken: 1, failed: 0 });
    const [poll] = world.memory.contents().polls;
    if (poll === undefined) throw new Error('no poll');
    await world.memory.savePoll(poll, undefined, world.clock.now() + 50_000, world.clock.now());
    expect(await world.sweep.run()).toEqual({ sent: 0, woken: 0, failed: 0 });
    await world.memory.touchPoll(poll.poll, world.clock.now(), 30_000);
    expect(await world.sweep.run()).toEqual({ sent: 0, woken: 1, failed: 0 });
  });

  it.each(['changed', 'deleted', 'created'] as const)(
    'R-4.4 an object that was %s starts a pass of all its readers within a bounded time',
    async (change) => {
      const existing = change === 'created' ? undefined : await world.create(Secrets, settings('MQ=='));
      const widgets = await reconciled(3);
      await world.run(120_000);
      let expected = 'absent';
      if (existing === undefined) expected = (await world.create(Secrets, settings('MQ=='))).metadata.resourceVersion;
      else if (change === 'changed')
        expected = (await world.edit(Secrets, existing, { data: { value: 'Mg==' } })).metadata.resourceVersion;
      else await world.remove(Secrets, existing);
      await world.run(95_000);
      expect(await seenBy(widgets)).toEqual(new Set([expected]));
    },
  );

  it('R-4.4 the poll finds a change between the read and the commit of a pass', async () => {
    const first = await world.create(Secrets, settings('MQ=='));
    const commit = world.memory.commit.bind(world.memory);
    let edited: KubeObject | undefined;
    world.memory.commit = async (...args) => {
      edited ??= await world.edit(Secrets, first, { data: { value: 'Mg==' } });
      return await commit(...args);
    };
    const widgets = await reconciled(1);
    await world.run(120_000);
    expect(await seenBy(widgets)).toEqual(new Set([edited?.metadata.resourceVersion]));
  });

  it('a poll ends when it has no readers', async () => {
    const [widget] = await reconciled(1);
    if (widget === undefined) throw new Error('no widget');
    await world.remove(Widgets, widget);
    await world.worker().handle(world.event(Widgets, widget, { cause: 'deleted' }));
    await world.run(180_000);
    expect(world.memory.contents()).toEqual({ targets: [], edges: [], polls: [] });
  });

  it('R-5.11 a poll ends when its last reader is gone, also when its object never changes', async () => {
    await world.create(Secrets, settings('MQ=='));
    const [widget] = await reconciled(1);
    if (widget === undefined) throw new Error('no widget');
    await world.run(180_000);
    await world.remove(Widgets, widget);
    await world.worker().handle(world.event(Widgets, widget, { cause: 'deleted' }));
    await world.run(12 * 60_000);
    expect(world.memory.contents()).toEqual({ targets: [], edges: [], polls: [] });
  });

  it('R-5.11 a poll without readers ends for every jitter between two polls', async () => {
    for (let seed = 1; seed <= 30; seed += 1) {
      world = await pollingWorld(seed);
      await world.create(Secrets, settings('MQ=='));
      const [widget] = await reconciled(1);
      if (widget === undefined) throw new Error('no widget');
      await world.run(120_000, undefined, 5_000);
      await world.remove(Widgets, widget);
      await world.worker().handle(world.event(Widgets, widget, { cause: 'deleted' }));
      await world.run(11 * 60_000, undefined, 5_000);
      expect(world.memory.contents().polls, `seed ${seed}`).toEqual([]);
    }
  });

  it('R-1.17 a poll that cannot read sends nothing, and reads again at the next interval', async () => {
    await world.create(Secrets, settings('MQ=='));
    const widgets = await reconciled(1);
    await world.run(120_000);
    const seen = await seenBy(widgets);
    const fault = world.server.inject({
      match: ({ resource, verb }) => resource === 'secrets' && verb === 'get',
      fault: { status: 403, reason: 'Forbidden' },
    });
    const before = passes();
    await world.run(120_000);
    expect(passes()).toBe(before);
    fault.remove();
    await world.remove(Secrets, await world.user.get(Secrets, SETTINGS));
    await world.run(120_000);
    expect(seen).not.toEqual(await seenBy(widgets));
  });

  it('R-4.4 a foreign object of an owned kind under our name is polled, because the label watch does not show it', async () => {
    world = new World({
      controllers: [
        widgetController({
          reconcile: async (_, context) => {
            const copy = await context.get(ConfigMaps, SETTINGS);
            return { outcome: settled(), status: { settings: copy?.metadata.resourceVersion ?? 'absent' } };
          },
        }),
      ],
    });
    await world.install([WIDGET_DEFINITION]);
    const foreign = await world.create(ConfigMaps, { metadata: SETTINGS, data: {} });
    const widgets = await reconciled(1);
    await world.remove(ConfigMaps, foreign);
    await world.run(120_000);
    expect(await seenBy(widgets)).toEqual(new Set(['absent']));
  });

  it('R-5.8 a poll sends what it saw before a restore with the incarnation of that time', async () => {
    const secret = await world.create(Secrets, settings('MQ=='));
    await reconciled(1);
    await world.edit(Secrets, secret, { data: { value: 'Mg==' } });
    await world.clock.advance(60_000);
    const [poll] = world.memory.contents().polls;
    const get = world.api.get.bind(world.api);
    world.api.get = async (...args) => {
      const found = await get(...args);
      await world.memory.startIncarnation('test', 1);
      return found;
    };
    expect(await world.poller().handle(pollOf(poll?.dueAtMs))).toBe('changed');
    const messages = await world.queue('widgets').receive({ maxMessages: 10, waitSeconds: 0, visibilitySeconds: 60 });
    expect(messages.map(({ body }) => wireMessage(body).incarnation)).toEqual([1]);
  });

  it.each([
    ['finds its object', true],
    ['finds none', false],
  ])('R-5.14 a poll that was the probe of an open breaker and %s closes it', async (_, exists) => {
    if (exists) await world.create(Secrets, settings('MQ=='));
    await reconciled(1);
    await world.clock.advance(60_000);
    await world.memory.setBreaker('test', world.clock.now() - 1);
    const [poll] = world.memory.contents().polls;
    expect(await world.poller().handle(pollOf(poll?.dueAtMs))).not.toBe('failed');
    expect((await world.memory.readCluster('test')).breakerOpenUntilMs).toBeUndefined();
  });

  it('a message of a timer that was moved is dropped without a request', async () => {
    await world.create(Secrets, settings('MQ=='));
    await reconciled(1);
    const before = gets();
    expect(await world.poller().handle(pollOf(1))).toBe('dropped');
    expect(gets()).toBe(before);
  });
});

describe('a polled object with many readers', () => {
  /** A thousand targets read the Secret. One of them has had a pass, so the poll is due. */
  async function withReaders(count: number): Promise<void> {
    await reconciled(1);
    for (let index = 0; index < count; index += 1) {
      const reader = {
        cluster: 'test',
        kind: kindId(Widgets),
        uid: `r-${index}`,
        namespace: 'default',
        name: `r-${index}`,
      };
      await world.memory.putEdge({ cluster: 'test', key: 'secrets/default/settings', reader, epoch: 1 });
    }
  }
  const poll = { cluster: 'test', group: 'widgets', kind: 'secrets', ...SETTINGS };
  const polled = async () => {
    const state = await world.store.readPoll(poll);
    return await world.poller().handle(pollOf(state?.dueAtMs));
  };
  const sent = () =>
    world
      .queue('widgets')
      .messages()
      .map(({ body }) => wireMessage(body));

  it('R-5.17 R-4.4 a polled change is sent as one message when a thousand objects read it', async () => {
    await withReaders(1_000);
    const { metadata } = await world.create(Secrets, settings('eHg='));
    expect(await polled()).toBe('changed');
    expect(sent()).toMatchObject([{ cause: 'fanout', group: 'widgets', name: 'settings' }]);
    expect(await world.store.readMarker(poll)).toMatchObject({
      version: Number(metadata.resourceVersion),
      seen: { resourceVersion: metadata.resourceVersion },
    });
    const decoded = decodeEvent(world.queue('widgets').messages()[0]?.body ?? '');
    if (!decoded.ok || decoded.event.cause !== 'fanout') return expect.fail('the message asks for no round');
    expect(await world.fanouts().handle(decoded.event)).toBe('continued');
    // The others get events at 200 per second.
    expect(sent().filter(({ cause }) => cause === 'dependency')).toHaveLength(200);
    expect(world.wakes.messages().filter(({ body }) => body.includes('"rest"'))).toHaveLength(1);
  });

  it('R-5.17 R-4.4 a polled object that is gone is sent without a version, also when it had one', async () => {
    await withReaders(200);
    const secret = await world.create(Secrets, settings('eHg='));
    await polled();
    await world.remove(Secrets, secret);
    expect(await polled()).toBe('changed');
    expect(await world.store.readMarker(poll)).toMatchObject({
      seen: { absentAt: expect.stringMatching(/^\d+$/) },
      doubtUntilMs: expect.any(Number),
    });
  });

  it('R-5.17 a polled change is sent to each reader at once while there are few, and only to readers of its own group', async () => {
    await withReaders(99);
    const stranger = {
      cluster: 'test',
      kind: 'strangers.test.evenkeel.dev',
      uid: 's',
      namespace: 'default',
      name: 's',
    };
    await world.memory.putEdge({ cluster: 'test', key: 'secrets/default/settings', reader: stranger, epoch: 1 });
    await world.create(Secrets, settings('eHg='));
    await polled();
    expect(sent()).toHaveLength(100);
    expect(new Set(sent().map(({ cause }) => cause))).toEqual(new Set(['dependency']));
  });

  it('R-5.17 R-5.5 the poll is recorded after the message was accepted', async () => {
    await withReaders(200);
    await world.create(Secrets, settings('eHg='));
    const before = await world.store.readPoll(poll);
    world.queue('widgets').send = () => Promise.reject(new InfrastructureError('no answer'));
    await expect(polled()).rejects.toThrow('no answer');
    expect(await world.store.readPoll(poll)).toEqual(before);
  });
});
