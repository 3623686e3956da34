import { describe, expect, it } from 'vitest';
import { MemoryFifoQueue } from '../../../lib/adapters/memory/memory-fifo-queue.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';

const NO_WAIT = { maxMessages: 10, waitSeconds: 0, visibilitySeconds: 60 };

function setUp() {
  const clock = new ManualClock();
  return { clock, queue: new MemoryFifoQueue({ clock }) };
}

function message(messageGroupId: string, body: string, deduplicationId = `${messageGroupId}:${body}`) {
  return { messageGroupId, body, deduplicationId };
}

function bodies(messages: readonly { body: string }[]): string[] {
  return messages.map(({ body }) => body);
}

describe('a FIFO queue in memory, where it does what SQS does and an emulator does not', () => {
  it('R-5.3 one receive returns several messages of a message group, in order, before those of others', async () => {
    const { queue } = setUp();
    await queue.send([message('g', '1'), message('h', '1'), message('g', '2'), message('g', '3'), message('h', '2')]);
    expect(bodies(await queue.receive({ ...NO_WAIT, maxMessages: 4 }))).toEqual(['1', '2', '3', '1']);
    expect(await queue.receive(NO_WAIT)).toEqual([]);
  });

  it('R-5.3 a message group that was received comes after those that waited', async () => {
    const { queue } = setUp();
    await queue.send([message('g', 'g1'), message('g', 'g2'), message('h', 'h1')]);
    const [first] = await queue.receive({ ...NO_WAIT, maxMessages: 1 });
    await queue.delete([first?.receiptHandle ?? '']);
    expect(bodies(await queue.receive({ ...NO_WAIT, maxMessages: 1 }))).toEqual(['h1']);
  });

  it('R-5.2 a deduplication id counts for five minutes from its send, and no longer', async () => {
    const { clock, queue } = setUp();
    await queue.send([message('g', 'first', 'id')]);
    await clock.advance(299_999);
    await queue.send([message('g', 'swallowed', 'id')]);
    expect(bodies(queue.messages())).toEqual(['first']);
    await clock.advance(1);
    await queue.send([message('g', 'second', 'id')]);
    expect(bodies(queue.messages())).toEqual(['first', 'second']);
  });

  it('R-5.5 a handle is refused when its visibility has ended, or when it is of an earlier receive', async () => {
    const { clock, queue } = setUp();
    await queue.send([message('g', '1')]);
    const [first] = await queue.receive({ ...NO_WAIT, visibilitySeconds: 10 });
    const handle = first?.receiptHandle ?? '';
    await clock.advance(10_000);
    expect(await queue.delete([handle])).toEqual([handle]);
    await queue.receive(NO_WAIT);
    expect(await queue.delete([handle])).toEqual([handle]);
    expect(queue.messages()).toHaveLength(1);
  });

  it('R-5.5 a message that became visible again waits while another one of its message group is in flight', async () => {
    const { queue } = setUp();
    await queue.send([message('g', '1'), message('g', '2')]);
    const [first, second] = await queue.receive(NO_WAIT);
    await queue.changeVisibility([first?.receiptHandle ?? ''], 0);
    expect(await queue.receive(NO_WAIT)).toEqual([]);
    await queue.delete([second?.receiptHandle ?? '']);
    expect(bodies(await queue.receive(NO_WAIT))).toEqual(['1']);
  });

  it('R-5.5 a message received after a wait counts its time from before the wait', async () => {
    const { clock, queue } = setUp();
    const startMs = clock.monotonic();
    const sentAtMs = clock.now() + 15_000;
    const pending = queue.receive({ ...NO_WAIT, waitSeconds: 20 });
    await clock.advance(15_000);
    await queue.send([message('g', '1')]);
    expect(await pending).toMatchObject([{ receivedAtMs: startMs, sentAtMs }]);
    expect(queue.nextVisibleAtMs()).toBe(startMs + 75_000);
  });

  it('R-5.5 a receive that ended leaves no waiting caller', async () => {
    const { clock, queue } = setUp();
    const pending = queue.receive({ ...NO_WAIT, waitSeconds: 5 });
    await clock.advance(5_000);
    expect(await pending).toEqual([]);
    const abort = new AbortController();
    const aborted = queue.receive({ ...NO_WAIT, waitSeconds: 5 }, abort.signal);
    abort.abort(new Error('stop'));
    await expect(aborted).rejects.toThrow('stop');
    expect(clock.sleeping).toBe(0);
  });

  it('R-5.11 the queue counts the requests that SQS would get', async () => {
    const requests: string[] = [];
    const queue = new MemoryFifoQueue({
      clock: new ManualClock(),
      onRequest: (_service, operation) => requests.push(operation),
    });
    await queue.send(Array.from({ length: 11 }, (_, index) => message(`g-${index}`, '1')));
    await queue.send([message('g', 'a'), message('g', 'b')]);
    expect(requests).toEqual(Array(4).fill('SendMessageBatch'));
    const received = await queue.receive(NO_WAIT);
    await queue.delete(received.map(({ receiptHandle }) => receiptHandle));
    expect(requests.slice(4)).toEqual(['ReceiveMessage', 'DeleteMessageBatch']);
  });
});
