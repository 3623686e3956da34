import type { FanoutKey, FanoutMarker } from '../../ports/fanout-store.ts';

/** A message that asks for the next round of an object. */
export interface AskedRound {
  readonly key: FanoutKey;
  readonly bulk: boolean;
  /** When its delayed message was to come; undefined for a message that was not put off. */
  readonly dueAt: number | undefined;
}

/**
 * Whether a delayed message that is under way brings the round that is asked for. It was sent before it was recorded,
 * and no round has begun since. The recorded message itself is never the one that ends here.
 *
 * The record counts in the first half of the wait only. So a clock that differs by up to the other half does not wait for a
 * message that has come already, and a clock that differs by more does not believe the record.
 *
 * What a list found may wait longer than what a watch showed: a watched change does not wait for a listed one.
 */
export function comesWithAnother(
  { delayed, round }: FanoutMarker,
  { bulk, dueAt }: AskedRound,
  nowMs: number,
): boolean {
  if (delayed === undefined || delayed.round !== round || delayed.dueAtMs === dueAt) return false;
  if (delayed.bulk && !bulk) return false;
  const halfMs = (delayed.dueAtMs - delayed.setAtMs) / 2;
  return nowMs > delayed.setAtMs - halfMs && nowMs < delayed.setAtMs + halfMs;
}
