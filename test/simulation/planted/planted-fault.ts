import type { FaultKind } from '../../../lib/testing/simulation/faults/fault-kinds.ts';
import type { InvariantId } from '../../../lib/testing/simulation/invariants/violation.ts';
import type { Edit } from './source/apply-edits.ts';

/** One deliberate bug: an edit of one function. */
export interface PlantedFault extends Edit {
  /** A description of the bug. */
  readonly name: string;
  /** The invariants that are expected to catch it. */
  readonly expected: readonly InvariantId[];
  /** What a seed must draw to show the fault. Other seeds are not tried. */
  readonly needs?: Needs;
  /** The scenario that shows it, when hardly any seed draws such a history. */
  readonly scenario?: string;
  /** The mechanism that hides the fault. It shows only when this mechanism is removed too. */
  readonly maskedBy?: string;
  /** Edits that are planted with it: they remove the mechanism that hides it. */
  readonly also?: readonly Edit[];
  /** Why no invariant sees it in any history. The test that holds it must then fail with the fault in place. */
  readonly unseen?: string;
  /** The engine once had the fault, or no history shows it: the title of the test that holds the fix, and its file. */
  readonly heldBy?: { readonly file: string; readonly test: string };
}

export interface Needs {
  readonly workload?: string;
  /** Kinds of faults that must all be drawn. */
  readonly faults?: readonly FaultKind[];
  /** Whether two readers must make a change wide. */
  readonly fewAreMany?: boolean;
}
