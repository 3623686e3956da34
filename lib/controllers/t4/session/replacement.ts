import { backoffDelayMs, DEFAULT_BACKOFF } from '../../../core/backoff.ts';
import type { KubeObject } from '../../../core/kube-object.ts';
import type { ReconcileContext } from '../../../core/reconcile-context.ts';

/** A Pod that ran this long does not count as a failed attempt. */
const LONG_RUN_MS = 600_000;

/**
 * When a Pod that was evicted or lost its node may be replaced: after the shared backoff, which grows with each Pod that ran
 * only briefly. The time is stored in the item of the session, because events arrive before it.
 * @returns epoch ms
 */
export async function replaceAtMs({ metadata }: KubeObject, context: ReconcileContext): Promise<number> {
  const { nowMs, values } = context;
  const { evictedPod, evictions, replaceAtMs: atMs } = values;
  if (evictedPod === metadata.uid && typeof atMs === 'number') {
    // A time that is later than the longest delay comes from a wrong clock.
    return atMs - nowMs > DEFAULT_BACKOFF.capMs ? nowMs : atMs;
  }
  const ranMs = nowMs - Date.parse(metadata.creationTimestamp ?? '');
  const before = typeof evictions === 'number' && ranMs < LONG_RUN_MS ? evictions : 0;
  const at = nowMs + backoffDelayMs(DEFAULT_BACKOFF, before + 1, context.random());
  await context.saveValues({ ...values, evictedPod: metadata.uid, evictions: before + 1, replaceAtMs: at });
  return at;
}
