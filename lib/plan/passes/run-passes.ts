import type { Lane } from '../../engine/event-sender.ts';
import type { ManualClock } from '../../testing/manual-clock.ts';
import type { PlanEngine } from './plan-engine.ts';

/** Timers that are due within this time are a part of the plan. Later ones would be due with any version. */
export const HORIZON_MS = 600_000;
const SWEEP_MS = 60_000;
/** The delay of a wake is a number of whole seconds. */
const STEP_MS = 1_000;
const RECEIVE = { maxMessages: 10, waitSeconds: 0, visibilitySeconds: 60 };

/**
 * Runs passes in virtual time until resync finds no difference and no timer is due within the horizon.
 * @param passes returns how many passes have run.
 * @returns the kinds that could not be listed.
 */
export async function runPasses(
  plan: PlanEngine,
  clock: ManualClock,
  passes: () => number,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const untilMs = clock.now() + HORIZON_MS;
  let sweptAtMs = clock.now();
  for (let tick = 1; ; tick += 1) {
    signal.throwIfAborted();
    const report = await plan.resync.compare(tick, signal);
    const before = passes();
    await drain(plan);
    if (report.type === 'compared' && report.found > 0 && passes() > before) continue;
    const dueAtMs = nextDueMs(plan);
    if (dueAtMs === undefined || dueAtMs > untilMs || clock.now() >= untilMs) {
      return report.type === 'compared' ? report.incomplete : [];
    }
    await clock.advance(Math.max(STEP_MS, dueAtMs - clock.now()));
    if (clock.now() - sweptAtMs >= SWEEP_MS) {
      sweptAtMs = clock.now();
      await plan.timers.sweep.run();
    }
    await drain(plan);
  }
}

/** Delivers visible messages until there are none. */
export async function drain(plan: PlanEngine): Promise<void> {
  for (;;) {
    const lanes = Object.entries(plan.queues).flatMap(([group, queues]) =>
      Object.entries(queues).map(([lane, queue]) => ({ batch: plan.worker.batchRunner(group, lane as Lane), queue })),
    );
    const counts = await Promise.all([
      deliverWakes(plan),
      ...lanes.map(async ({ batch, queue }) => {
        const messages = await queue.receive(RECEIVE);
        await batch.run(messages);
        return messages.length;
      }),
    ]);
    if (counts.every((count) => count === 0)) return;
  }
}

async function deliverWakes({ wakes, timers }: PlanEngine): Promise<number> {
  const messages = await wakes.receive(RECEIVE);
  const failed = await timers.handleWakes(messages);
  const done = messages.filter(({ messageId }) => !failed.has(messageId));
  await wakes.delete(done.map(({ receiptHandle }) => receiptHandle));
  return messages.length;
}

function nextDueMs({ store }: PlanEngine): number | undefined {
  const due = store.contents().targets.flatMap(({ dueAtMs }) => dueAtMs ?? []);
  return due.length === 0 ? undefined : Math.min(...due);
}
