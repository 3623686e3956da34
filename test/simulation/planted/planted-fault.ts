import type { FaultKind } from '../../../lib/testing/simulation/faults/fault-kinds.ts';
import type { InvariantId } from '../../../lib/testing/simulation/invariants/violation.ts';
import type { Edit } from './source/apply-edits.ts';

/** One deliberate bug: an edit of one function. */
export interface PlantedFault extends Edit {
  /** What the bug is, as one would say it. */
  readonly name: string;
  /** The invariants that one would expect to catch it. */
  readonly expected: readonly InvariantId[];
  /** What a seed must draw to show it at all: the others are not tried. */
  readonly needs?: Needs;
  /** The scenario that shows it, where a seed hardly draws its history. */
  readonly scenario?: string;
  /** What makes up for it: harmless alone, it shows once that is taken away too. */
  readonly maskedBy?: string;
  /** What is planted with it: the mechanism that masks it, taken away. */
  readonly also?: readonly Edit[];
  /** Why no invariant sees it in any history. The test that holds it must fail instead, with the fault in place. */
  readonly unseen?: string;
  /** The engine once had it, or no history shows it: the title of the test that holds the fix, and the file it is in. */
  readonly heldBy?: { readonly file: string; readonly test: string };
}

export interface Needs {
  readonly workload?: string;
  /** Kinds of faults, all of which are drawn. */
  readonly faults?: readonly FaultKind[];
  /** Two readers are many. */
  readonly fewAreMany?: boolean;
}
