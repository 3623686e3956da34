import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FifoQueue, ReceivedMessage } from '../../../lib/ports/queue.ts';
import { bodies, drain, MAX_RECEIVE_COUNT, message, NO_WAIT, type QueueSubject } from './subject.ts';

/** What every FifoQueue does, whatever it is made of. SQS' own freedoms are allowed: see `drain`. */
export function describeFifoQueue(name: string, start: () => Promise<QueueSubject<FifoQueue>>): void {
  describe(name, () => {
    let subject: QueueSubject<FifoQueue>;
    let queue: FifoQueue;
    beforeEach(async () => {
      subject = await start();
      queue = subject.queue;
    });
    afterEach(async () => {
      await subject.close();
    });

    async function receiveOne(visibilitySeconds = 60, waitSeconds = 0): Promise<ReceivedMessage> {
      const pending = queue.receive({ maxMessages: 1, waitSeconds, visibilitySeconds });
      await subject.elapse(waitSeconds * 1_000);
      const [received] = await pending;
      if (received === undefined) throw new Error('nothing was received');
      return received;
    }

    it('R-5.1 a message arrives as it was sent, with its group, its count and its times', async () => {
      const body = JSON.stringify({ v: 1, name: 'ünï "quoted" \\ /', at: 5 });
      const sent = message('g'.repeat(128), body);
      expect(await queue.send([sent])).toEqual([{ accepted: true }]);
      const received = await receiveOne();
      expect(received).toMatchObject({ body, messageGroupId: sent.messageGroupId, receiveCount: 1 });
      expect(received.messageId).not.toBe('');
      expect(received.receiptHandle).not.toBe('');
      expect(received.sentAtMs).toBeGreaterThan(1_600_000_000_000);
      // Of a monotonic clock, which no epoch time is.
      expect(received.receivedAtMs).toBeGreaterThan(0);
      expect(received.receivedAtMs).toBeLessThan(1_600_000_000_000);
    });

    it('R-5.17 a queue says how many messages wait, without those in flight', async () => {
      expect(await queue.waiting()).toBe(0);
      await queue.send(Array.from({ length: 25 }, (_, index) => message(`g-${index}`, String(index))));
      expect(await queue.waiting()).toBe(25);
      await receiveOne();
      expect(await queue.waiting()).toBe(24);
    });

    it.each([1, 3, 5])('R-5.17 a queue counts as waiting none of %i messages in flight', async (count) => {
      await queue.send(Array.from({ length: count }, (_, index) => message(`g-${index}`, String(index))));
      for (let received = 0; received < count; received += 1) await receiveOne();
      expect(await queue.waiting()).toBe(0);
    });

    it('R-5.2 a message group keeps its order in any batches', async () => {
      const sent = Array.from({ length: 25 }, (_, index) => message('g', String(index)));
      const results = await queue.send(sent);
      expect(results).toHaveLength(25);
      expect(results.every(({ accepted }) => accepted)).toBe(true);
      expect(bodies(await drain(queue))).toEqual(sent.map(({ body }) => body));
    });

    it('R-5.2 many groups each keep their order', async () => {
      const sent = Array.from({ length: 60 }, (_, index) => message(`group-${index % 13}`, String(index)));
      await queue.send(sent);
      const received = await drain(queue);
      expect(received).toHaveLength(60);
      for (let group = 0; group < 13; group += 1) {
        const ofGroup = (messages: readonly { messageGroupId: string; body: string }[]) =>
          messages.filter(({ messageGroupId }) => messageGroupId === `group-${group}`).map(({ body }) => body);
        expect(ofGroup(received)).toEqual(ofGroup(sent));
      }
    });

    it('R-5.2 messages of equal bodies and distinct observations all arrive', async () => {
      await queue.send([message('g', 'same'), message('g', 'same'), message('h', 'same')]);
      expect(await drain(queue)).toHaveLength(3);
    });

    it('R-5.2 one observation is delivered once, also after its message was consumed', async () => {
      await queue.send([message('g', 'first', 'observation')]);
      expect(await queue.send([message('g', 'again', 'observation')])).toEqual([{ accepted: true }]);
      expect(bodies(await drain(queue))).toEqual(['first']);
      expect(await queue.send([message('g', 'later', 'observation')])).toEqual([{ accepted: true }]);
      expect(await queue.receive(NO_WAIT)).toEqual([]);
    });

    it('R-1.5 a message group with a message in flight delivers no other message, and delays no other group', async () => {
      await queue.send([message('g', 'g1')]);
      const first = await receiveOne();
      await queue.send([message('g', 'g2'), message('h', 'h1')]);
      expect(bodies(await queue.receive(NO_WAIT))).toEqual(['h1']);
      expect(await queue.receive(NO_WAIT)).toEqual([]);
      expect(await queue.delete([first.receiptHandle])).toEqual([]);
      expect(bodies(await queue.receive(NO_WAIT))).toEqual(['g2']);
    });

    it('R-5.3 several groups are received together, never more than asked for', async () => {
      await queue.send(Array.from({ length: 12 }, (_, index) => message(`group-${index}`, String(index))));
      expect(await queue.receive({ ...NO_WAIT, maxMessages: 4 })).toHaveLength(4);
      expect(await queue.receive(NO_WAIT)).toHaveLength(8);
      expect(await queue.receive(NO_WAIT)).toEqual([]);
    });

    it('R-5.5 a message that was not deleted comes back when its visibility ends, before those behind it', async () => {
      await queue.send([message('g', 'g1')]);
      const first = await receiveOne(1);
      await queue.send([message('g', 'g2')]);
      const again = await receiveOne(60, 2);
      expect(again).toMatchObject({ body: 'g1', receiveCount: 2, messageId: first.messageId });
      expect(again.receiptHandle).not.toBe(first.receiptHandle);
    });

    it('R-5.5 a handle that has expired deletes nothing', async () => {
      await queue.send([message('g', 'g1')]);
      const first = await receiveOne(1);
      const second = await receiveOne(60, 2);
      await queue.delete([first.receiptHandle]);
      await queue.changeVisibility([second.receiptHandle], 0);
      expect((await receiveOne()).body).toBe('g1');
    });

    it('R-5.6 deleting a message twice is fine', async () => {
      await queue.send([message('g', 'g1')]);
      const { receiptHandle } = await receiveOne();
      expect(await queue.delete([receiptHandle])).toEqual([]);
      expect(await queue.delete([receiptHandle])).toEqual([]);
      expect(await queue.delete([])).toEqual([]);
    });

    it('R-5.3 many messages are deleted in one call', async () => {
      await queue.send(Array.from({ length: 25 }, (_, index) => message(`group-${index}`, String(index))));
      const received: ReceivedMessage[] = [];
      for (let round = 0; round < 3; round += 1) {
        received.push(...(await queue.receive({ ...NO_WAIT, visibilitySeconds: 1 })));
      }
      expect(received).toHaveLength(25);
      expect(await queue.delete(received.map(({ receiptHandle }) => receiptHandle))).toEqual([]);
      const pending = queue.receive({ ...NO_WAIT, waitSeconds: 2 });
      await subject.elapse(2_000);
      expect(await pending).toEqual([]);
    });

    it('R-5.5 a draining worker gives its messages back at once, in order', async () => {
      await queue.send([message('g', 'g1'), message('g', 'g2'), message('h', 'h1')]);
      const received = await queue.receive(NO_WAIT);
      const handles = received.map(({ receiptHandle }) => receiptHandle);
      await queue.changeVisibility(handles, 0);
      const again = await drain(queue);
      expect(bodies(again.filter(({ messageGroupId }) => messageGroupId === 'g'))).toEqual(['g1', 'g2']);
      expect(bodies(again.filter(({ messageGroupId }) => messageGroupId === 'h'))).toEqual(['h1']);
      await queue.changeVisibility(handles, 0);
    });

    it('R-5.4 a message that can never be handled goes to the dead letters with the reason, once', async () => {
      await queue.send([message('g', '{"bad":'), message('g', 'good')]);
      const poison = await receiveOne();
      const dead = {
        body: poison.body,
        messageGroupId: poison.messageGroupId,
        messageId: poison.messageId,
        reason: 'NotJson',
      };
      await queue.sendDead(dead);
      await queue.sendDead(dead);
      await queue.delete([poison.receiptHandle]);
      expect(await subject.deadLetters()).toEqual([
        expect.objectContaining({ body: '{"bad":', messageGroupId: 'g', reason: 'NotJson' }),
      ]);
      expect((await receiveOne()).body).toBe('good');
    });

    it('R-5.4 a message that is never deleted becomes a dead letter at last, and its message group continues', async () => {
      await queue.send([message('g', 'poison'), message('g', 'good')]);
      for (let count = 1; count <= MAX_RECEIVE_COUNT; count += 1) {
        const received = await receiveOne();
        expect(received).toMatchObject({ body: 'poison', receiveCount: count });
        await queue.changeVisibility([received.receiptHandle], 0);
      }
      expect((await receiveOne()).body).toBe('good');
      expect(await subject.deadLetters()).toEqual([expect.objectContaining({ body: 'poison', messageGroupId: 'g' })]);
    });

    it('R-5.3 a receive waits for a message that comes later', async () => {
      const pending = queue.receive({ ...NO_WAIT, waitSeconds: 20 });
      await queue.send([message('g', 'late')]);
      expect(bodies(await pending)).toEqual(['late']);
    });

    it('R-5.3 a receive waits for a group to become free', async () => {
      await queue.send([message('g', 'g1'), message('g', 'g2')]);
      const first = await receiveOne();
      const pending = queue.receive({ ...NO_WAIT, waitSeconds: 20 });
      await queue.delete([first.receiptHandle]);
      expect(bodies(await pending)).toEqual(['g2']);
    });

    it('R-5.3 a receive without messages ends empty after its wait', async () => {
      const pending = queue.receive({ ...NO_WAIT, waitSeconds: 1 });
      await subject.elapse(1_000);
      expect(await pending).toEqual([]);
    });

    it('R-5.5 a receive that is aborted rejects with the reason of its signal', async () => {
      const abort = new AbortController();
      const pending = queue.receive({ ...NO_WAIT, waitSeconds: 20 }, abort.signal);
      const reason = new Error('the worker stops');
      abort.abort(reason);
      await expect(pending).rejects.toBe(reason);
      await expect(queue.receive(NO_WAIT, abort.signal)).rejects.toBe(reason);
      await expect(queue.send([message('g', 'x')], abort.signal)).rejects.toBe(reason);
      await expect(queue.delete(['x'], abort.signal)).rejects.toBe(reason);
    });

    it('R-5.3 sending nothing sends nothing', async () => {
      expect(await queue.send([])).toEqual([]);
    });
  });
}
