import { describe, expect, it } from 'vitest';
import { MemoryFifoQueue } from '../../../lib/adapters/memory/memory-fifo-queue.ts';
import { MemoryStateStore } from '../../../lib/adapters/memory/memory-state-store.ts';
import { EvenkeelError, InfrastructureError, ItemError } from '../../../lib/core/errors.ts';
import type { QueueMessage, SkinnyEvent } from '../../../lib/core/event.ts';
import { DEFAULT_LEASE_TIMINGS } from '../../../lib/core/lease.ts';
import { BatchRunner, FAILURE_BOUND } from '../../../lib/engine/batch/batch-runner.ts';
import { DEFAULT_PASS_OPTIONS } from '../../../lib/engine/pass/pass-runner.ts';
import { MAX_RECEIVE_COUNT, type ReceivedMessage } from '../../../lib/ports/queue.ts';
import type { MessageFailures } from '../../../lib/ports/state-store.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { RecordedMetrics, SilentLogger } from '../../../lib/testing/recorders.ts';

const EVENT: SkinnyEvent = {
  v: 1,
  cluster: 'test',
  incarnation: 1,
  kind: 'widgets.test.evenkeel.dev',
  namespace: 'default',
  name: 'one',
  uid: 'u-1',
  cause: 'requested',
  at: 0,
};

interface Deployment {
  readonly clock: ManualClock;
  readonly queue: MemoryFifoQueue;
  readonly logger: SilentLogger;
  readonly metrics: RecordedMetrics;
  send(messageGroupId: string, name: string): Promise<void>;
  receive(): Promise<ReceivedMessage[]>;
  /** A worker that nothing of the last one is left of. */
  worker(handle: (event: QueueMessage) => Promise<unknown>, failures?: MessageFailures): BatchRunner;
}

function deployment(): Deployment {
  const clock = new ManualClock();
  const queue = new MemoryFifoQueue({ clock, maxReceiveCount: MAX_RECEIVE_COUNT });
  const table = new MemoryStateStore({ clock });
  const metrics = new RecordedMetrics();
  const logger = new SilentLogger();
  let sent = 0;
  return {
    clock,
    queue,
    logger,
    metrics,
    async send(messageGroupId, name) {
      sent += 1;
      await queue.send([{ body: JSON.stringify({ ...EVENT, name }), messageGroupId, deduplicationId: `d-${sent}` }]);
    },
    receive: () => queue.receive({ maxMessages: 10, waitSeconds: 0, visibilitySeconds: 60 }),
    worker: (handle, failures = table) =>
      new BatchRunner({
        group: 'widgets',
        handle,
        refusal: () => undefined,
        queue,
        failures,
        timings: DEFAULT_LEASE_TIMINGS,
        clock,
        logger,
        metrics,
      }),
  };
}

/** More than the first release gave a message, and than a queue gives it by its own count in an hour. */
const RECEIVES = 60;

describe('BatchRunner: a message dies only for a reason of its own', () => {
  it.each<[string, (deployed: Deployment, messages: readonly ReceivedMessage[]) => Promise<unknown>]>([
    ['by invocations that were throttled', async () => undefined],
    [
      'while the table does not answer',
      ({ worker }, messages) =>
        worker(async () => {
          throw new InfrastructureError('the table did not answer');
        }).run(messages),
    ],
    [
      'by workers that drain',
      ({ worker }, messages) => worker(async () => undefined).run(messages, undefined, AbortSignal.abort()),
    ],
    ['by functions that have no time left', ({ worker }, messages) => worker(async () => undefined).run(messages, 0)],
  ])('R-5.20 a message is handled in the end when it was received sixty times %s', async (_, receive) => {
    const deployed = deployment();
    await deployed.send('g', 'one');
    for (let count = 0; count < RECEIVES; count += 1) {
      await receive(deployed, await deployed.receive());
      await deployed.clock.advance(60_000);
    }
    const handled: string[] = [];
    await deployed.worker(async ({ name }) => handled.push(name)).run(await deployed.receive());
    expect(handled).toEqual(['one']);
    expect(deployed.queue.deadLetters()).toEqual([]);
  });

  it('R-5.20 a message behind one that fails is handled, for any number of receives', async () => {
    const deployed = deployment();
    for (const name of ['bad', 'worse', 'good']) await deployed.send('g', name);
    const handled: string[] = [];
    for (let count = 0; count < 2 * FAILURE_BOUND; count += 1) {
      const worker = deployed.worker(async ({ name }) => {
        if (name !== 'good') throw new TypeError('cannot be handled');
        handled.push(name);
      });
      await worker.run(await deployed.receive());
      await deployed.clock.advance(60_000);
    }
    expect(deployed.queue.deadLetters().map(({ body }) => JSON.parse(body).name)).toEqual(['bad', 'worse']);
    expect(handled).toEqual(['good']);
  });

  it.each([
    ['an error of ours', new TypeError('hunter2 is not a function'), 'TypeError'],
    ['an item that cannot be read', new ItemError('the item of target a/b/c cannot be read'), 'a/b/c'],
    ['an error that names what is wrong', new EvenkeelError('ODD_EVENT', 'the event is odd'), 'the event is odd'],
  ])(
    'R-5.20 a message that fails by %s becomes a dead letter with its reason after five failures in five processes',
    async (_, error, told) => {
      const { send, receive, worker, clock, queue, metrics } = deployment();
      await send('g', 'one');
      for (let count = 1; count <= FAILURE_BOUND; count += 1) {
        expect(queue.deadLetters()).toEqual([]);
        const run = worker(async () => {
          throw error;
        }).run(await receive());
        expect((await run).failedMessageIds).toHaveLength(count < FAILURE_BOUND ? 1 : 0);
        await clock.advance(60_000);
      }
      expect(await receive()).toEqual([]);
      const [letter] = queue.deadLetters();
      expect(letter?.reason).toMatch(/^Failed: 5 times/);
      expect(letter?.reason).toContain(told);
      expect(letter?.reason).not.toContain('hunter2');
      expect(metrics.total('DeadLetter', { Reason: 'Failed' })).toBe(1);
    },
  );

  it('R-5.20 an outage between two failures of a message does not count', async () => {
    const { send, receive, worker, clock, queue } = deployment();
    await send('g', 'one');
    for (let count = 1; count < FAILURE_BOUND; count += 1) {
      for (const error of [
        new TypeError('ours'),
        new InfrastructureError('no answer'),
        new InfrastructureError('no answer'),
      ]) {
        await worker(async () => {
          throw error;
        }).run(await receive());
        await clock.advance(60_000);
      }
    }
    expect(queue.deadLetters()).toEqual([]);
    expect(await receive()).toHaveLength(1);
  });

  it('R-5.20 a message stays on the queue when its failure cannot be counted', async () => {
    const { send, receive, worker, clock, queue } = deployment();
    await send('g', 'one');
    const down: MessageFailures = {
      async countFailure() {
        throw new InfrastructureError('the table did not answer');
      },
    };
    for (let count = 0; count < 2 * FAILURE_BOUND; count += 1) {
      await worker(async () => {
        throw new TypeError('ours');
      }, down).run(await receive());
      await clock.advance(60_000);
    }
    expect(queue.deadLetters()).toEqual([]);
    expect(await receive()).toHaveLength(1);
  });

  it('R-5.11 a message that is handled costs no write of a failure count', async () => {
    const { send, receive, worker } = deployment();
    await send('g', 'one');
    const counted: string[] = [];
    await worker(async () => undefined, { countFailure: async (message) => counted.push(message) }).run(
      await receive(),
    );
    expect(counted).toEqual([]);
  });

  it('R-5.20 the limits have the right order: crashes of a pass, failures of a message, receives of the queue', () => {
    expect(FAILURE_BOUND).toBeGreaterThan(DEFAULT_PASS_OPTIONS.crashBound);
    expect(MAX_RECEIVE_COUNT).toBeGreaterThanOrEqual(100 * FAILURE_BOUND);
    expect(MAX_RECEIVE_COUNT * DEFAULT_LEASE_TIMINGS.visibilityMs).toBeGreaterThan(5 * 60_000);
  });
});
