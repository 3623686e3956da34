import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InfrastructureError } from '../../../lib/core/errors.ts';
import { type DelayQueue, MAX_DELAY_SECONDS } from '../../../lib/ports/queue.ts';
import { bodies, drain, MAX_RECEIVE_COUNT, NO_WAIT, type QueueSubject } from './subject.ts';

/** The behaviour that every DelayQueue must have, whatever its implementation. */
export function describeDelayQueue(name: string, start: () => Promise<QueueSubject<DelayQueue>>): void {
  describe(name, () => {
    let subject: QueueSubject<DelayQueue>;
    let queue: DelayQueue;
    beforeEach(async () => {
      subject = await start();
      queue = subject.queue;
    });
    afterEach(async () => {
      await subject.close();
    });

    async function receiveWithin(seconds: number, visibilitySeconds = 60) {
      const pending = queue.receive({ maxMessages: 10, waitSeconds: seconds, visibilitySeconds });
      await subject.elapse(seconds * 1_000);
      return pending;
    }

    it('R-1.26 a message without a delay arrives at once, counted and without a group', async () => {
      await queue.sendDelayed({ body: 'now', delaySeconds: 0 });
      const [received] = await queue.receive(NO_WAIT);
      expect(received).toMatchObject({ body: 'now', messageGroupId: '', receiveCount: 1 });
    });

    it('R-1.26 a message arrives after its own delay, not before', async () => {
      await queue.sendDelayed({ body: 'later', delaySeconds: 2 });
      await queue.sendDelayed({ body: 'sooner', delaySeconds: 1 });
      expect(await queue.receive(NO_WAIT)).toEqual([]);
      const seen: string[] = [];
      while (seen.length < 2) seen.push(...bodies(await receiveWithin(1)));
      expect(seen).toEqual(['sooner', 'later']);
    });

    it('R-1.26 takes the longest delay, and refuses what SQS refuses', async () => {
      await queue.sendDelayed({ body: 'latest', delaySeconds: MAX_DELAY_SECONDS });
      await expect(queue.sendDelayed({ body: 'x', delaySeconds: MAX_DELAY_SECONDS + 1 })).rejects.toThrow(
        InfrastructureError,
      );
      await expect(queue.sendDelayed({ body: 'x', delaySeconds: -1 })).rejects.toThrow(InfrastructureError);
      expect(await queue.receive(NO_WAIT)).toEqual([]);
    });

    it('R-1.25 equal messages all arrive', async () => {
      await queue.sendDelayed({ body: 'same', delaySeconds: 0 });
      await queue.sendDelayed({ body: 'same', delaySeconds: 0 });
      expect(bodies(await drain(queue))).toEqual(['same', 'same']);
    });

    it('R-5.5 a message that was not deleted comes back when its visibility ends', async () => {
      await queue.sendDelayed({ body: 'wake', delaySeconds: 0 });
      const [first] = await queue.receive({ ...NO_WAIT, visibilitySeconds: 1 });
      expect(await queue.receive(NO_WAIT)).toEqual([]);
      const [again] = await receiveWithin(2);
      expect(again).toMatchObject({ body: 'wake', receiveCount: 2, messageId: first?.messageId });
    });

    it('R-5.6 a deleted message is gone, and deleting it twice is fine', async () => {
      await queue.sendDelayed({ body: 'wake', delaySeconds: 0 });
      const [received] = await queue.receive({ ...NO_WAIT, visibilitySeconds: 1 });
      const handle = received?.receiptHandle ?? '';
      expect(await queue.delete([handle])).toEqual([]);
      expect(await queue.delete([handle])).toEqual([]);
      expect(await receiveWithin(2)).toEqual([]);
    });

    it('R-5.4 a message that is never deleted goes to the dead letters in the end', async () => {
      await queue.sendDelayed({ body: 'poison', delaySeconds: 0 });
      for (let count = 1; count <= MAX_RECEIVE_COUNT; count += 1) {
        const received = await queue.receive({ ...NO_WAIT, visibilitySeconds: 0 });
        expect(received).toMatchObject([{ receiveCount: count }]);
      }
      expect(await queue.receive(NO_WAIT)).toEqual([]);
      expect(await subject.deadLetters()).toEqual([expect.objectContaining({ body: 'poison' })]);
    });

    it('R-1.26 a receive waits for a message that comes later', async () => {
      const pending = queue.receive({ ...NO_WAIT, waitSeconds: 20 });
      await queue.sendDelayed({ body: 'late', delaySeconds: 0 });
      expect(bodies(await pending)).toEqual(['late']);
    });
  });
}
