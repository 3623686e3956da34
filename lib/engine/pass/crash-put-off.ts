import type { SkinnyEvent } from '../../core/event.ts';
import type { TargetState } from '../../ports/state-store.ts';
import type { PassOptions } from './pass.ts';

export interface CrashPutOff {
  readonly dueAtMs: number;
  readonly type: 'crashing';
  readonly message: string;
}

/**
 * Whether a target that crashed again and again waits for its next pass. Earlier events start no pass, because it would
 * kill its process as often as events come. Nothing is lost: the timer stays, and the pass that it starts reads
 * everything. The timer starts the pass, and so does a requested pass.
 * @returns the present put-off, or undefined when a pass may run.
 */
export function crashPutOff(
  { cause }: SkinnyEvent,
  { lastOutcome, dueAtMs, dueSetAtMs }: Pick<TargetState, 'lastOutcome' | 'dueAtMs' | 'dueSetAtMs'>,
  { backoff, timings }: Pick<PassOptions, 'backoff' | 'timings'>,
  nowMs: number,
): CrashPutOff | undefined {
  if (lastOutcome?.type !== 'crashing' || dueAtMs === undefined || cause === 'due' || cause === 'requested')
    return undefined;
  // If it is further ahead than any put-off plus the tolerated clock skew, a wrong clock wrote it.
  if (dueAtMs <= nowMs || dueAtMs > nowMs + backoff.capMs + timings.clockSkewMs) return undefined;
  // The sweep sets a timer again after it was due and its message was sent: the put-off is over. Otherwise an event
  // that overtakes that message would put off the target for the two minutes that the sweep adds.
  if (dueSetAtMs !== undefined && dueSetAtMs > lastOutcome.atMs + timings.clockSkewMs) return undefined;
  return { dueAtMs, type: 'crashing', message: lastOutcome.message };
}
