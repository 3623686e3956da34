import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type GetSubject, NOW } from './subject.ts';

/** How often messages failed by a fault of their own. */
export function describeFailures(subject: GetSubject): void {
  describe('failures of messages', () => {
    it('R-5.20 each message is counted separately, from one', async () => {
      const { store } = subject();
      const [message, another] = [randomUUID(), randomUUID()];
      expect(await store.countFailure(message, NOW)).toBe(1);
      expect(await store.countFailure(another, NOW)).toBe(1);
      expect(await store.countFailure(message, NOW + 60_000)).toBe(2);
      expect(await store.countFailure(message, NOW + 120_000)).toBe(3);
    });

    it('R-5.20 failures that are counted at once are all counted', async () => {
      const { store } = subject();
      const message = randomUUID();
      const counts = await Promise.all(Array.from({ length: 5 }, () => store.countFailure(message, NOW)));
      expect(counts.sort()).toEqual([1, 2, 3, 4, 5]);
    });
  });
}
