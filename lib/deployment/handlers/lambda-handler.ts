import middy, { type MiddyfiedHandler } from '@middy/core';
import type { Context } from 'aws-lambda';
import { EvenkeelError } from '../../core/errors.ts';
import { type ControllerGroups, GROUPS } from '../groups/registered-groups.ts';
import { type CloudRuntime, cloudRuntime } from '../wiring-cloud.ts';

/** One invocation of a function. */
export interface FunctionCall {
  /** Epoch ms. */
  readonly startedAtMs: number;
  /** The same moment, monotonic ms. Time limits count from it. */
  readonly startedMonotonicMs: number;
  /** When Lambda ends the function, monotonic ms. */
  readonly endsMonotonicMs: number;
}

/**
 * Creates a function's handler. The parts of its sandbox are created at the first call, and the metrics are written at
 * the end of each call. An error is logged here by its description. Lambda would log its whole text, so Lambda gets an
 * error of ours.
 * @param groups the controller groups that exist.
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
        // Not in the error handler of middy, because middy would attach the first error, with its whole text, to this
        // one.
        throw described(error, runtime);
      }
    });
}

function described(error: unknown, runtime: CloudRuntime | undefined): Error {
  runtime?.logger.error('the function failed', error);
  if (error instanceof EvenkeelError) return new EvenkeelError(error.code, error.message);
  return new EvenkeelError('UNFORESEEN', `internal error: ${runtime?.describe(error) ?? 'no details'}`);
}
