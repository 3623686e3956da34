import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Arrivals } from '../../../lib/adapters/sqlite/arrivals.ts';
import type { SqliteConnection } from '../../../lib/adapters/sqlite/sqlite-connection.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';

/** With more sleeps than this in one turn of the event loop, the loop never ends. */
const TOO_MANY = 1_000;

let clock: ManualClock;
let dataVersion: number;
let sleeps: number;
let arrivals: Arrivals;
beforeEach(() => {
  clock = new ManualClock();
  dataVersion = 1;
  sleeps = 0;
  const sleep = clock.sleep.bind(clock);
  clock.sleep = (ms, signal) => {
    sleeps += 1;
    // Never settles, so that the event loop continues and the test can fail.
    return sleeps > TOO_MANY ? new Promise(() => {}) : sleep(ms, signal);
  };
  const connection: Pick<SqliteConnection, 'isOpen' | 'dataVersion' | 'path' | 'clock'> = {
    isOpen: true,
    dataVersion: () => dataVersion,
    path: '/nowhere/state.db',
    clock,
  };
  arrivals = new Arrivals(connection as SqliteConnection);
});
afterEach(() => clock.advance(120_000));

describe('receivers that wait for messages of other processes', () => {
  it.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])(
    'R-5.3 a receiver notices what another process writes when it begins to wait %i microtasks after the last one aborts',
    async (microtasks) => {
      await Promise.all([arrivals.wait('q', 0, clock, 60_000), clock.advance(50)]);
      const left = new AbortController();
      const first = arrivals.wait('q', arrivals.announced('q'), clock, 60_000, left.signal);
      await clock.advance(0);
      left.abort();
      for (let passed = 0; passed < microtasks; passed += 1) await undefined;
      let isWoken = false;
      const second = arrivals.wait('q', arrivals.announced('q'), clock, 60_000).then(() => {
        isWoken = true;
      });
      await clock.advance(200);
      expect(sleeps).toBeLessThan(20);
      expect(isWoken).toBe(false);
      dataVersion = 2;
      await clock.advance(200);
      expect(isWoken).toBe(true);
      await Promise.all([first, second]);
    },
  );

  it('R-5.11 only the receivers of a queue wake when a message of that queue is announced', async () => {
    const woken: string[] = [];
    const left = new AbortController();
    const receivers = ['events', 'resync'].map((queue) =>
      arrivals.wait(queue, 0, clock, 60_000, left.signal).then(() => woken.push(queue)),
    );
    arrivals.announce('events');
    await clock.advance(0);
    expect(woken).toEqual(['events']);
    expect([arrivals.announced('events'), arrivals.announced('resync')]).toEqual([1, 0]);
    arrivals.announce();
    await Promise.all(receivers);
    expect(woken).toEqual(['events', 'resync']);
    left.abort();
  });

  it('R-5.3 nobody looks at the file when nobody waits', async () => {
    const left = new AbortController();
    const only = arrivals.wait('q', 0, clock, 60_000, left.signal);
    await clock.advance(0);
    left.abort();
    await only;
    await clock.advance(0);
    expect(clock.sleeping).toBe(0);
  });
});
