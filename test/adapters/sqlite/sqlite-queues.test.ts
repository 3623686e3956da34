import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { changeFile, openTestState, queryFile, type TestState, temporaryDirectory } from './test-state.ts';
import { NOW } from './workload.ts';

const NO_WAIT = { maxMessages: 10, waitSeconds: 0, visibilitySeconds: 60 };
const EVENTS = 'evenkeel-local-events';
const WAKES = 'evenkeel-local-wakes';

function message(messageGroupId: string, body: string, deduplicationId = `${messageGroupId}:${body}`) {
  return { messageGroupId, body, deduplicationId };
}

function bodies(messages: readonly { body: string }[]): string[] {
  return messages.map(({ body }) => body);
}

describe('the queues of a state file', () => {
  let directory: string;
  let clock: ManualClock;
  let test: TestState;
  beforeEach(async () => {
    directory = temporaryDirectory();
    clock = new ManualClock(NOW);
    test = await openTestState({ directory, clock });
  });
  afterEach(() => {
    test.state.close();
    rmSync(directory, { recursive: true, force: true });
  });

  /** Another process opens the file. */
  async function restart(options: Parameters<typeof openTestState>[0] = {}): Promise<void> {
    test.state.close();
    test = await openTestState({ directory, clock, ...options });
  }

  it('R-5.3 one receive returns several messages of a message group, in order, before those of others', async () => {
    const queue = await test.state.fifoQueue(EVENTS);
    await queue.send([message('g', '1'), message('h', '1'), message('g', '2'), message('g', '3'), message('h', '2')]);
    expect(bodies(await queue.receive({ ...NO_WAIT, maxMessages: 4 }))).toEqual(['1', '2', '3', '1']);
    expect(await queue.receive(NO_WAIT)).toEqual([]);
  });

  it('R-5.3 a message group that was received comes after those that waited', async () => {
    const queue = await test.state.fifoQueue(EVENTS);
    await queue.send([message('g', 'g1'), message('g', 'g2'), message('h', 'h1')]);
    const [first] = await queue.receive({ ...NO_WAIT, maxMessages: 1 });
    await queue.delete([first?.receiptHandle ?? '']);
    expect(bodies(await queue.receive({ ...NO_WAIT, maxMessages: 1 }))).toEqual(['h1']);
  });

  it.each([false, true])(
    'R-5.2 a deduplication id counts for five minutes from its send, and no longer; over a restart: %s',
    async (restarts) => {
      let queue = await test.state.fifoQueue(EVENTS);
      const again = async (body: string) => {
        if (restarts) await restart();
        queue = await test.state.fifoQueue(EVENTS);
        await queue.send([message('g', body, 'id')]);
        return bodies(queryFile(test.state.path, 'SELECT body FROM fifo_message ORDER BY id') as { body: string }[]);
      };
      await queue.send([message('g', 'first', 'id')]);
      await clock.advance(299_999);
      expect(await again('swallowed')).toEqual(['first']);
      await clock.advance(1);
      expect(await again('second')).toEqual(['first', 'second']);
    },
  );

  it('R-5.5 a handle is refused when its visibility has ended, or when it is of an earlier receive', async () => {
    const queue = await test.state.fifoQueue(EVENTS);
    await queue.send([message('g', '1')]);
    const [first] = await queue.receive({ ...NO_WAIT, visibilitySeconds: 10 });
    const handle = first?.receiptHandle ?? '';
    await clock.advance(10_000);
    expect(await queue.delete([handle])).toEqual([handle]);
    await queue.receive(NO_WAIT);
    expect(await queue.delete([handle])).toEqual([handle]);
  });

  it('R-5.5 a message that became visible again waits while another one of its message group is in flight', async () => {
    const queue = await test.state.fifoQueue(EVENTS);
    await queue.send([message('g', '1'), message('g', '2'), message('g', '3')]);
    const [, second] = await queue.receive({ ...NO_WAIT, maxMessages: 2 });
    await queue.changeVisibility([second?.receiptHandle ?? ''], 0);
    expect(await queue.receive(NO_WAIT)).toEqual([]);
    await clock.advance(60_000);
    expect(bodies(await queue.receive(NO_WAIT))).toEqual(['1', '2', '3']);
  });

  it('R-5.5 the messages of a process that is gone come back, in order, when their visibility ends', async () => {
    const queue = await test.state.fifoQueue(EVENTS);
    await queue.send([message('g', '1'), message('g', '2')]);
    await queue.receive(NO_WAIT);
    await restart();
    const after = await test.state.fifoQueue(EVENTS);
    expect(await after.receive(NO_WAIT)).toEqual([]);
    const pending = after.receive({ ...NO_WAIT, waitSeconds: 20 });
    await clock.advance(20_000);
    expect(await pending).toEqual([]);
    await clock.advance(40_000);
    expect(bodies(await after.receive(NO_WAIT))).toEqual(['1', '2']);
  });

  it('R-5.4 a receive returns the messages behind those that became dead letters', async () => {
    await restart({ maxReceiveCount: 1 });
    const queue = await test.state.fifoQueue(EVENTS);
    const poison = Array.from({ length: 25 }, (_, count) => message('g', `poison ${count}`));
    await queue.send(poison);
    for (let left = 25; left > 0; left -= 10) {
      const received = await queue.receive(NO_WAIT);
      await queue.changeVisibility(
        received.map(({ receiptHandle }) => receiptHandle),
        0,
      );
      if (left > 10) await queue.delete([]);
    }
    await queue.send([message('g', 'good'), message('h', 'other')]);
    const seen: string[] = [];
    for (let round = 0; round < 4; round += 1) {
      const received = await queue.receive(NO_WAIT);
      seen.push(...bodies(received));
      await queue.delete(received.map(({ receiptHandle }) => receiptHandle));
    }
    expect(seen).toContain('good');
    expect(seen).toContain('other');
    expect(await queue.waiting()).toBe(0);
  });

  it('R-5.4 one receive skips more dead letters than it may return, in one message group and in many', async () => {
    await restart({ maxReceiveCount: 1 });
    const queue = await test.state.fifoQueue(EVENTS);
    await queue.send(Array.from({ length: 25 }, (_, count) => message('g', `poison ${count}`)));
    await queue.send(Array.from({ length: 12 }, (_, count) => message(`h-${count}`, 'poison')));
    changeFile(test.state.path, 'UPDATE fifo_message SET receive_count = 1');
    await queue.send([message('i', 'other'), message('g', 'good')]);
    expect(bodies(await queue.receive(NO_WAIT))).toEqual(['good']);
    expect(bodies(await queue.receive(NO_WAIT))).toEqual(['other']);
    expect((await test.deadLetters()).length).toBe(37);
  });

  it.each([200, 201, 650])('R-5.2 %i messages of one send are sent in order', async (count) => {
    const queue = await test.state.fifoQueue(EVENTS);
    const sent = Array.from({ length: count }, (_, index) => message(`g-${index % 3}`, String(index)));
    const results = await queue.send(sent);
    expect(results).toEqual(sent.map(() => ({ accepted: true })));
    expect(
      bodies(queryFile(test.state.path, 'SELECT body FROM fifo_message ORDER BY id') as { body: string }[]),
    ).toEqual(bodies(sent));
  });

  it('R-5.18 a message is refused for its size as SQS would, and stops the later ones of its message group', async () => {
    const queue = await test.state.fifoQueue(EVENTS);
    const results = await queue.send([
      message('g', '1'),
      message('g', 'x'.repeat(262_145)),
      message('h', '1'),
      message('g', '2'),
    ]);
    expect(results.map(({ accepted }) => accepted)).toEqual([true, false, true, false]);
    expect(await queue.waiting()).toBe(2);
  });

  it.each([0, 1, 2, 3, 5, 8])(
    'R-5.3 a receive returns a message that is sent while it looks, %i turns of the microtask queue after its call',
    async (turns) => {
      const queue = await test.state.fifoQueue(EVENTS);
      await queue.waiting();
      const pending = queue.receive({ ...NO_WAIT, waitSeconds: 20 });
      for (let turn = 0; turn < turns; turn += 1) await undefined;
      await queue.send([message('g', 'late')]);
      expect(bodies(await pending)).toEqual(['late']);
    },
  );

  describe.each([
    ['ten minutes', 600_000],
    ['a day', 86_400_000],
    ['two minutes', 120_000],
  ])('when the clock was set back by %s', (_how, ms) => {
    it.each([false, true])(
      'R-1.29 messages in flight come back at the end of their visibility at the latest; over a restart: %s',
      async (restarts) => {
        const queue = await test.state.fifoQueue(EVENTS);
        await queue.send([message('g', '1'), message('g', '2')]);
        await queue.receive(NO_WAIT);
        clock.step(-ms);
        if (restarts) await restart();
        await clock.advance(60_000);
        const after = await test.state.fifoQueue(EVENTS);
        expect(bodies(await after.receive(NO_WAIT))).toEqual(['1', '2']);
      },
    );

    it.each([false, true])(
      'R-1.29 a delayed message arrives after its delay at the latest; over a restart: %s',
      async (restarts) => {
        const queue = await test.state.delayQueue(WAKES);
        await queue.receive(NO_WAIT);
        await queue.sendDelayed({ body: 'wake', delaySeconds: 30 });
        clock.step(-ms);
        if (restarts) await restart();
        await clock.advance(30_000);
        const after = await test.state.delayQueue(WAKES);
        expect(bodies(await after.receive(NO_WAIT))).toEqual(['wake']);
      },
    );

    it('R-1.29 an observation is deduplicated for at most five minutes', async () => {
      const queue = await test.state.fifoQueue(EVENTS);
      await queue.send([message('g', '1', 'id')]);
      clock.step(-ms);
      await queue.send([message('h', '1')]);
      await clock.advance(300_000);
      await queue.send([message('g', '2', 'id')]);
      expect(await queue.waiting()).toBe(3);
    });

    it('R-1.29 a waiting receive gets a message that is sent then', async () => {
      const queue = await test.state.fifoQueue(EVENTS);
      const pending = queue.receive({ ...NO_WAIT, waitSeconds: 20 });
      clock.step(-ms);
      await queue.send([message('g', 'late')]);
      await clock.advance(1_000);
      expect(bodies(await pending)).toEqual(['late']);
    });
  });

  it('R-1.29 messages in flight stay so when the clock was set back by a tolerated difference', async () => {
    const queue = await test.state.fifoQueue(EVENTS);
    await queue.send([message('g', '1')]);
    await queue.receive(NO_WAIT);
    clock.step(-4_000);
    expect(await queue.receive(NO_WAIT)).toEqual([]);
  });

  it.each([4_001, 10_000, 59_000])(
    'R-1.29 messages in flight are late by at most the step when the clock was set back by %i ms',
    async (ms) => {
      const queue = await test.state.fifoQueue(EVENTS);
      await queue.send([message('g', '1')]);
      await queue.receive(NO_WAIT);
      clock.step(-ms);
      await clock.advance(60_000 + ms);
      expect(bodies(await queue.receive(NO_WAIT))).toEqual(['1']);
    },
  );

  it('R-1.29 a waiting receive returns messages that become visible because the clock was set forward', async () => {
    const queue = await test.state.delayQueue(WAKES);
    await queue.sendDelayed({ body: 'wake', delaySeconds: 600 });
    const pending = queue.receive({ ...NO_WAIT, waitSeconds: 20 });
    await clock.advance(1);
    clock.step(600_000);
    await clock.advance(20_000);
    expect(bodies(await pending)).toEqual(['wake']);
  });

  describe('dead letters', () => {
    it('R-5.4 dead-letter queues of a stage are listed with their counts, and shown without receiving them', async () => {
      const queue = await test.state.fifoQueue('evenkeel-prod-events');
      await test.state.fifoQueue('evenkeel-prod-eu-events');
      await test.state.delayQueue('evenkeel-prod-wakes');
      await test.state.fifoQueue('evenkeel-production-events');
      await queue.sendDead({ body: '{', messageGroupId: 'g', reason: 'NotJson', messageId: 'm-1' });
      const { deadLetters } = test.state;
      const queues = await deadLetters.queues('prod');
      expect(queues.map(({ name, count }) => [name, count])).toEqual([
        ['evenkeel-prod-eu-events-dead', 0],
        ['evenkeel-prod-events-dead', 1],
        ['evenkeel-prod-wakes-dead', 0],
      ]);
      const [, events] = queues;
      const shown = [{ messageId: 'm-1', body: '{', reason: 'NotJson', sentAtMs: NOW }];
      if (events === undefined) throw new Error('the queue is not listed');
      expect(await deadLetters.peek(events)).toEqual(shown);
      expect(await deadLetters.peek(events)).toEqual(shown);
    });

    it('R-5.4 dead letters go back to their queue in order, once, and are reported one by one', async () => {
      const queue = await test.state.fifoQueue(EVENTS);
      for (const body of ['1', '2', '3']) {
        await queue.sendDead({ body, messageGroupId: 'g', reason: 'NotJson', messageId: `m-${body}` });
      }
      const { deadLetters } = test.state;
      const [dead] = await deadLetters.queues('local');
      if (dead === undefined) throw new Error('the queue is not listed');
      const reported: string[] = [];
      await deadLetters.redrive(dead, ({ body }) => reported.push(body));
      expect(reported).toEqual(['1', '2', '3']);
      expect(bodies(await queue.receive(NO_WAIT))).toEqual(['1', '2', '3']);
      expect(await deadLetters.peek(dead)).toEqual([]);
    });

    it('R-5.4 a delayed message that became a dead letter goes back without a delay', async () => {
      await restart({ maxReceiveCount: 1 });
      const queue = await test.state.delayQueue(WAKES);
      await queue.sendDelayed({ body: 'wake', delaySeconds: 0 });
      await queue.receive({ ...NO_WAIT, visibilitySeconds: 0 });
      expect(await queue.receive(NO_WAIT)).toEqual([]);
      const [dead] = await test.state.deadLetters.queues('local');
      if (dead === undefined) throw new Error('the queue is not listed');
      await test.state.deadLetters.redrive(dead, () => {});
      expect(bodies(await queue.receive(NO_WAIT))).toEqual(['wake']);
    });
  });

  it('R-5.11 expired rows are removed: forgotten targets, markers, failures and deduplication ids', async () => {
    const { store } = test.state;
    const queue = await test.state.fifoQueue(EVENTS);
    await store.countFailure('m-1', clock.now());
    await queue.send([message('g', '1')]);
    const count = (table: string) => queryFile(test.state.path, `SELECT count(*) AS rows FROM ${table}`)[0]?.rows;
    await clock.advance(299_000);
    await store.setPaused('local', true);
    expect([count('item'), count('deduplication')]).toEqual([2, 1]);
    await clock.advance(61_000);
    await store.setPaused('local', true);
    expect([count('item'), count('deduplication')]).toEqual([2, 0]);
    await clock.advance(14 * 86_400_000);
    await store.setPaused('local', true);
    expect([count('item'), count('deduplication')]).toEqual([1, 0]);
  });
});
