import { runInNewContext } from 'node:vm';

/** What ends at all ends in far less, on a busy machine as well. */
const LIMIT_MS = 20_000;

/**
 * Runs what does not wait, and breaks it off when it hangs, as an expression does that tries every way to match: without
 * this the whole test run would hang with it. Not for measuring: the texts are so long that a quadratic time is hours.
 */
export function unlessItHangs<T>(run: () => T): T {
  return runInNewContext('run()', { run }, { timeout: LIMIT_MS }) as T;
}
