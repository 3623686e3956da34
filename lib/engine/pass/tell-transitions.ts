import type { Pass, PassDependencies } from './pass.ts';

/** Far more than an Event needs. An API server that does not accept Events delays a message no longer than this. */
const LIMIT_MS = 5_000;
/** Made once: an AbortController without a reason makes an error with its stack each time. */
const TOLD = new Error('the Events are sent');

/**
 * Sends the transitions of a committed pass as Kubernetes Events: after the commit, because no Event is worth a retry, and
 * within the pass's own time limit. An Event that cannot be written is logged and dropped. A process that ends here drops
 * its Events. All are awaited, because a frozen function would send them when it is thawed.
 */
export async function tellTransitions(deps: PassDependencies, pass: Pass, passLimitMs: number): Promise<void> {
  const { events, clock, logger } = deps;
  if (pass.transitions.length === 0) return;
  const limit = new AbortController();
  const told = new AbortController();
  const leftMs = Math.min(LIMIT_MS, Math.max(0, pass.startedMonotonicMs + passLimitMs - clock.monotonic()));
  const timeout = clock.sleep(leftMs, told.signal).then(
    () => limit.abort(new Error('no time is left for Kubernetes Events')),
    () => undefined,
  );
  for (const transition of pass.transitions) {
    try {
      limit.signal.throwIfAborted();
      if (await events.tell(pass.api, transition, limit.signal)) pass.writes += 1;
    } catch (error) {
      const { kind, namespace, name } = pass.target;
      const { reason } = transition.note;
      logger.error('a Kubernetes Event could not be written', error, { kind, namespace, name, reason });
    }
  }
  told.abort(TOLD);
  await timeout;
}
