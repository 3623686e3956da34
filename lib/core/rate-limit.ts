/** A token bucket: at most `burst` passes at once and one more each `refillMs`. */
export interface RateLimit {
  readonly burst: number;
  readonly refillMs: number;
}

/**
 * A fast series of edits (by a person or a pipeline) stays below this. Two controllers that undo each other's writes do
 * not.
 */
export const DEFAULT_RATE_LIMIT: RateLimit = { burst: 30, refillMs: 1_000 };

export interface Bucket {
  /** The tokens that are left at `atMs`; may have a fraction. */
  readonly tokens: number;
  readonly atMs: number;
}

export type TakeResult =
  | { readonly taken: true; readonly bucket: Bucket }
  /** Over the limit: the next token is available at `readyAtMs`. */
  | { readonly taken: false; readonly bucket: Bucket; readonly readyAtMs: number };

/** More than the skew of two workers' clocks. A time further ahead was written before the clock was set back. */
const FARTHEST_AHEAD_MS = 10_000;

/**
 * Takes one token. A clock that is a little behind the last taker's clock adds no tokens and removes none. A clock that
 * was set far back counts from its new time; otherwise no token would be added until it has caught up.
 */
export function takeToken(limit: RateLimit, bucket: Bucket | undefined, nowMs: number): TakeResult {
  const before = bucket ?? { tokens: limit.burst, atMs: nowMs };
  const gained = Math.max(0, nowMs - before.atMs) / limit.refillMs;
  const tokens = Math.min(limit.burst, before.tokens + gained);
  const atMs = before.atMs - nowMs > FARTHEST_AHEAD_MS ? nowMs : Math.max(nowMs, before.atMs);
  if (tokens >= 1) return { taken: true, bucket: { tokens: tokens - 1, atMs } };
  return { taken: false, bucket: { tokens, atMs }, readyAtMs: nowMs + Math.ceil((1 - tokens) * limit.refillMs) };
}
