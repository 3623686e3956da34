import type { FaultKind } from '../../../lib/testing/simulation/faults/fault-kinds.ts';
import type { InvariantId } from '../../../lib/testing/simulation/invariants/finding.ts';

/** One deliberate bug: a text of one source file, and what stands there instead. */
export interface PlantedFault {
  /** What the bug is, as one would say it. */
  readonly name: string;
  /** The invariants that one would expect to catch it. */
  readonly expected: readonly InvariantId[];
  /** From the root of the repository. */
  readonly file: string;
  /** Stands exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /** What a seed must draw to show it at all: the others are not tried. */
  readonly needs?: Needs;
  /** The engine once had it: the title of the test that holds the fix, and the file it is in. */
  readonly heldBy?: { readonly file: string; readonly test: string };
}

export interface Needs {
  readonly workload?: string;
  /** Kinds of faults, all of which are drawn. */
  readonly faults?: readonly FaultKind[];
}
