import { runInNewContext } from 'node:vm';

/** Everything that ends needs far less, even on a busy machine. */
const LIMIT_MS = 20_000;

/**
 * Runs code that does not wait, and stops it when it hangs, like an expression that tries every way to match. Otherwise
 * the whole test run would hang. Not for measuring: the texts are so long that quadratic time means hours.
 */
export function unlessItHangs<T>(run: () => T): T {
  return runInNewContext('run()', { run }, { timeout: LIMIT_MS }) as T;
}
