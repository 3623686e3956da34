import { afterEach, describe, expect, it } from 'vitest';
import type { MemoryStateStore } from '../../../lib/adapters/memory/memory-state-store.ts';
import { InfrastructureError } from '../../../lib/core/errors.ts';
import type { StateStore } from '../../../lib/ports/state-store.ts';
import { RelayFixture, WIDGETS, Widgets } from './relay-fixture.ts';

let fixture: RelayFixture;

afterEach(() => fixture.stopAll());

/** A store to which one process can lose its connection: its calls fail, or get no response. */
class Severable {
  mode: 'works' | 'fails' | 'hangs' = 'works';
  readonly store: StateStore;
  private readonly hanging: (() => void)[] = [];

  constructor(store: MemoryStateStore) {
    this.store = new Proxy(store, {
      get: (inner, property) => {
        const value: unknown = Reflect.get(inner, property);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          if (this.mode === 'hangs') await new Promise<void>((resolve) => this.hanging.push(resolve));
          if (this.mode !== 'works') throw new InfrastructureError('the table does not answer');
          return await value.apply(inner, args);
        };
      },
    });
  }

  /** Makes hanging calls fail, like a client's time-out. */
  giveUp(): void {
    this.mode = 'fails';
    for (const end of this.hanging) end();
  }
}

describe('two relays of a cluster', () => {
  it('R-1.10 one relay watches, and the other stands by and takes over when the first gives up its hold', async () => {
    fixture = new RelayFixture();
    const { cluster, clock } = fixture;
    const first = await fixture.start('first');
    await fixture.start('second');
    await clock.advance(120_000);
    expect(cluster.watching(WIDGETS)).toBe(1);
    await first.stop();
    expect(cluster.watching(WIDGETS)).toBe(0);
    cluster.put(Widgets, { namespace: 'ns', name: 'a' });
    await clock.advance(7_000);
    expect(cluster.watching(WIDGETS)).toBe(1);
    expect(fixture.lines('events')).toEqual([expect.stringMatching(/^created ns\/a@/)]);
  });

  it.each([
    ['set back by ten minutes', -600_000],
    ['set forward by ten minutes', 600_000],
    ['set back by two minutes', -120_000],
  ])(
    'R-1.29 a relay that died is replaced within its lease and a minute when the clock is %s',
    async (_how, stepMs) => {
      fixture = new RelayFixture();
      const { cluster, clock } = fixture;
      const dead = new Severable(fixture.memory);
      await fixture.start('first', { store: dead.store });
      await fixture.start('second');
      await clock.advance(60_000);
      dead.mode = 'hangs';
      cluster.cut();
      clock.step(stepMs);
      cluster.put(Widgets, { namespace: 'ns', name: 'a' });
      await clock.advance(28_000);
      expect(cluster.watching(WIDGETS)).toBe(0);
      await clock.advance(32_000);
      expect(cluster.watching(WIDGETS)).toBe(1);
      expect(fixture.lines('events')).toEqual([expect.stringMatching(/^created ns\/a@/)]);
      dead.giveUp();
    },
  );

  it.each([
    ['forward by ten minutes, and is then right again', [600_000, -600_000]],
    ['back by ten minutes', [-600_000]],
    ['forward by an hour', [3_600_000]],
  ])('R-1.29 a live relay keeps the cluster when the clock is set %s', async (_how, stepsMs) => {
    fixture = new RelayFixture();
    const { cluster, clock, memory } = fixture;
    await fixture.start('first');
    const before = (await memory.readCluster('c1')).relay;
    await fixture.start('second');
    for (const stepMs of stepsMs) {
      clock.step(stepMs);
      await clock.advance(120_000);
      const { relay } = await memory.readCluster('c1');
      expect([relay?.owner, relay?.epoch]).toEqual([before?.owner, before?.epoch]);
      expect(cluster.watching(WIDGETS)).toBe(1);
    }
  });

  it('R-1.10 a relay that died is replaced when its hold has expired', async () => {
    fixture = new RelayFixture();
    const { cluster, clock } = fixture;
    const dead = new Severable(fixture.memory);
    await fixture.start('first', { store: dead.store });
    await fixture.start('second');
    dead.mode = 'hangs';
    cluster.cut();
    cluster.put(Widgets, { namespace: 'ns', name: 'a' });
    await clock.advance(20_000);
    expect(cluster.watching(WIDGETS)).toBe(0);
    await clock.advance(20_000);
    expect(cluster.watching(WIDGETS)).toBe(1);
    expect(fixture.lines('events')).toEqual([expect.stringMatching(/^created ns\/a@/)]);
    dead.giveUp();
  });

  it.each(['fails', 'hangs'] as const)(
    'R-1.10 a relay stops before its hold expires by the other clock when the table %s',
    async (mode) => {
      fixture = new RelayFixture();
      const { cluster, clock } = fixture;
      const severed = new Severable(fixture.memory);
      await fixture.start('first', { store: severed.store });
      severed.mode = mode;
      await clock.advance(25_900);
      expect(cluster.watching(WIDGETS)).toBe(1);
      await clock.advance(200);
      expect(cluster.watching(WIDGETS)).toBe(0);
      cluster.put(Widgets, { namespace: 'ns', name: 'a' });
      await clock.advance(60_000);
      expect(fixture.sent('events')).toEqual([]);
      severed.giveUp();
    },
  );

  it('R-1.10 a late renewal in the table takes no hold for a relay that has stopped', async () => {
    const carriedOut: (() => void)[] = [];
    let isSlow = false;
    fixture = new RelayFixture({
      wrapStore: (store) =>
        new Proxy(store, {
          get: (inner, property) => {
            const value: unknown = Reflect.get(inner, property);
            if (typeof value !== 'function') return value;
            return async (...args: unknown[]) => {
              if (isSlow && property === 'holdRelay') await new Promise<void>((resolve) => carriedOut.push(resolve));
              return await value.apply(inner, args);
            };
          },
        }),
    });
    const { clock, memory } = fixture;
    const relay = await fixture.start();
    isSlow = true;
    await clock.advance(26_100);
    expect(carriedOut).toHaveLength(1);
    const stopped = relay.stop();
    await clock.advance(0);
    carriedOut[0]?.();
    await stopped;
    await clock.advance(0);
    expect((await memory.readCluster('c1')).relay).toBeUndefined();
  });

  it('R-1.10 a relay that was frozen past its hold sends and records nothing when it continues', async () => {
    fixture = new RelayFixture();
    const { cluster, clock } = fixture;
    await fixture.start('first');
    cluster.bookmark();
    await clock.advance(6_000);
    const before = await fixture.checkpoint();
    cluster.put(Widgets, { namespace: 'ns', name: 'a' });
    // Everything that waits continues at once, long after the lease has expired.
    clock.jump(60_000);
    await clock.advance(0);
    expect(fixture.sent('events')).toEqual([]);
    expect(await fixture.checkpoint()).toBe(before);
    await clock.advance(40_000);
    expect(fixture.lines('events')).toEqual([expect.stringMatching(/^created ns\/a@/)]);
  });

  it('R-1.10 an older relay cannot move the checkpoint when a newer one has claimed it', async () => {
    fixture = new RelayFixture();
    const { cluster, clock, memory } = fixture;
    await fixture.start('first');
    cluster.bookmark();
    await clock.advance(6_000);
    await memory.claimCheckpoint('c1', WIDGETS, Number.MAX_SAFE_INTEGER);
    const before = await fixture.checkpoint();
    cluster.put(Widgets, { namespace: 'ns', name: 'a' });
    await clock.advance(0);
    expect(await fixture.checkpoint()).toBe(before);
    expect(cluster.watching(WIDGETS)).toBe(0);
    await clock.advance(0);
  });

  it('R-1.10 a relay stops at its next renewal when another one has taken the hold', async () => {
    fixture = new RelayFixture();
    const { cluster, clock, memory } = fixture;
    await fixture.start('first');
    // The owner that saw no renewal for too long.
    const { relay } = await memory.readCluster('c1');
    await memory.holdRelay('c1', 'other', clock.now(), clock.now() + 30_000, relay);
    await clock.advance(11_000);
    expect(cluster.watching(WIDGETS)).toBe(0);
    cluster.put(Widgets, { namespace: 'ns', name: 'a' });
    await clock.advance(20_000);
    expect(fixture.sent('events')).toEqual([]);
  });

  it('R-5.7 a relay that stops writes its checkpoints and gives the hold back', async () => {
    fixture = new RelayFixture();
    const { cluster, clock, memory } = fixture;
    const relay = await fixture.start();
    cluster.bookmark();
    await clock.advance(0);
    cluster.put(Widgets, { namespace: 'ns', name: 'a' });
    await clock.advance(0);
    await relay.stop();
    expect(await fixture.checkpoint()).toBe('1:102');
    expect((await memory.readCluster('c1')).relay).toBeUndefined();
    expect(clock.sleeping).toBe(0);
  });

  it('R-1.10 a relay waits for a table that is down at the start', async () => {
    fixture = new RelayFixture();
    const down = new Severable(fixture.memory);
    down.mode = 'fails';
    await fixture.start('first', { store: down.store });
    await fixture.clock.advance(600_000);
    expect(fixture.cluster.requests).toEqual([]);
    down.mode = 'works';
    await fixture.clock.advance(10_000);
    expect(fixture.cluster.watching(WIDGETS)).toBe(1);
  });
});
