import { setTimeout as delay } from 'node:timers/promises';

const LOOK_AGAIN_MS = 50;

/**
 * Waits for a condition of something outside this process: looks until `check` gives a value, and says what it saw last
 * when it never does.
 */
export async function eventually<Value>(
  what: string,
  check: () => Promise<Value | undefined>,
  limitMs = 45_000,
): Promise<Value> {
  const limit = AbortSignal.timeout(limitMs);
  for (;;) {
    const value = await check();
    if (value !== undefined) return value;
    if (limit.aborted) throw new Error(`after ${limitMs} ms there was still no ${what}`);
    await delay(LOOK_AGAIN_MS);
  }
}
