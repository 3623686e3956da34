/** The figures of a run, with or without a violation. */
export interface Figures {
  readonly steps: number;
  readonly simulatedMs: number;
  readonly passes: number;
  readonly crashes: number;
  /** Faults at calls. */
  readonly faults: number;
  /** Messages that were received again. */
  readonly duplicates: number;
  readonly restores: number;
  /** The time from the end of the faults until everything had converged. */
  readonly convergedAfterMs: number;
  /** The largest delay of a timer in the steady state. */
  readonly worstLatenessMs: number;
  /** How often the workloads and forgeries made something happen, by its name; 0 for what did not happen. */
  readonly drawn?: Readonly<Record<string, number>>;
}

export const NO_FIGURES: Figures = {
  steps: 0,
  simulatedMs: 0,
  passes: 0,
  crashes: 0,
  faults: 0,
  duplicates: 0,
  restores: 0,
  convergedAfterMs: 0,
  worstLatenessMs: 0,
};

/** Adds the figures of two runs; for some it takes the worse one. */
export function addFigures(left: Figures, right: Figures): Figures {
  return {
    steps: left.steps + right.steps,
    simulatedMs: left.simulatedMs + right.simulatedMs,
    passes: left.passes + right.passes,
    crashes: left.crashes + right.crashes,
    faults: left.faults + right.faults,
    duplicates: left.duplicates + right.duplicates,
    restores: left.restores + right.restores,
    convergedAfterMs: Math.max(left.convergedAfterMs, right.convergedAfterMs),
    worstLatenessMs: Math.max(left.worstLatenessMs, right.worstLatenessMs),
    drawn: addCounts([left.drawn ?? {}, right.drawn ?? {}]),
  };
}

/** Sums by name, sorted by it. */
export function addCounts(all: readonly Readonly<Record<string, number>>[]): Readonly<Record<string, number>> {
  const sums = new Map<string, number>();
  for (const counts of all) {
    for (const [what, count] of Object.entries(counts)) sums.set(what, (sums.get(what) ?? 0) + count);
  }
  return Object.fromEntries([...sums].sort(([left], [right]) => (left < right ? -1 : 1)));
}
