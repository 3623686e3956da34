/** Everything that may go wrong; each seed draws which of them do, and how often. */
export const FAULT_KINDS = [
  /** A process dies at a call, before it takes effect or before its answer arrives, or at any other moment. */
  'crash',
  /** A process is frozen, for longer than a lease too. */
  'pause',
  /** A call fails without effect. */
  'fail',
  /** A call takes effect, and its answer is lost. */
  'lose',
  /** A conditional write is sent twice by a client that retries for itself. */
  'repeat',
  /** An answer comes seconds later. */
  'delay',
  /** Table and queue throttle, the API server answers 429 with Retry-After. */
  'throttle',
  /** The API server answers 409. */
  'conflict',
  /** A batch is accepted in part, on the way in or out. */
  'partial',
  /** A message is delivered once more, later, under another deduplication id, on either queue of its group. */
  'duplicate',
  /** A message comes on the other queue of its group, as what a list has shown first does: groups of one target overlap. */
  'reroute',
  /** Users act in the middle of passes, between any two of their calls, on the very object of the call too. */
  'meddle',
  /** Watches break, and the events in between are compacted. */
  'gap',
  /** A watch shows nothing any more. */
  'silence',
  /** A watch shows old events again. */
  'replay',
  /** Permissions for a kind are revoked for a while. */
  'forbid',
  /** A kind is not served for a while. */
  'missing',
  /** The API server cannot be reached for a while. */
  'outage',
  /** Somebody pauses the cluster for a while. */
  'halt',
  /** The cluster is restored from a backup: versions go back. */
  'restore',
  /** Clocks are corrected, within what is tolerated. */
  'jump',
  /** A clock is wrong by more than is tolerated, for a while. */
  'wrong-clock',
  /** The index over deadlines lags by seconds. */
  'lag',
  /** Somebody puts a message on the queue that is none. */
  'garbage',
] as const;

/** Those that joined after seeds had been written down: drawn by randomness of their own, so that other seeds stay as they were. */
export const LATER_FAULT_KINDS = [
  /** A user writes copies of an owned object: in another namespace, or with an owner reference whose name is wrong. */
  'forge',
  /** A user copies our labels and annotations onto an object that nobody owns. */
  'marks',
  /** A user edits the status of a reconciled object: says Ready, drops conditions, adds a condition of another type. */
  'status',
  /** The clock of one process is ten minutes ahead or behind for a while. */
  'step',
  /** A controller's function returns or throws what is no result. */
  'nonsense',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number] | (typeof LATER_FAULT_KINDS)[number];
export const ALL_FAULT_KINDS: readonly FaultKind[] = [...FAULT_KINDS, ...LATER_FAULT_KINDS];

/** How likely a seed has it. What costs much simulated time, or weakens what can be checked, is rarer. */
export const FAULT_CHANCES: Readonly<Record<(typeof FAULT_KINDS)[number], number>> = {
  crash: 0.6,
  pause: 0.5,
  fail: 0.6,
  lose: 0.6,
  repeat: 0.4,
  delay: 0.3,
  throttle: 0.3,
  conflict: 0.3,
  partial: 0.3,
  duplicate: 0.4,
  reroute: 0.4,
  meddle: 0.7,
  gap: 0.5,
  silence: 0.15,
  replay: 0.25,
  forbid: 0.2,
  missing: 0.15,
  outage: 0.15,
  halt: 0.1,
  restore: 0.15,
  jump: 0.3,
  'wrong-clock': 0.06,
  lag: 0.3,
  garbage: 0.15,
};
