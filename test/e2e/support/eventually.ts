import { setTimeout as delay } from 'node:timers/promises';

const LOOK_AGAIN_MS = { first: 20, most: 250, growth: 1.4 };
/**
 * Below the time limit of the tests, so that the error names the condition. It is not a limit of how long the operation
 * may take.
 */
const HOPELESS_MS = 200_000;

/**
 * Waits for a condition outside this process. Polls until `check` returns a value, less and less often. When it never
 * does, the error names the condition.
 */
export async function eventually<Value>(
  what: string,
  check: () => Promise<Value | undefined>,
  limitMs = HOPELESS_MS,
): Promise<Value> {
  const limit = AbortSignal.timeout(limitMs);
  for (let pauseMs = LOOK_AGAIN_MS.first; ; pauseMs = Math.min(pauseMs * LOOK_AGAIN_MS.growth, LOOK_AGAIN_MS.most)) {
    const value = await check();
    if (value !== undefined) return value;
    if (limit.aborted) throw new Error(`after ${limitMs} ms there was still no ${what}`);
    await delay(pauseMs);
  }
}
