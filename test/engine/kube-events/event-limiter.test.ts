import { describe, expect, it } from 'vitest';
import { EventLimiter } from '../../../lib/engine/kube-events/event-limiter.ts';
import type { EventNote } from '../../../lib/engine/kube-events/event-note.ts';
import { RecentMap } from '../../../lib/engine/kube-events/recent-map.ts';

const MINUTE = 60_000;

function note(text: string, changes: Partial<EventNote> = {}): EventNote {
  return { type: 'Warning', reason: 'KeyMissing', action: 'ReadyTurnedFalse', note: text, ...changes };
}

/** A limiter that has already allowed the burst of an object. */
function spent(): EventLimiter {
  const limiter = new EventLimiter();
  for (let index = 0; index < 25; index += 1) limiter.admit('u', note('same'), 0);
  return limiter;
}

describe('EventLimiter', () => {
  it('R-6.5 the limiter allows 25 Events of an object at once, and one each five minutes after that', () => {
    const limiter = new EventLimiter();
    const passed = (count: number, atMs: number) =>
      Array.from({ length: count }, () => limiter.admit('u', note('same'), atMs)).filter(Boolean).length;
    expect(passed(40, 0)).toBe(25);
    expect(passed(5, 5 * MINUTE - 1)).toBe(0);
    expect(passed(5, 5 * MINUTE)).toBe(1);
    expect(passed(5, 20 * MINUTE)).toBe(3);
  });

  it('R-6.5 the limiter adds the number of suppressed Events to the next equal one', () => {
    const limiter = spent();
    for (let index = 0; index < 4; index += 1) expect(limiter.admit('u', note('same'), 0)).toBeUndefined();
    expect(limiter.admit('u', note('other'), 0)).toBeUndefined();
    expect(limiter.admit('u', note('same'), 5 * MINUTE)).toEqual({ isCombined: false, count: 5 });
    expect(limiter.admit('u', note('same'), 10 * MINUTE)).toEqual({ isCombined: false, count: 1 });
    expect(limiter.admit('u', note('other'), 15 * MINUTE)).toEqual({ isCombined: false, count: 2 });
  });

  it('R-6.5 the limiter counts each object separately', () => {
    expect(spent().admit('v', note('same'), 0)).toEqual({ isCombined: false, count: 1 });
  });

  it.each<[string, Partial<EventNote>, boolean]>([
    ['the first Event of a terminal error', { isTerminal: true, reason: 'Forbidden' }, true],
    ['a further one of the same kind', { isTerminal: true }, false],
    ['the first of what is not terminal', { isTerminal: false, reason: 'Forbidden' }, false],
  ])('R-6.5 the limiter judges %s of an object that has used its burst: %#', (_, changes, passes) => {
    expect(spent().admit('u', note('denied', changes), 0) !== undefined).toBe(passes);
  });

  it('R-6.5 the limiter combines Events that differ only in their notes when there are more than ten', () => {
    const limiter = new EventLimiter();
    const combined = Array.from({ length: 14 }, (_, index) => limiter.admit('u', note(`${index}`), 0)?.isCombined);
    expect(combined).toEqual([...Array(10).fill(false), ...Array(4).fill(true)]);
    expect(limiter.admit('u', note('3'), 0)?.isCombined).toBe(false);
    expect(limiter.admit('u', note('new', { reason: 'Other' }), 0)?.isCombined).toBe(false);
    expect(limiter.admit('u', note('late'), 10 * MINUTE)?.isCombined).toBe(true);
    expect(limiter.admit('u', note('later'), 20 * MINUTE + 1)?.isCombined).toBe(false);
  });
});

describe('RecentMap', () => {
  it('R-5.14 the map drops the oldest entry when it is full', () => {
    const map = new RecentMap<number>(3);
    for (const [index, key] of ['a', 'b', 'c', 'a', 'd'].entries()) map.set(key, index);
    expect(['a', 'b', 'c', 'd'].map((key) => map.get(key))).toEqual([3, undefined, 2, 4]);
    expect(map.size).toBe(3);
  });
});
