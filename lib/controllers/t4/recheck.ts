import { checkAt, type Outcome } from '../../core/outcome.ts';
import type { ReconcileContext } from '../../core/reconcile-context.ts';

const RECHECK_MS = 5_000;
const JITTER = 0.2;

/** Comes back in about 5 s: for what is expected soon and where nothing that is watched will wake the target. */
export function recheckSoon(context: ReconcileContext): Outcome {
  return checkAt(context.nowMs + Math.round(RECHECK_MS * (1 - JITTER + 2 * JITTER * context.random())));
}
