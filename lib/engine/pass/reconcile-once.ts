import { coverOf } from '../../core/cover.ts';
import { EvenkeelError } from '../../core/errors.ts';
import type { LabelSelector } from '../../core/label-selector.ts';
import type { TargetState } from '../../ports/state-store.ts';
import { PassContext } from '../context/pass-context.ts';
import { factsOf } from '../outcome-facts.ts';
import { HeldApi } from '../rollout/held-api.ts';
import { type AttemptResult, runAttempt } from './attempt.ts';
import { authorCode, type Pass, type PassDependencies, type PassOptions } from './pass.ts';

/** Both errors are created once: an error with its stack trace costs more than the rest of this file. */
const FINISHED = new Error('the attempt is over');
const PASS_ENDED = new EvenkeelError('PASS_ENDED', 'the pass has ended: it cannot read or write any more');

/** Runs one attempt under the pass's time limit. The context must not be used after this resolves. */
export async function reconcileOnce(
  deps: PassDependencies,
  options: PassOptions,
  selector: LabelSelector | undefined,
  pass: Pass,
  state: TargetState,
): Promise<{ result: AttemptResult; context: PassContext; held: HeldApi | undefined }> {
  const limit = new AbortController();
  const finished = new AbortController();
  const held = heldApi(pass, state, () => context.assertLease());
  const api = held ?? pass.api;
  const context: PassContext = new PassContext({
    controller: pass.controller,
    registry: deps.registry,
    api,
    store: deps.store,
    hold: pass.hold,
    last: state,
    incarnation: pass.incarnation,
    leaseEndsMonotonicMs: pass.startedMonotonicMs + options.timings.leaseMs,
    mutationMarginMs: options.timings.mutationMarginMs,
    clock: deps.clock,
    entropy: deps.entropy,
    events: deps.events,
    signal: limit.signal,
    knownVersions: knownVersions(pass, state),
  });
  const leftMs = Math.max(0, pass.startedMonotonicMs + options.timings.passLimitMs - deps.clock.monotonic());
  const timeout = deps.clock.sleep(leftMs, finished.signal).then(
    () =>
      limit.abort(
        new EvenkeelError('PASS_LIMIT', `the pass took longer than its limit of ${options.timings.passLimitMs} ms`),
      ),
    () => undefined,
  );
  const { kind, namespace, name } = pass.target;
  try {
    const attempt = runAttempt({
      controller: pass.controller,
      target: pass.target,
      api,
      context,
      scope: options.scope,
      selector,
      author: authorCode(deps, pass),
      takesOver: pass.takesOver,
      logger: deps.logger.with({ passId: pass.passId, kind, namespace, name }),
    });
    // A controller that ignores its signal does not block the worker: its later calls are refused by the same signal.
    const result = await Promise.race([attempt, whenAborted(limit.signal, context)]);
    await tellGate(deps, pass, result);
    return { result, context, held };
  } finally {
    finished.abort(FINISHED);
    await timeout;
    // Calls that the controller started and did not await must not be sent while the next pass runs: a create has no
    // version as a guard.
    limit.abort(PASS_ENDED);
  }
}

/**
 * The versions of the object that were known before the lease: the one that the last pass recorded, and the one in the
 * event. A further attempt reads everything in sequence, and so does a pass after a restore of its cluster.
 */
function knownVersions({ attempts, event, incarnation }: Pass, last: TargetState): number[] {
  if (attempts > 1 || last.incarnation !== incarnation || event.cause === 'deleted') return [];
  const cover = coverOf(event);
  const versions = [last.observedVersion, cover?.type === 'self' ? cover.version : undefined];
  return versions.filter((version) => version !== undefined);
}

/** A version that takes over an object is limited to its plan, if it has one. */
function heldApi({ api, rollout, takesOver }: Pass, last: TargetState, assertLease: () => void): HeldApi | undefined {
  const planned = takesOver ? rollout?.planned : undefined;
  return planned === undefined ? undefined : new HeldApi({ api, planned, last, assertLease });
}

function whenAborted(signal: AbortSignal, context: PassContext): Promise<AttemptResult> {
  return new Promise((resolve) => {
    const onAbort = () =>
      resolve({
        type: 'ran',
        mode: 'reconciled',
        outcome: { type: 'retry', error: signal.reason },
        object: context.target,
      });
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

async function tellGate({ gate }: PassDependencies, pass: Pass, result: AttemptResult): Promise<void> {
  const { cluster } = pass.target;
  const failure = result.type === 'ran' ? factsOf(result.outcome).failure : undefined;
  if (failure !== undefined) await gate.failed(cluster, failure.error);
  else await gate.succeeded(cluster);
}
