import { checkAt, earliestCheck, type Outcome, settled } from '../../core/outcome.ts';
import type { ReconcileContext } from '../../core/reconcile-context.ts';

const RECHECK_MS = 5_000;
const JITTER = 0.2;

/** Runs again in about 5 s: for a change that is expected soon and that no watch shows. */
export function recheckSoon(context: ReconcileContext): Outcome {
  return checkAt(context.nowMs + Math.round(RECHECK_MS * (1 - JITTER + 2 * JITTER * context.random())));
}

/** Runs again at the earliest of the times that are still ahead; settled when there is none. */
export function checkBy(nowMs: number, ...times: readonly (number | undefined)[]): Outcome {
  const ahead = times.filter((time): time is number => time !== undefined && time > nowMs);
  return ahead.length === 0 ? settled() : earliestCheck(nowMs, ahead);
}
