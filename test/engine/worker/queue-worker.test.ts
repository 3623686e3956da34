import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemoryFifoQueue } from '../../../lib/adapters/memory/memory-fifo-queue.ts';
import { DEFAULT_LEASE_TIMINGS } from '../../../lib/core/lease.ts';
import { QueueWorker } from '../../../lib/engine/worker/queue-worker.ts';
import type { QueueReceiver, ReceivedMessage } from '../../../lib/ports/queue.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { SilentLogger } from '../../../lib/testing/recorders.ts';

const CONCURRENCY = 8;

let clock: ManualClock;
let queue: MemoryFifoQueue;
let asked: number[];
let handled: { body: string; atMs: number }[];
let stop: AbortController;
let running: Promise<void>;

beforeEach(() => {
  clock = new ManualClock();
  queue = new MemoryFifoQueue({ clock });
  asked = [];
  handled = [];
  stop = new AbortController();
});

afterEach(async () => {
  stop.abort();
  await clock.advance(60_000);
  await running;
});

async function send(bodies: readonly string[]): Promise<void> {
  await queue.send(bodies.map((body) => ({ body, messageGroupId: body, deduplicationId: body })));
}

/** @param msOf how long a message takes. */
async function start(msOf: (body: string) => number): Promise<number> {
  const startedAtMs = clock.now();
  const receiver: QueueReceiver = {
    receive: (options, signal) => {
      asked.push(options.maxMessages);
      return queue.receive(options, signal);
    },
  };
  const handle = async ([message]: readonly ReceivedMessage[]) => {
    const { body = '', receiptHandle = '' } = message ?? {};
    await clock.sleep(msOf(body));
    await queue.delete([receiptHandle]);
    handled.push({ body, atMs: clock.now() - startedAtMs });
  };
  const options = { concurrency: CONCURRENCY, timings: DEFAULT_LEASE_TIMINGS, waitSeconds: 20 };
  running = new QueueWorker(receiver, handle, clock, new SilentLogger(), options).run(stop.signal);
  await clock.advance(0);
  return startedAtMs;
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => String(index));

describe('a worker with more messages than places', () => {
  it('R-5.11 a worker sends one receive for several messages, although passes end one by one', async () => {
    await send(numbered(80));
    // The first eight end a millisecond apart, so all following ones do, too.
    await start((body) => 20 + (Number(body) % CONCURRENCY));
    await clock.advance(2_000);
    expect(handled).toHaveLength(80);
    // The last request finds the queue empty.
    expect(asked.length).toBeLessThanOrEqual(80 / (CONCURRENCY / 2) + 1);
  });

  it('R-1.6 a worker leaves no place empty for longer than a moment while others are slow', async () => {
    await send(numbered(20));
    await start((body) => (Number(body) < CONCURRENCY - 1 ? 15_000 : 5));
    await clock.advance(1_000);
    expect(handled.map(({ body }) => body)).toEqual(numbered(20).slice(CONCURRENCY - 1));
    expect(handled.at(-1)?.atMs).toBeLessThan(13 * 16);
  });

  it('R-1.26 an idle worker starts a message at once', async () => {
    await start(() => 0);
    await send(['only']);
    await clock.advance(0);
    expect(handled).toEqual([{ body: 'only', atMs: 0 }]);
  });
});
