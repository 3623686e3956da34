import type { InstallationScope } from '../../core/installation.ts';
import { SeededEntropy } from '../seeded-entropy.ts';
import { SELECTIONS } from './bounds.ts';
import { type PlannedWithdrawal, WITHDRAWALS } from './planned-withdrawal.ts';

/** The limits of an installation, and what users may do because of them. */
export interface Limits {
  readonly scope: InstallationScope;
  readonly withdrawals: readonly PlannedWithdrawal[];
  /** The interval of each target's own resync timer. Without it the timers are off, so that they hide no bug. */
  readonly targetResyncMs?: number;
  /**
   * Two readers make a change wide, a page has one object, and few messages fill a lane or exceed the rate of a
   * namespace.
   */
  readonly fewAreMany?: boolean;
}

export interface LimitOptions {
  /** When users have finished, in true time after the start. */
  readonly endMs: number;
  /** The namespaces of all objects of the run; undefined when they are not known. */
  readonly namespaces: readonly string[] | undefined;
}

export const NO_LIMITS: Limits = { scope: {}, withdrawals: [] };

/**
 * These limits were added after seeds had been recorded. Most seeds draw none of them, so they are unchanged. With this
 * number, nearly all seeds that show a planted fault are unchanged too.
 */
const JOINED_LATER = 0x1f81;
/** As JOINED_LATER, with a separate stream, so that the other limits of a seed are unchanged. */
const JOINED_LAST = 0x517;
const FEW_ARE_MANY_CHANCE = 0.2;
const SCOPE_CHANCE = 0.1;
const PAUSE_CHANCE = 0.1;
const TARGET_RESYNC_CHANCE = 0.1;
const SHORTEST_RESYNC_MS = 3 * 60_000;
const LONGEST_RESYNC_MS = 10 * 60_000;

export function drawLimits(seed: number, { endMs, namespaces }: LimitOptions): Limits {
  const entropy = new SeededEntropy(seed ^ JOINED_LATER);
  const pick = (below: number) => Math.floor(entropy.random() * below);
  const isLimited = entropy.random() < SCOPE_CHANCE;
  const pauses = entropy.random() < PAUSE_CHANCE;
  const resyncs = entropy.random() < TARGET_RESYNC_CHANCE;
  const scope = isLimited ? drawScope(namespaces, pick) : {};
  const kinds = [
    ...(scope.labelSelector === undefined ? [] : WITHDRAWALS.labels),
    ...(scope.namespaces === undefined ? [] : WITHDRAWALS.namespaces),
    ...(pauses ? WITHDRAWALS.pauses : []),
  ];
  const withdrawals = kinds.flatMap((kind) =>
    Array.from({ length: 1 + pick(4) }, () => ({ atMs: pick(endMs), kind, seed: pick(2 ** 31) })),
  );
  return {
    scope,
    withdrawals: withdrawals.sort((left, right) => left.atMs - right.atMs),
    ...(new SeededEntropy(seed ^ JOINED_LAST).random() < FEW_ARE_MANY_CHANCE && { fewAreMany: true }),
    ...(resyncs && { targetResyncMs: SHORTEST_RESYNC_MS + pick(LONGEST_RESYNC_MS - SHORTEST_RESYNC_MS) }),
  };
}

/**
 * Draws a scope by namespaces, by labels, or both. If controllers create the targets of others, users cannot label all
 * of them.
 */
function drawScope(namespaces: readonly string[] | undefined, pick: (below: number) => number): InstallationScope {
  const choice = pick(3);
  const selections = SELECTIONS.filter(({ byDefault }) => byDefault || namespaces !== undefined);
  const labelSelector = selections[pick(selections.length)]?.selector ?? '';
  if (namespaces === undefined) return { labelSelector };
  return { ...(choice !== 0 && { labelSelector }), ...(choice !== 1 && { namespaces }) };
}
