import type { SkinnyEvent } from '../../core/event.ts';
import type { TargetState } from '../../ports/state-store.ts';
import type { PassOptions } from './pass.ts';

export interface CrashPutOff {
  readonly dueAtMs: number;
  readonly type: 'crashing';
  readonly message: string;
}

/**
 * Whether a target that crashed again and again waits for its next try. Earlier events do not start a pass: it would kill
 * its process at the rate of its events. Nothing is lost: the deadline stays, and the pass that it starts reads
 * everything. The deadline starts the pass, and so does a requested pass.
 * @returns the put-off as it stands, or undefined when a pass may run.
 */
export function crashPutOff(
  { cause }: SkinnyEvent,
  { lastOutcome, dueAtMs, dueSetAtMs }: Pick<TargetState, 'lastOutcome' | 'dueAtMs' | 'dueSetAtMs'>,
  { backoff, timings }: Pick<PassOptions, 'backoff' | 'timings'>,
  nowMs: number,
): CrashPutOff | undefined {
  if (lastOutcome?.type !== 'crashing' || dueAtMs === undefined || cause === 'due' || cause === 'requested')
    return undefined;
  // One that lies further ahead than any put-off, by clocks that differ as far as is tolerated, was written by a wrong clock.
  if (dueAtMs <= nowMs || dueAtMs > nowMs + backoff.capMs + timings.clockSkewMs) return undefined;
  // The sweep sets a deadline again once it has come and its message is sent: the put-off is over. Otherwise an event that
  // overtakes that message would put the target off for the two minutes that the sweep adds.
  if (dueSetAtMs !== undefined && dueSetAtMs > lastOutcome.atMs + timings.clockSkewMs) return undefined;
  return { dueAtMs, type: 'crashing', message: lastOutcome.message };
}
