import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Timed, TimerQueue } from '../../../lib/testing/simulation/timer-queue.ts';

describe('TimerQueue', () => {
  it('gives out what is due in the order of the times, then of the orders, and leaves out what was taken back', () => {
    const times = fc.array(fc.record({ dueMs: fc.nat(20), gone: fc.boolean() }), { maxLength: 60 });
    fc.assert(
      fc.property(times, fc.nat(25), (items, nowMs) => {
        const queue = new TimerQueue<Timed>();
        const all = items.map((item, order) => ({ ...item, order }));
        for (const item of all) queue.push(item);
        const taken: Timed[] = [];
        for (let due = queue.takeDue(nowMs); due !== undefined; due = queue.takeDue(nowMs)) taken.push(due);
        const expected = all
          .filter(({ dueMs, gone }) => dueMs <= nowMs && !gone)
          .sort((left, right) => left.dueMs - right.dueMs || left.order - right.order);
        expect(taken).toEqual(expected);
        const left = all.filter(({ dueMs, gone }) => dueMs > nowMs && !gone).map(({ dueMs }) => dueMs);
        expect(queue.peek()?.dueMs).toBe(left.length === 0 ? undefined : Math.min(...left));
      }),
    );
  });
});
