import { describe, expect, it } from 'vitest';
import { TerminalError } from '../../../lib/core/errors.ts';
import { ConfigMaps } from '../../../lib/core/resource-type.ts';
import { RolloutShare, type RolloutStage } from '../../../lib/core/rollout.ts';
import { ApiError } from '../../../lib/ports/cluster-api.ts';
import { release, settledWorld, Widgets } from '../../plan/planned-widgets.ts';
import { planOf, RollingOut, writesOf } from './rolled-out-widgets.ts';

const NAMES = ['a', 'b', 'c', 'd'];
const ALL = [{ percent: 100 }];
const first = release('1', ({ metadata }) => ({ greeting: `hello ${metadata.name}` }));
const planned = release('2', ({ metadata }) => ({ greeting: `bye ${metadata.name}` }));
/** As planned, except that one widget gets an additional write. */
const bad = release('2', ({ metadata: { name } }) => ({
  greeting: `bye ${name}`,
  ...(name === 'c' && { extra: '1' }),
}));

const named = (name: string) => ({ metadata: { namespace: 'default', name, uid: '', resourceVersion: '' } });

const greetings = async (world: Awaited<ReturnType<typeof settledWorld>>) => {
  const { items } = await world.user.list(ConfigMaps, { namespace: 'default' });
  return Object.fromEntries(items.map(({ metadata, data }) => [metadata.name, data]));
};

describe('a rollout', () => {
  it('R-6.11 rollout halts at the first write outside the plan, leaves the rest untouched and goes back by one setting when the version is bad', async () => {
    const world = await settledWorld(first, NAMES);
    const plan = await planOf(world, planned);
    const share = { controller: bad, stages: ALL, planned: plan };
    const rolling = new RollingOut(world, first, share);
    await rolling.resync();
    expect(await rolling.halt()).toMatchObject({ version: '2', reason: 'OutsidePlan' });
    expect((await rolling.halt())?.message).toContain('change data.extra of configmaps default/c');
    expect((await greetings(world)).c).toEqual({ greeting: 'hello c' });
    expect(world.metrics.total('NeedsPerson', { Reason: 'RolloutHalted' })).toBeGreaterThan(0);
    // Widgets that had their pass before the halt return to the old version by themselves. The setting only makes that
    // permanent.
    const back = new RollingOut(world, first, { ...share, stages: [] });
    await back.resync();
    expect(back.versions()).toEqual({ a: '1', b: '1', c: '1', d: '1' });
    expect(await greetings(world)).toEqual(
      Object.fromEntries(NAMES.map((name) => [name, { greeting: `hello ${name}` }])),
    );
    world.server.requests.clear();
    await back.resync();
    expect(writesOf(world)).toEqual([]);
  });

  it('R-6.11 rollout makes exactly the planned writes when the version does what its plan shows', async () => {
    const world = await settledWorld(first, NAMES);
    const rolling = new RollingOut(world, first, {
      controller: planned,
      stages: ALL,
      planned: await planOf(world, planned),
    });
    await rolling.resync();
    expect(rolling.versions()).toEqual({ a: '2', b: '2', c: '2', d: '2' });
    expect(await rolling.halt()).toBeUndefined();
    expect((await greetings(world)).a).toEqual({ greeting: 'bye a' });
  });

  it('R-6.11 rollout touches no object when the version is deployed and no stage is active', async () => {
    const world = await settledWorld(first, NAMES);
    const rolling = new RollingOut(world, first, { controller: planned, stages: [] });
    await rolling.resync();
    await rolling.edit('a', 2);
    expect(rolling.versions()).toEqual({ a: '1', b: '1', c: '1', d: '1' });
  });

  it('R-6.11 rollout reconciles only the objects of its share when a stage has a percentage, a selector or clusters', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `w${index}`);
    const world = await settledWorld(first, names);
    const { items } = await world.user.list(Widgets);
    const [labelled] = items;
    if (labelled === undefined) throw new Error('there is no widget');
    await world.edit(Widgets, labelled, { metadata: { labels: { tier: 'canary' } } });
    await new RollingOut(world, first).resync();
    const tookOver = async (stage: RolloutStage) => {
      const rolling = new RollingOut(world, first, { controller: planned, stages: [stage] });
      for (let tick = 0; tick < 3; tick += 1) await rolling.resync();
      return Object.entries(rolling.versions()).flatMap(([name, version]) => (version === '2' ? [name] : []));
    };
    const share = new RolloutShare('2', [{ percent: 25 }]);
    const expected = items.filter(({ metadata }) => share.includes({ cluster: 'test', uid: metadata.uid }));
    expect(await tookOver({ percent: 25 })).toEqual(expected.map(({ metadata }) => metadata.name).sort());
    expect(expected.length).toBeGreaterThan(2);
    expect(expected.length).toBeLessThan(20);
    expect(await tookOver({ labelSelector: 'tier=canary' })).toEqual([labelled.metadata.name]);
    expect(await tookOver({ clusters: ['another'] })).toEqual([]);
  });

  it('R-6.11 rollout keeps the version that reconciled the object last when a user changes the object', async () => {
    const world = await settledWorld(first, NAMES);
    const rolling = new RollingOut(world, first, { controller: planned, stages: ALL });
    await rolling.edit('a', 2);
    expect(rolling.versions().a).toBe('1');
    await rolling.resync();
    await rolling.edit('a', 3);
    expect(rolling.versions()).toEqual({ a: '2', b: '2', c: '2', d: '2' });
  });

  it('R-6.11 rollout sends back the objects that it took over when the version fails one of them', async () => {
    const world = await settledWorld(first, NAMES);
    const failing = release('2', ({ metadata: { name } }) => {
      if (name === 'b') throw new Error('a mistake');
      return { greeting: `bye ${name}` };
    });
    const rolling = new RollingOut(world, first, { controller: failing, stages: ALL });
    await rolling.resync();
    expect(await rolling.halt()).toMatchObject({ version: '2', reason: 'Failed' });
    expect((await rolling.halt())?.message).toMatch(/default\/b: Error/);
    await rolling.resync();
    expect(rolling.versions()).toEqual({ a: '1', b: '1', c: '1', d: '1' });
    expect((await greetings(world)).a).toEqual({ greeting: 'hello a' });
  });

  it('R-6.11 rollout halts when an object fails three times in a row after the version settled it', async () => {
    const world = await settledWorld(first, NAMES);
    let isBroken = false;
    const later = release('2', ({ metadata: { name } }) => {
      if (isBroken && name === 'b') throw new Error('a mistake that shows later');
      return { greeting: `bye ${name}` };
    });
    const rolling = new RollingOut(world, first, { controller: later, stages: ALL });
    await rolling.resync();
    isBroken = true;
    await rolling.edit('b', 2);
    expect(await rolling.halt()).toBeUndefined();
    for (let retry = 0; retry < 3; retry += 1) await rolling.resync();
    expect(await rolling.halt()).toMatchObject({ version: '2', reason: 'Failed' });
    await rolling.resync();
    expect(rolling.versions()).toEqual({ a: '1', b: '1', c: '1', d: '1' });
  });

  it.each([
    ['halts', undefined, 'Failed'],
    ['goes on', 'planned', undefined],
  ])(
    'R-6.11 rollout %s when the version ends an object terminal and the plan is %s',
    async (_how, isPlanned, reason) => {
      const world = await settledWorld(first, NAMES);
      const refusing = release('2', ({ metadata: { name } }) => {
        if (name === 'b') throw new TerminalError('TooLarge', 'make it smaller');
        return { greeting: `hello ${name}` };
      });
      const planned = isPlanned === undefined ? undefined : await planOf(world, refusing);
      const next = { controller: refusing, stages: ALL, ...(planned !== undefined && { planned }) };
      const rolling = new RollingOut(world, first, next);
      await rolling.resync();
      expect((await rolling.halt())?.reason).toBe(reason);
    },
  );

  it('R-6.11 rollout halts, and the version before runs, when passes of the version ended twice without a commit', async () => {
    const world = await settledWorld(first, NAMES);
    const rolling = new RollingOut(world, first, { controller: planned, stages: ALL });
    const widget = await world.read(Widgets, named('a'));
    const event = world.event(Widgets, widget, { cause: 'resync', tick: 1 });
    const target = { cluster: 'test', kind: event.kind, namespace: 'default', name: 'a', uid: event.uid };
    for (let crash = 0; crash < 2; crash += 1) {
      const nowMs = world.clock.now();
      const times = { nowMs, leaseUntilMs: nowMs + 1_000, latestUntilMs: nowMs + 60_000 };
      expect((await world.store.acquire({ target, owner: 'dead', attempt: `${crash}`, ...times })).type).toBe(
        'acquired',
      );
      await world.clock.advance(60_000);
    }
    await world.worker('worker-1', { registry: rolling.registry }).handle(event);
    expect(await rolling.halt()).toMatchObject({
      version: '2',
      reason: 'Failed',
      message: expect.stringContaining('it is not known which version ran them'),
    });
    expect(rolling.versions().a).toBe('1');
  });

  it('R-6.11 rollout goes on when its planned passes record an Event a second time', async () => {
    const world = await settledWorld(first, NAMES);
    const telling = release('2', async ({ metadata: { name } }, context) => {
      const note = { type: 'Normal', reason: 'Greeted', action: 'Greet', note: 'said bye' } as const;
      await context.recordEvent(note);
      await context.recordEvent(note);
      return { greeting: `bye ${name}` };
    });
    const rolling = new RollingOut(world, first, {
      controller: telling,
      stages: ALL,
      planned: await planOf(world, planned),
    });
    await rolling.resync();
    expect(await rolling.halt()).toBeUndefined();
    expect(rolling.versions()).toEqual({ a: '2', b: '2', c: '2', d: '2' });
  });

  it.each([
    ['is busy', 'TooManyRequests'],
    ['fails', 'ServerError'],
  ] as const)('R-6.11 rollout goes on when the API server %s during the first pass', async (_when, reason) => {
    const world = await settledWorld(first, NAMES);
    const plan = await planOf(world, planned);
    const failing = release('2', ({ metadata: { name } }) => {
      if (name === 'b') throw new ApiError(reason, 'trouble');
      return { greeting: `bye ${name}` };
    });
    const rolling = new RollingOut(world, first, { controller: failing, stages: ALL, planned: plan });
    await rolling.resync();
    expect(await rolling.halt()).toBeUndefined();
    expect(rolling.versions()).toMatchObject({ b: '1' });
    const repaired = new RollingOut(world, first, { controller: planned, stages: ALL, planned: plan });
    await repaired.resync();
    expect(repaired.versions()).toEqual({ a: '2', b: '2', c: '2', d: '2' });
  });

  it('R-6.11 rollout leaves an object to the version before, and goes on, when the object changed after its last pass', async () => {
    const world = await settledWorld(first, NAMES);
    const plan = await planOf(world, planned);
    const sized = release('2', ({ metadata: { name }, spec }) => ({
      greeting: `bye ${name}`,
      ...((spec as { size: number }).size > 1 && { size: 'large' }),
    }));
    const rolling = new RollingOut(world, first, { controller: sized, stages: ALL, planned: plan });
    const widget = await world.read(Widgets, named('c'));
    const event = world.event(Widgets, widget, { cause: 'resync', tick: 1 });
    await world.edit(Widgets, widget, { spec: { size: 2 } });
    await world.worker('worker-1', { registry: rolling.registry }).handle(event);
    expect(await rolling.halt()).toBeUndefined();
    expect((await greetings(world)).c).toEqual({ greeting: 'hello c' });
    expect(rolling.versions().c).toBe('1');
  });

  it('R-6.11 rollout refuses every later write of a pass when the controller ignores that one was refused', async () => {
    const world = await settledWorld(first, NAMES);
    const plan = await planOf(world, planned);
    const stubborn = release('2', async (widget, context) => {
      const { name, namespace = '' } = widget.metadata;
      const found = await context.get(ConfigMaps, { namespace, name });
      if (found !== undefined) await context.delete(ConfigMaps, found).catch(() => undefined);
      return { greeting: `bye ${name}` };
    });
    const rolling = new RollingOut(world, first, { controller: stubborn, stages: ALL, planned: plan });
    world.server.requests.clear();
    await rolling.resync();
    expect((await rolling.halt())?.message).toMatch(/delete configmaps default/);
    expect(writesOf(world)).toEqual([]);
  });
});

describe('code that replaced the one before', () => {
  it('R-6.11 resync starts passes because of the version only in the active stages, and a user gets one anywhere', async () => {
    const world = await settledWorld(first, NAMES);
    const [, inShare] = (await world.user.list(Widgets)).items;
    if (inShare === undefined) throw new Error('there is no widget');
    await world.edit(Widgets, inShare, { metadata: { labels: { tier: 'canary' } } });
    await new RollingOut(world, first).resync();
    const replaced = new RollingOut(world, planned, undefined, [{ labelSelector: 'tier=canary' }]);
    await replaced.resync();
    const expected = { a: '1', b: '1', c: '1', d: '1', [inShare.metadata.name]: '2' };
    expect(replaced.versions()).toEqual(expected);
    const other = NAMES.find((name) => name !== inShare.metadata.name) ?? '';
    await replaced.edit(other, 2);
    expect(replaced.versions()).toEqual({ ...expected, [other]: '2' });
  });
});

describe('a new version', () => {
  it.each([
    ['has the version of the installed one', { version: '1' }, /Raise it/],
    ['has another name', { version: '2', name: 'other' }, /another name/],
    [
      'has another finalizer',
      { version: '2', finalizer: 'a/b', finalize: async () => ({ done: true }) as const },
      /another finalizer/,
    ],
  ])('R-6.11 registry refuses a new version when it %s', (_when, parts, message) => {
    const next = { ...planned, ...parts };
    expect(() => new RollingOut({} as never, first, { controller: next, stages: ALL })).toThrow(message);
  });
});
