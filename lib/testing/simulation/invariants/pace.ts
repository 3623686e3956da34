import type { BackoffPolicy } from '../../../core/backoff.ts';
import type { RateLimit } from '../../../core/rate-limit.ts';
import type { Target } from '../../../core/target.ts';
import type { CommitRecord, TargetStore } from '../../../ports/state-store.ts';
import type { ObservedCall } from '../process.ts';
import type { Invariant } from './invariant.ts';
import { type Attempt, describeTarget, type TargetRecord, targetKey } from './pass-record.ts';
import type { Report } from './violation.ts';

/** The largest difference of two clocks. It may fill the bucket of a rate limit earlier. */
const TOLERATED_MS = 8_000;
/**
 * How many timers in a row may put a target off again. An outage needs some of them; a timer that is always due needs
 * hundreds.
 */
const MAX_IN_VAIN = 25;

/** How often a target may have a pass. */
export interface PacePolicy {
  readonly backoff: BackoffPolicy;
  readonly rateLimit: RateLimit;
  /** After this many passes in a row without a commit, a target waits for the longest backoff. */
  readonly crashBound: number;
}

/**
 * I8: retry delays grow with consecutive failures, within bounds. Crashed passes count as failures, and after a number
 * of them the target waits for the longest backoff. No target exceeds its rate limit.
 */
export class Pace implements Invariant {
  readonly #report: Report;
  readonly #options: PacePolicy;
  readonly #now: () => number;
  readonly #crashesOf: (target: Target) => number;
  readonly #buckets = new Map<string, { tokens: number; atMs: number }>();
  /** The number of timers in a row that brought a target no pass. */
  readonly #inVain = new Map<string, number>();

  constructor(report: Report, options: PacePolicy, now: () => number, crashesOf: (target: Target) => number) {
    this.#report = report;
    this.#options = options;
    this.#now = now;
    this.#crashesOf = crashesOf;
  }

  calling(_call: ObservedCall, { pass }: Attempt): void {
    const crashes = this.#crashesOf(pass.target);
    if (pass.calls === 1 && crashes >= this.#options.crashBound) {
      this.#report(
        'I8',
        `${describeTarget(pass.target)} runs again after ${crashes} passes that ended without a commit`,
      );
    }
  }

  committed(attempt: Attempt, { failures, key }: TargetRecord, commit: CommitRecord, overDirty: boolean): void {
    const { target } = attempt.pass;
    this.#inVain.delete(key);
    this.#spend(key, target, attempt.pass.attempts.length);
    if (commit.lastOutcome.type !== 'retry') return;
    if (commit.failures !== failures) {
      this.#report('I8', `${describeTarget(target)} records ${commit.failures} failures, and there were ${failures}`);
    }
    if (commit.dueAtMs === undefined) {
      this.#report('I8', `${describeTarget(target)} failed and has no deadline`);
      return;
    }
    const { baseMs, capMs } = this.#options.backoff;
    const boundMs = Math.min(capMs, baseMs * 2 ** (failures - 1));
    const delayMs = commit.dueAtMs - commit.lastOutcome.atMs;
    // A pass with an unseen pending mark runs again at once.
    if (overDirty) return;
    const about = `${describeTarget(target)} waits ${delayMs} ms after ${failures} failures`;
    const longestMs = Math.max(boundMs, ...[...attempt.retryAfter.values()].map((each) => each.longestMs));
    if (delayMs < boundMs / 10 - 1 || delayMs > longestMs + 1) {
      this.#report('I8', `${about}; the bound is ${boundMs} ms`);
    }
    const askedMs = Math.min(capMs, shortestRetryAfterMs(attempt, commit));
    if (delayMs < askedMs - 1) this.#report('I8', `${about}, and the API server asked for ${askedMs} ms`);
  }

  deferred(
    target: Target,
    _record: TargetRecord,
    { dueAtMs, lastOutcome }: Parameters<TargetStore['defer']>[1],
    crashes: number,
  ): void {
    const count = lastOutcome.cause === 'due' ? (this.#inVain.get(targetKey(target)) ?? 0) + 1 : 0;
    this.#inVain.set(targetKey(target), count);
    if (count > MAX_IN_VAIN)
      this.#report('I8', `${describeTarget(target)} is due ${count} times in a row without a pass`);
    const waitsMs = dueAtMs - lastOutcome.atMs;
    if (crashes >= this.#options.crashBound && Math.abs(waitsMs - this.#options.backoff.capMs) > 1_000) {
      this.#report('I8', `${describeTarget(target)} waits ${waitsMs} ms after ${crashes} crashed passes`);
    }
  }

  forgotten(target: Target): void {
    this.#buckets.delete(targetKey(target));
    this.#inVain.delete(targetKey(target));
  }

  #spend(key: string, target: Target, attempts: number): void {
    const { burst, refillMs } = this.#options.rateLimit;
    const nowMs = this.#now();
    const bucket = this.#buckets.get(key) ?? { tokens: burst, atMs: nowMs };
    const tokens = Math.min(burst, bucket.tokens + (nowMs - bucket.atMs) / refillMs) - attempts;
    this.#buckets.set(key, { tokens, atMs: nowMs });
    if (tokens < -TOLERATED_MS / refillMs - 1) {
      this.#report('I8', `${describeTarget(target)} exceeds its rate limit by ${-tokens} passes`);
    }
  }
}

/**
 * The Retry-After of each refusal that may have failed the pass. The reason of the failure does not show which one it
 * was.
 */
function shortestRetryAfterMs({ retryAfter }: Attempt, { lastOutcome }: CommitRecord): number {
  for (const [reason, { shortestMs }] of retryAfter) if (lastOutcome.reason === `Api${reason}`) return shortestMs;
  return 0;
}
