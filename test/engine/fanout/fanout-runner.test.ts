import { describe, expect, it } from 'vitest';
import { listKey } from '../../../lib/core/observation.ts';
import { DEFAULT_FANOUT_OPTIONS } from '../../../lib/engine/fanout/fanout-options.ts';
import { fanoutRequest } from '../../../lib/engine/fanout/wide-change.ts';
import { CLUSTER, SECRETS, target } from '../relay/relay-fixture.ts';
import { FanoutFixture, SECRET, SECRET_EDGE, seen } from './fanout-fixture.ts';

const { pauseMs, restMs, laneDepth, promptReaders, promptPauseMs } = DEFAULT_FANOUT_OPTIONS;
/** A postponed round may come back up to 20% later, and delays of messages are whole seconds. */
const LATEST_PAUSE_MS = pauseMs * 1.2 + 1_000;

const rounds = (fixture: FanoutFixture, lane: 'events' | 'resync') =>
  fixture.metrics.total('FanoutRound', { Lane: lane });

describe('a round', () => {
  it.each([1, 101, promptReaders - 1])(
    'R-5.17 a round sends each of %i readers one event of the newest version',
    async (count) => {
      const fixture = new FanoutFixture();
      const readers = await fixture.readers(count);
      for (const version of [7, 8, 9]) await fixture.change(seen(version));
      expect(fixture.waiting('events')).toHaveLength(1);
      expect(await fixture.handleRounds()).toEqual(['told']);
      expect(await fixture.read()).toBe(count);
      expect(fixture.told).toEqual(new Map(readers.map(({ uid }) => [uid, ['9']])));
      expect(fixture.waiting('events')).toEqual([]);
    },
  );

  it('R-5.17 a round reaches readers of the object and of lists with it', async () => {
    const fixture = new FanoutFixture();
    await fixture.readers(1);
    await fixture.readers(1, listKey(SECRETS, 'ns'), 1);
    await fixture.readers(1, listKey(SECRETS, ''), 2);
    await fixture.readers(1, `${SECRETS}/ns/other`, 3);
    await fixture.change(seen(7));
    await fixture.handleRounds();
    await fixture.read();
    expect([...fixture.told.keys()]).toEqual(['r00000', 'r00001', 'r00002']);
  });

  it('R-5.17 a round of a list reaches only the readers of that list', async () => {
    const fixture = new FanoutFixture();
    await fixture.readers(1);
    await fixture.readers(2, listKey(SECRETS, 'ns'), 1);
    const list = { incarnation: 1, version: 9, seen: { absentAt: '9' } };
    await fixture.change(list, true, { ...SECRET, name: '*' });
    await fixture.handleRounds();
    await fixture.read();
    expect([...fixture.told]).toEqual([
      ['r00001', ['9']],
      ['r00002', ['9']],
    ]);
  });

  it('R-5.17 a round skips readers of another controller group', async () => {
    const fixture = new FanoutFixture();
    const stranger = { ...target('stranger'), kind: 'strangers.test.evenkeel.dev' };
    await fixture.memory.putEdge({ cluster: CLUSTER, key: SECRET_EDGE, reader: stranger, epoch: 1 });
    await fixture.readers(1);
    await fixture.change(seen(7));
    await fixture.handleRounds();
    expect(fixture.waiting('events')).toMatchObject([{ uid: 'r00000' }]);
  });

  it('R-5.17 a round sends the version that the marker has when the round starts, not an earlier one', async () => {
    const fixture = new FanoutFixture();
    await fixture.readers(1);
    await fixture.change(seen(7));
    fixture.onCall = async (call) => {
      if (call === 'store readMarker') await fixture.change(seen(8));
    };
    await fixture.handleRounds();
    fixture.onCall = () => {};
    await fixture.elapse(LATEST_PAUSE_MS, 10);
    expect(fixture.told.get('r00000')).toEqual(['8']);
  });

  it('R-5.17 another round follows when the version changes after the round has started', async () => {
    const fixture = new FanoutFixture();
    await fixture.readers(1);
    await fixture.change(seen(7));
    let changed = false;
    fixture.onCall = async (call) => {
      if (call !== 'store beginRound' || changed) return;
      changed = true;
      await fixture.change(seen(8));
    };
    await fixture.handleRounds();
    await fixture.elapse(LATEST_PAUSE_MS, 10);
    expect(fixture.told.get('r00000')).toEqual(['7', '8']);
  });

  it('R-5.17 a round sends nothing when the marker has a newer version or incarnation', async () => {
    const fixture = new FanoutFixture();
    await fixture.readers(1);
    await fixture.change(seen(5, 2));
    await fixture.change(seen(4, 2));
    await fixture.change(seen(9, 1));
    await fixture.handleRounds();
    await fixture.read();
    expect(fixture.told.get('r00000')).toEqual(['5']);
  });

  it('R-5.17 R-5.8 a round of a new incarnation sends a version that the old incarnation had used', async () => {
    const fixture = new FanoutFixture();
    await fixture.readers(1);
    await fixture.change(seen(9, 1));
    await fixture.elapse(1_000, 1);
    await fixture.change(seen(8, 2));
    await fixture.elapse(LATEST_PAUSE_MS, 1);
    await fixture.change(seen(9, 2));
    await fixture.elapse(LATEST_PAUSE_MS, 1);
    expect(fixture.told.get('r00000')).toEqual(['9', '8', '9']);
  });

  it('R-5.17 a round names itself, and no version, while one of the observations had no version', async () => {
    const fixture = new FanoutFixture();
    await fixture.readers(1);
    await fixture.change({ incarnation: 1, seen: { absentAt: '123' } });
    // Seen before the absence, and written after it.
    await fixture.change(seen(7));
    await fixture.handleRounds();
    await fixture.read();
    const told = fixture.told.get('r00000');
    expect(told).toEqual([expect.stringMatching(/^round \d+$/)]);
    await fixture.elapse(LATEST_PAUSE_MS);
    await fixture.change(seen(8));
    await fixture.elapse(LATEST_PAUSE_MS, 1);
    expect(new Set(fixture.told.get('r00000'))).toHaveProperty('size', 2);
    await fixture.clock.advance(3_600_000);
    await fixture.change(seen(9));
    await fixture.elapse(1_000, 1);
    expect(fixture.told.get('r00000')?.at(-1)).toBe('9');
  });

  it('R-5.17 a round is dropped when the marker has expired', async () => {
    const fixture = new FanoutFixture();
    const request = fanoutRequest(SECRET, 0, { type: 'begin', incarnation: 1, round: 1 });
    expect(await fixture.runner.handle(request)).toBe('dropped');
  });
});

describe('the lane of a round', () => {
  it('R-5.17 a round uses the events lane when its marker has rested, and the resync lane for repeats until it has rested again', async () => {
    const fixture = new FanoutFixture();
    await fixture.readers(3);
    await fixture.change(seen(1));
    expect(await fixture.handleRounds()).toEqual(['told']);
    expect([rounds(fixture, 'events'), rounds(fixture, 'resync')]).toEqual([1, 0]);
    await fixture.clock.advance(pauseMs);
    await fixture.change(seen(2));
    expect(await fixture.handleRounds()).toEqual(['told']);
    expect([rounds(fixture, 'events'), rounds(fixture, 'resync')]).toEqual([1, 1]);
    expect(fixture.waiting('resync').map(({ cause }) => cause)).toEqual(['dependency', 'dependency', 'dependency']);
    await fixture.clock.advance(restMs - pauseMs);
    await fixture.change(seen(3));
    await fixture.handleRounds();
    expect([rounds(fixture, 'events'), rounds(fixture, 'resync')]).toEqual([2, 1]);
  });

  it('R-5.17 a repeated round uses the events lane when the marker has rested and the resync lane is full', async () => {
    const fixture = new FanoutFixture({ laneDepth: 10 });
    await fixture.readers(3);
    await fixture.change(seen(1));
    await fixture.handleRounds();
    await fixture.read();
    await flood(fixture, 50);
    await fixture.change(seen(2));
    await fixture.elapse(restMs + LATEST_PAUSE_MS);
    await fixture.read(Number.POSITIVE_INFINITY, ['events']);
    expect(fixture.told.get('r00000')).toEqual(['1', '2']);
    expect(fixture.waiting('resync')).toHaveLength(50);
  });

  it('R-5.17 a round for a listed change uses the resync lane, and leaves the events lane to the next change', async () => {
    const fixture = new FanoutFixture();
    await fixture.readers(3);
    await fixture.change(seen(1), true);
    await fixture.handleRounds();
    expect(fixture.waiting('resync')).toHaveLength(3);
    await fixture.change(seen(2));
    await fixture.elapse(LATEST_PAUSE_MS);
    expect(fixture.waiting('events').map(({ changed }) => changed?.resourceVersion)).toEqual(['2', '2', '2']);
  });

  it('R-5.17 a clock that was set back delays no round by more than a pause', async () => {
    const fixture = new FanoutFixture();
    await fixture.readers(1);
    await fixture.change(seen(1));
    await fixture.memory.beginRound(
      (await fixture.memory.readMarker(SECRET)) ?? expect.fail('no marker'),
      fixture.clock.now() + 3_600_000,
      true,
    );
    expect(await fixture.handleRounds()).toEqual(['told']);
    expect(fixture.waiting('events')).toHaveLength(1);
  });
});

describe('a round that is put off', () => {
  it('R-5.17 a round comes back with a new id when its pause is over', async () => {
    const fixture = new FanoutFixture();
    await fixture.readers(2);
    await fixture.change(seen(1));
    await fixture.handleRounds();
    await fixture.read();
    await fixture.change(seen(2));
    expect(await fixture.handleRounds()).toEqual(['putOff']);
    expect(await fixture.read()).toBe(0);
    await fixture.elapse(LATEST_PAUSE_MS, 10);
    expect(fixture.told.get('r00001')).toEqual(['1', '2']);
  });

  it('R-5.17 a round comes back again and sends nothing while the lane is full', async () => {
    const fixture = new FanoutFixture({ laneDepth: 10 });
    await fixture.readers(3);
    await flood(fixture, 50, 'events');
    await fixture.change(seen(1));
    await fixture.elapse(10 * pauseMs);
    expect(fixture.waiting('events').filter(({ cause }) => cause === 'dependency')).toEqual([]);
    expect(fixture.metrics.total('FanoutPutOff', { Reason: 'LaneFull' })).toBeGreaterThan(5);
    await fixture.read(45);
    await fixture.elapse(LATEST_PAUSE_MS, 100);
    expect(fixture.told.get('r00002')).toEqual(['1']);
  });

  it('R-5.17 a round has one delayed message when each message comes twice and the lane is full', async () => {
    const fixture = new FanoutFixture({ laneDepth: 10 });
    await fixture.readers(3);
    await flood(fixture, 50, 'events');
    await fixture.change(seen(1));
    for (let passedMs = 0; passedMs < 30 * pauseMs; passedMs += 1_000) {
      await fixture.clock.advance(1_000);
      await fixture.wake();
      for (const lane of Object.values(fixture.queues)) lane.rounds.push(...lane.rounds);
      await fixture.handleRounds();
    }
    expect(fixture.metrics.total('FanoutPutOff', { Reason: 'LaneFull' })).toBeLessThanOrEqual(31);
    await fixture.read(45);
    await fixture.elapse(LATEST_PAUSE_MS, 100);
    expect(fixture.told.get('r00002')).toEqual(['1']);
  });

  it('R-5.17 a round is left to the existing delayed message when the object changes again', async () => {
    const fixture = new FanoutFixture({ laneDepth: 10 });
    await fixture.readers(3);
    await flood(fixture, 50, 'events');
    await fixture.change(seen(1));
    expect(await fixture.handleRounds()).toEqual(['putOff']);
    const request = fanoutRequest(SECRET, fixture.clock.now(), { type: 'again' });
    expect(await fixture.runner.handle(request)).toBe('joined');
    await fixture.read();
    await fixture.change(seen(2));
    await fixture.elapse(LATEST_PAUSE_MS, 100);
    expect(fixture.told.get('r00002')).toEqual(['2']);
  });

  it('R-5.17 a round of a watched change does not wait for the round of a listed one', async () => {
    const fixture = new FanoutFixture({ laneDepth: 10 });
    await fixture.readers(3);
    await flood(fixture, 50);
    await fixture.change(seen(1), true);
    expect(await fixture.handleRounds()).toEqual(['putOff']);
    expect(await fixture.runner.handle(fanoutRequest(SECRET, 0, { type: 'again' }))).toBe('told');
    expect(fixture.waiting('events').map(({ changed }) => changed?.resourceVersion)).toEqual(['1', '1', '1']);
  });

  it('R-5.17 a round has its delayed message before it is acknowledged', async () => {
    const fixture = new FanoutFixture();
    await fixture.readers(1);
    await fixture.change(seen(1));
    await fixture.handleRounds();
    await fixture.change(seen(2));
    fixture.failsIn = 2;
    expect(await fixture.handleRounds()).toEqual(['died']);
    expect(fixture.waiting('events').filter(({ cause }) => cause === 'fanout')).toHaveLength(1);
  });
});

describe('a round of the events lane with very many readers', () => {
  it.each([promptReaders + 1, 800, 1_000])(
    'R-5.17 a round sends each of %i readers one event, 200 a second',
    async (count) => {
      const fixture = new FanoutFixture();
      const readers = await fixture.readers(count);
      await fixture.change(seen(7));
      expect(await fixture.handleRounds()).toEqual(['continued']);
      for (let left = count; left > 0; left -= promptReaders) {
        expect(fixture.waiting('events')).toHaveLength(Math.min(left, promptReaders));
        await fixture.read();
        await fixture.elapse(promptPauseMs);
      }
      await fixture.read();
      expect(fixture.told).toEqual(new Map(readers.map(({ uid }) => [uid, ['7']])));
      expect(rounds(fixture, 'events')).toBe(1);
    },
  );

  it('R-5.17 a round counts the readers of the object and of its lists together', async () => {
    const fixture = new FanoutFixture();
    await fixture.readers(150);
    await fixture.readers(150, listKey(SECRETS, 'ns'), 150);
    await fixture.readers(150, listKey(SECRETS, ''), 300);
    await fixture.change(seen(7));
    await fixture.handleRounds();
    expect(fixture.waiting('events')).toHaveLength(250);
    await fixture.elapse(promptPauseMs);
    await fixture.read();
    expect(fixture.told.size).toBe(450);
  });

  it('R-5.17 a round sends all events at once by the resync lane, which delays no edit', async () => {
    const fixture = new FanoutFixture();
    await fixture.readers(800);
    await fixture.change(seen(7), true);
    expect(await fixture.handleRounds()).toEqual(['told']);
    expect(fixture.waiting('resync')).toHaveLength(800);
  });

  it('R-5.17 a round sends each reader the newest version when it changes during the pause', async () => {
    const fixture = new FanoutFixture();
    await fixture.readers(500);
    await fixture.change(seen(7));
    await fixture.handleRounds();
    await fixture.change(seen(8));
    await fixture.elapse(LATEST_PAUSE_MS, 1_000);
    const last = [...fixture.told.values()].map((versions) => versions.at(-1));
    expect(last).toEqual(Array.from({ length: 500 }, () => '8'));
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])(
    'R-5.17 a round reaches all readers when call %i of a handler fails',
    async (failsIn) => {
      const fixture = new FanoutFixture({ pageSize: 2, promptReaders: 4 });
      const readers = await fixture.readers(9);
      await fixture.change(seen(7));
      fixture.failsIn = failsIn;
      await fixture.elapse(LATEST_PAUSE_MS * 2, 1_000);
      expect([...fixture.told.keys()].sort()).toEqual(readers.map(({ uid }) => uid));
    },
  );

  it.each([3_600_000, -3_600_000])(
    'R-1.29 R-5.17 a round reaches all readers when the clock is set by %i ms in the pause',
    async (ms) => {
      const fixture = new FanoutFixture();
      await fixture.readers(500);
      await fixture.change(seen(7));
      await fixture.handleRounds();
      fixture.clock.step(ms);
      await fixture.elapse(5_000, 1_000);
      expect(fixture.told.size).toBe(500);
    },
  );
});

describe('a round that takes long', () => {
  /** Each page takes a third of the available time. */
  function slow(fixture: FanoutFixture): void {
    fixture.onCall = async (call) => {
      if (call === 'store readers') await fixture.clock.advance(4_000);
    };
  }

  it('R-5.17 a long round continues in messages with the round and the place, and sends one version to all', async () => {
    const fixture = new FanoutFixture({ pageSize: 10 });
    const readers = await fixture.readers(95);
    await fixture.change(seen(7));
    slow(fixture);
    const ends = await fixture.handleRounds();
    expect(ends.slice(0, 3)).toEqual(['continued', 'continued', 'continued']);
    expect(ends.at(-1)).toBe('told');
    await fixture.read();
    expect(fixture.told).toEqual(new Map(readers.map(({ uid }) => [uid, ['7']])));
  });

  it('R-5.17 a continuation does not send a version that came in between, because that one has its own round', async () => {
    const fixture = new FanoutFixture({ pageSize: 10 });
    await fixture.readers(40);
    await fixture.change(seen(7));
    slow(fixture);
    let changed = false;
    const slowly = fixture.onCall;
    fixture.onCall = async (call) => {
      await slowly(call);
      if (call !== 'store readers' || changed) return;
      changed = true;
      await fixture.change(seen(8));
    };
    await fixture.handleRounds();
    fixture.onCall = () => {};
    await fixture.elapse(LATEST_PAUSE_MS, 1_000);
    for (const versions of fixture.told.values()) expect(versions).toEqual(['7', '8']);
    expect(fixture.told.size).toBe(40);
  });

  it('R-5.17 a long round reaches readers that appear while it runs, if they are behind its place; earlier ones have read later', async () => {
    const fixture = new FanoutFixture({ pageSize: 10 });
    await fixture.readers(30, SECRET_EDGE, 100);
    await fixture.change(seen(7));
    slow(fixture);
    const slowly = fixture.onCall;
    let pages = 0;
    fixture.onCall = async (call) => {
      await slowly(call);
      if (call !== 'store readers') return;
      pages += 1;
      if (pages === 1) await fixture.readers(1, SECRET_EDGE, 999);
    };
    await fixture.handleRounds();
    await fixture.read();
    expect(fixture.told.get('r00999')).toEqual(['7']);
  });

  it('R-5.17 a long round continues at its place when the reader there is gone', async () => {
    const fixture = new FanoutFixture({ pageSize: 10 });
    const readers = await fixture.readers(40);
    await fixture.change(seen(7));
    slow(fixture);
    const slowly = fixture.onCall;
    fixture.onCall = async (call) => {
      await slowly(call);
      if (call !== 'events send') return;
      for (const reader of readers.slice(9, 11)) {
        await fixture.memory.deleteEdge({ cluster: CLUSTER, key: SECRET_EDGE, reader, epoch: 9 });
      }
    };
    await fixture.handleRounds();
    await fixture.read();
    expect(readers.filter(({ uid }) => !fixture.told.has(uid)).map(({ uid }) => uid)).toEqual(['r00010']);
  });

  it.each([3_600_000, -3_600_000, 15_000])(
    'R-1.29 R-5.17 a long round counts the time that passed when the clock is set by %i ms',
    async (ms) => {
      const fixture = new FanoutFixture({ pageSize: 10 });
      await fixture.readers(40);
      await fixture.change(seen(7));
      slow(fixture);
      const slowly = fixture.onCall;
      let isSet = false;
      fixture.onCall = async (call) => {
        await slowly(call);
        if (call !== 'store readers' || isSet) return;
        isSet = true;
        fixture.clock.step(ms);
      };
      await fixture.handleRounds();
      expect(fixture.calls.filter((call) => call === 'store readers' || call === 'events send').slice(0, 7)).toEqual([
        'store readers',
        'events send',
        'store readers',
        'events send',
        'store readers',
        'events send',
        'events send',
      ]);
    },
  );

  it('R-5.17 a long round continues with the readers of lists when the page behind its place is empty and takes long', async () => {
    const fixture = new FanoutFixture({ pageSize: 10 });
    await fixture.readers(5);
    await fixture.readers(5, listKey(SECRETS, 'ns'), 5);
    await fixture.change(seen(7));
    fixture.onCall = async (call) => {
      if (call === 'store readers') await fixture.clock.advance(12_000);
    };
    await fixture.handleRounds();
    await fixture.read();
    expect(fixture.told.size).toBe(10);
  });

  it('R-5.17 a long round is not acknowledged before its continuation was accepted', async () => {
    const fixture = new FanoutFixture({ pageSize: 10 });
    await fixture.readers(40);
    await fixture.change(seen(7));
    slow(fixture);
    const slowly = fixture.onCall;
    let sends = 0;
    fixture.onCall = async (call) => {
      await slowly(call);
      if (call === 'events send') sends += 1;
      if (sends === 3 && fixture.failsIn > 1e6) fixture.failsIn = 1;
    };
    expect((await fixture.handleRounds())[0]).toBe('died');
    fixture.onCall = () => {};
    await fixture.elapse(2 * LATEST_PAUSE_MS, 1_000);
    expect(fixture.told.size).toBe(40);
  });
});

describe('a handler that dies', () => {
  it('R-5.5 R-5.17 a handler loses no reader and no version when it dies at any of its calls', async () => {
    for (let dies = 1; ; dies += 1) {
      const fixture = new FanoutFixture({ pageSize: 4 });
      await fixture.readers(10);
      await fixture.change(seen(7));
      fixture.onCall = async (call) => {
        if (call === 'store readers') await fixture.clock.advance(6_000);
      };
      fixture.failsIn = dies;
      const ends = await fixture.handleRounds();
      fixture.onCall = () => {};
      await fixture.change(seen(8));
      await fixture.elapse(4 * LATEST_PAUSE_MS, 1_000);
      for (const versions of fixture.told.values()) expect(versions.at(-1)).toBe('8');
      expect(fixture.told.size).toBe(10);
      if (!ends.includes('died')) {
        expect(dies).toBeGreaterThan(10);
        return;
      }
    }
  });
});

describe('an object that changes without end', () => {
  it.each([
    ['800 readers that are slower than its edits', 800, 50],
    ['3,000 readers that handle nothing at all', 3_000, 0],
    ['101 readers, edited as often', 101, 500],
  ])(
    'R-5.17 the backlog depends on the number of readers and not of edits: %s',
    async (_, count, readASecond) => {
      const fixture = new FanoutFixture();
      await fixture.readers(count);
      let most = 0;
      let edits = 0;
      for (let second = 0; second < 300; second += 1) {
        for (let edit = 0; edit < 2; edit += 1) {
          edits += 1;
          await fixture.change(seen(edits));
        }
        await fixture.elapse(1_000, readASecond);
        const backlog =
          fixture.waiting('events').length + fixture.waiting('resync').length + fixture.wakes.messages().length;
        most = Math.max(most, backlog);
      }
      expect(most).toBeLessThanOrEqual(2 * (laneDepth + count) + 4);
      expect(fixture.metrics.total('FanoutTold')).toBeLessThanOrEqual((300_000 / pauseMs + 1) * count);
      const control = [...fixture.waiting('events'), ...fixture.waiting('resync')].filter(
        ({ cause }) => cause === 'fanout',
      );
      expect(control.length + fixture.wakes.messages().length).toBeLessThanOrEqual(3);
      await fixture.elapse(restMs + 2 * LATEST_PAUSE_MS, 100_000);
      for (const versions of fixture.told.values()) expect(versions.at(-1)).toBe(String(edits));
      expect(fixture.told.size).toBe(count);
    },
    120_000,
  );
});

/** Messages of other tenants in a lane. */
async function flood(fixture: FanoutFixture, count: number, lane: 'events' | 'resync' = 'resync'): Promise<void> {
  const bodies = Array.from({ length: count }, (_, index) => ({ uid: `flood-${index}`, cause: 'resync' }));
  await fixture.queues[lane].send(
    bodies.map((body) => ({ body: JSON.stringify(body), messageGroupId: body.uid, deduplicationId: body.uid })),
  );
}
