import middy, { type MiddyfiedHandler } from '@middy/core';
import type { Context } from 'aws-lambda';
import { EvenkeelError } from '../../core/errors.ts';
import { type ControllerGroups, GROUPS } from '../groups/registered-groups.ts';
import { type CloudRuntime, cloudRuntime } from '../wiring-cloud.ts';

/** One call of a function. */
export interface FunctionCall {
  /** Epoch ms. */
  readonly startedAtMs: number;
  /** Monotonic ms of the same moment: what limits count from. */
  readonly startedMonotonicMs: number;
  /** Monotonic ms at which Lambda ends the function, whatever it does. */
  readonly endsMonotonicMs: number;
}

/**
 * A function's handler: its sandbox's parts, made at the first call, and the metrics written when a call ends, however it
 * ends. What a call fails with is logged here, by its description; Lambda, which would log all of its text, is given an
 * error of ours.
 * @param groups the controller groups that there are.
 */
export function lambdaHandler<Event, Result>(
  handle: (runtime: CloudRuntime, event: Event, call: FunctionCall) => Promise<Result>,
  groups: ControllerGroups = GROUPS,
): MiddyfiedHandler<Event, Result> {
  let runtime: CloudRuntime | undefined;
  const flush = () => runtime?.flush();
  return middy<Event, Result>({ timeoutEarlyInMillis: 0 })
    .after(flush)
    .onError(flush)
    .handler(async (event: Event, context: Context) => {
      try {
        runtime = await cloudRuntime(groups);
        const startedAtMs = runtime.clock.now();
        const startedMonotonicMs = runtime.clock.monotonic();
        return await handle(runtime, event, {
          startedAtMs,
          startedMonotonicMs,
          endsMonotonicMs: startedMonotonicMs + context.getRemainingTimeInMillis(),
        });
      } catch (error) {
        // Here, and not where middy handles errors: it would hang the first error, with all of its text, on this one.
        throw described(error, runtime);
      }
    });
}

function described(error: unknown, runtime: CloudRuntime | undefined): Error {
  runtime?.logger.error('the function failed', error);
  if (error instanceof EvenkeelError) return new EvenkeelError(error.code, error.message);
  return new EvenkeelError('UNFORESEEN', `internal error: ${runtime?.describe(error) ?? 'no details'}`);
}
