import { EvenkeelError } from '../lib/core/errors.ts';
import { type LeaseTimings, latestStartMs } from '../lib/core/lease.ts';
import { RELIEF_MS, SHIFT_MS } from '../lib/deployment/cloud/relay-shift.ts';
import { BEFORE_INVOCATION_MS } from '../lib/deployment/handlers/received-messages.ts';
import type { Stage } from './stage.ts';

/** The task of a function. All reconcile functions have the same one. */
export type FunctionPart = 'reconcile' | 'wake' | 'sweep' | 'resync' | 'relay';

/** Lambda's limit for the time-out of a function. */
const LAMBDA_LIMIT_SECONDS = 900;
/** The time after a shift in which the relay writes its last checkpoint and gives back its hold. */
const AFTER_SHIFT_SECONDS = 30;
/** The time in which a batch starts its messages. */
const STARTABLE_MS = 1_000;
/**
 * The time after the last pass in which a batch commits, deletes messages (functions/reconcile.ts reserves the same
 * time), and reports.
 */
const AFTER_PASS_MS = 6_000;

/**
 * A function's time-out. A reconcile function ends before its messages are visible again, and leaves time for a pass:
 *
 * ```
 * receive   invocation                                        time-out   visible again
 *    |---------|--- passes start ---|--- pass limit ---|--after--|--- skew ---|
 * ```
 *
 * @throws EvenkeelError INVALID_TIMINGS
 */
export function functionTimeoutSeconds({ name, settings }: Stage, part: FunctionPart): number {
  switch (part) {
    case 'reconcile': {
      const { visibilityMs, clockSkewMs, passLimitMs } = settings.timings;
      checkStartable(name, settings.timings);
      const seconds = Math.min(LAMBDA_LIMIT_SECONDS, Math.floor((visibilityMs - clockSkewMs) / 1_000));
      if (seconds * 1_000 >= passLimitMs + AFTER_PASS_MS) return seconds;
      throw new EvenkeelError(
        'INVALID_TIMINGS',
        `stage ${name}: a function ends after ${seconds} s, before its messages are visible again, which is too soon for a pass of ${passLimitMs / 1_000} s. Make timings.visibility longer, or timings.passLimit shorter.`,
      );
    }
    case 'wake':
      return 30;
    case 'sweep':
      return 55;
    case 'resync':
      return LAMBDA_LIMIT_SECONDS;
    case 'relay':
      return (RELIEF_MS + SHIFT_MS) / 1_000 + AFTER_SHIFT_SECONDS;
  }
}

/**
 * A function cannot know the age of a message that is delivered again. Such a message must be young enough in any case.
 */
function checkStartable(stage: string, timings: LeaseTimings): void {
  if (latestStartMs(timings, 0) >= BEFORE_INVOCATION_MS + STARTABLE_MS) return;
  throw new EvenkeelError(
    'INVALID_TIMINGS',
    `stage ${stage}: timings.visibility must be ${(BEFORE_INVOCATION_MS + STARTABLE_MS) / 1_000} s longer than lease and clockSkew together: a function counts a message that comes again as ${BEFORE_INVOCATION_MS / 1_000} s old, and would never start it.`,
  );
}
