import type { FanoutKey, FanoutMarker } from '../../ports/fanout-store.ts';

/** A message that asks for the next round of an object. */
export interface AskedRound {
  readonly key: FanoutKey;
  readonly bulk: boolean;
  /** When its delayed message is due; undefined for a message that was not put off. */
  readonly dueAt: number | undefined;
}

/**
 * Whether a delayed message that was already sent brings the requested round. It was sent before it was
 * recorded, and no round has started since. The recorded message itself never ends here.
 * The record counts only in the first half of the delay. So a clock that differs by up to the other half does not wait
 * for a message that has already arrived, and a clock that differs by more does not trust the record.
 * A change that a list found may wait longer than a change that a watch showed: a watched change does not wait for a
 * listed one.
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
