import type { LeaseTimings } from '../../core/lease.ts';
import type { ReceivedMessage } from '../../ports/queue.ts';
import type { Registry } from '../registry.ts';
import { DEFAULT_SWEEP_OPTIONS, Sweep } from '../sweep/sweep.ts';
import { WakeHandler } from '../wake/wake-handler.ts';
import { QueueWorker } from '../worker/queue-worker.ts';
import type { Engine } from './engine.ts';
import { repeatedly } from './repeatedly.ts';

export type TimerPorts = Pick<Engine, 'store' | 'sender' | 'wakes' | 'clock' | 'logger' | 'metrics'>;

export interface TimerOptions {
  readonly timings: LeaseTimings;
  /** How often the sweep runs; 60,000 by default. */
  readonly sweepMs?: number;
  /** How many wakes are in work at once; only for `runWakes`. */
  readonly wakesAtOnce?: number;
  /** Whether the deployment still has a cluster; all by default. */
  readonly hasCluster?: (cluster: string) => boolean;
}

export interface Timers {
  /** Keep it as long as the process lives: it remembers values that it need not read again. */
  readonly sweep: Sweep;
  readonly wakes: WakeHandler;
  /**
   * Handles delayed wakes in parallel.
   * @returns the ids of those that must be delivered again; the reason is logged.
   */
  handleWakes(messages: readonly Pick<ReceivedMessage, 'body' | 'messageId'>[]): Promise<ReadonlySet<string>>;
  /** Receives and handles delayed wakes until the signal aborts and the running ones are finished. */
  runWakes(signal: AbortSignal): Promise<void>;
  /** Runs the sweep at each interval until the signal aborts. */
  runSweep(signal: AbortSignal): Promise<void>;
}

/** The longest wait of a receive in SQS. */
const WAIT_SECONDS = 20;
/** A wake costs only two requests, so many can run in parallel. */
const WAKES_AT_ONCE = 50;

/** Brings stored timers to their passes: delayed wakes for near ones, the sweep for the others. */
export function createTimers(ports: TimerPorts, registry: Registry, options: TimerOptions): Timers {
  const { wakes: queue, clock, logger } = ports;
  const { timings, sweepMs = DEFAULT_SWEEP_OPTIONS.intervalMs, wakesAtOnce = WAKES_AT_ONCE, hasCluster } = options;
  const parts = { ...ports, registry, timings, ...(hasCluster !== undefined && { hasCluster }) };
  const sweep = new Sweep(parts, { ...DEFAULT_SWEEP_OPTIONS, intervalMs: sweepMs });
  const wakes = new WakeHandler(parts);

  const handleWakes: Timers['handleWakes'] = async (messages) => {
    const results = await Promise.allSettled(messages.map((message) => wakes.handle(message)));
    const failed = messages.filter(({ messageId }, index) => {
      const result = results[index];
      if (result?.status === 'fulfilled') return false;
      logger.error('a wake could not be handled and is delivered again', result?.reason, { messageId });
      return true;
    });
    return new Set(failed.map(({ messageId }) => messageId));
  };
  const work = async (messages: readonly ReceivedMessage[]) => {
    const failed = await handleWakes(messages);
    const done = messages.filter(({ messageId }) => !failed.has(messageId));
    if (done.length > 0) await queue.delete(done.map(({ receiptHandle }) => receiptHandle));
  };
  const loop = { concurrency: wakesAtOnce, timings, waitSeconds: WAIT_SECONDS };
  return {
    sweep,
    wakes,
    handleWakes,
    runWakes: (signal) => new QueueWorker(queue, work, clock, logger, loop).run(signal),
    runSweep: (signal) => repeatedly('sweep', (abort) => sweep.run(abort), sweepMs, { clock, logger }, signal),
  };
}
