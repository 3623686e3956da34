/** What a run was like, whether or not it found something. */
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
  /** From the end of the faults until all had converged. */
  readonly convergedAfterMs: number;
  /** Of a deadline in steady state. */
  readonly worstLatenessMs: number;
  /** How often the workloads and forgeries had something happen, by what it is; 0 for what did not. */
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

/** Sums, and the worst where a sum says nothing. */
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
