import { describe, expect, it } from 'vitest';
import { MemoryFifoQueue } from '../../../lib/adapters/memory/memory-fifo-queue.ts';
import { MemoryStateStore } from '../../../lib/adapters/memory/memory-state-store.ts';
import { ItemError } from '../../../lib/core/errors.ts';
import type { QueueMessage } from '../../../lib/core/event.ts';
import { DEFAULT_LEASE_TIMINGS } from '../../../lib/core/lease.ts';
import { BatchRunner } from '../../../lib/engine/batch/batch-runner.ts';
import { EventSender } from '../../../lib/engine/event-sender.ts';
import { recordWideChanges } from '../../../lib/engine/fanout/wide-change.ts';
import { Registry } from '../../../lib/engine/registry.ts';
import { MAX_RECEIVE_COUNT } from '../../../lib/ports/queue.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { RecordedMetrics, SilentLogger } from '../../../lib/testing/recorders.ts';
import { SeededEntropy } from '../../../lib/testing/seeded-entropy.ts';
import { SECRET, seen } from '../fanout/fanout-fixture.ts';
import { widgets } from '../relay/relay-fixture.ts';

const TYPE_ERROR = async () => {
  throw new TypeError('cannot be handled');
};
const ITEM_ERROR = async () => {
  throw new ItemError('the marker cannot be read');
};

/** A worker that cannot handle a round, and the relay's part in it. */
function deployment(handle: (event: QueueMessage) => Promise<unknown>, refused?: string) {
  const clock = new ManualClock();
  const queue = new MemoryFifoQueue({ clock, maxReceiveCount: MAX_RECEIVE_COUNT });
  const store = new MemoryStateStore({ clock });
  const parts = { store, logger: new SilentLogger(), metrics: new RecordedMetrics() };
  const queues = { widgets: { events: queue, resync: queue } };
  const sender = new EventSender(new Registry([widgets()]), queues, new SeededEntropy(1));
  const worker = new BatchRunner({
    group: 'widgets',
    handle,
    refusal: () => refused,
    queue,
    failures: store,
    timings: DEFAULT_LEASE_TIMINGS,
    clock,
    logger: parts.logger,
    metrics: parts.metrics,
  });
  return {
    clock,
    queue,
    change: async (version: number) =>
      await sender.sendAll(
        'events',
        await recordWideChanges(parts, [{ key: SECRET, observation: seen(version) }], clock.now(), false),
      ),
    /**
     * Each minute the queue delivers the message again, until the message is a dead letter. @returns how long that
     * took.
     */
    untilDead: async () => {
      for (let minutes = 0; minutes < 60; minutes += 1) {
        await worker.run(await queue.receive({ maxMessages: 10, waitSeconds: 0, visibilitySeconds: 60 }));
        if (queue.deadLetters().length > 0) return minutes * 60_000;
        await clock.advance(60_000);
      }
      return expect.fail('the message did not die');
    },
  };
}

describe('the message of a round that can never be handled', () => {
  it.each([
    ['fails by an error of ours, and the change comes 30 s later', TYPE_ERROR, undefined, 30_000],
    ['fails by an item that cannot be read, and the change comes at once', ITEM_ERROR, undefined, 0],
    ['is refused, and the change comes 5 s later', async () => undefined, 'cluster test is not known here', 5_000],
  ])('R-5.17 R-5.20 a dead round does not stop the next change when it %s', async (_, handle, refused, laterMs) => {
    const { queue, clock, change, untilDead } = deployment(handle, refused);
    await change(1);
    await untilDead();
    expect(queue.messages()).toEqual([]);
    await clock.advance(laterMs);
    await change(2);
    expect(queue.messages()).toHaveLength(1);
  });

  it('R-5.20 a round becomes a dead letter within seven minutes when it fails each time', async () => {
    const { change, untilDead } = deployment(TYPE_ERROR);
    await change(1);
    expect(await untilDead()).toBeLessThanOrEqual(420_000);
  });
});
