import type { InstallationScope } from '../../core/installation.ts';
import { SeededEntropy } from '../seeded-entropy.ts';
import { SELECTIONS } from './bounds.ts';
import { type PlannedWithdrawal, WITHDRAWALS } from './planned-withdrawal.ts';

/** What an installation is limited to, and what follows for what users do. */
export interface Limits {
  readonly scope: InstallationScope;
  readonly withdrawals: readonly PlannedWithdrawal[];
  /** Each target's own resync deadline; off without it, so that it hides nothing. */
  readonly targetResyncMs?: number;
  /** Two readers are many, a page holds one, and few messages fill a lane or are beyond a namespace's pace. */
  readonly fewAreMany?: boolean;
}

export interface LimitOptions {
  /** True time after the start by which users are done. */
  readonly endMs: number;
  /** All that the run is about lies there; undefined where that cannot be said. */
  readonly namespaces: readonly string[] | undefined;
}

export const NO_LIMITS: Limits = { scope: {}, withdrawals: [] };

/**
 * They joined after seeds had been written down: most seeds draw none of them, and are what they were before. So are, by
 * this number, nearly all of those that are known to show a planted fault.
 */
const JOINED_LATER = 0x1f81;
/** As JOINED_LATER: drawn apart, so that the other limits of a seed stay what they were. */
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

/** By namespaces, by labels, or both. Where controllers make the targets of others, no user can label all of them. */
function drawScope(namespaces: readonly string[] | undefined, pick: (below: number) => number): InstallationScope {
  const choice = pick(3);
  const selections = SELECTIONS.filter(({ byDefault }) => byDefault || namespaces !== undefined);
  const labelSelector = selections[pick(selections.length)]?.selector ?? '';
  if (namespaces === undefined) return { labelSelector };
  return { ...(choice !== 0 && { labelSelector }), ...(choice !== 1 && { namespaces }) };
}
