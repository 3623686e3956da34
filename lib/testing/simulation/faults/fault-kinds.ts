/** Everything that may go wrong. Each seed draws which of these happen, and how often. */
export const FAULT_KINDS = [
  /** A process dies at a call, before it takes effect or before its answer arrives, or at any other moment. */
  'crash',
  /** A process is frozen, sometimes for longer than its lease. */
  'pause',
  /** A call fails without effect. */
  'fail',
  /** A call takes effect, and its answer is lost. */
  'lose',
  /** A client that retries by itself sends a conditional write twice. */
  'repeat',
  /** An answer arrives seconds later. */
  'delay',
  /** Table and queue throttle, the API server answers 429 with Retry-After. */
  'throttle',
  /** The API server answers 409. */
  'conflict',
  /** A batch is accepted in part, when it is sent or received. */
  'partial',
  /** A message is delivered again later, with another deduplication id, by either queue of its controller group. */
  'duplicate',
  /**
   * A message arrives by the other queue of its controller group, like a change that a list shows first. So two
   * messages of one target may be handled in parallel.
   */
  'reroute',
  /** A user acts between two calls of a pass, also on the object of the next call. */
  'meddle',
  /** Watches break, and the events in between are compacted. */
  'gap',
  /** A watch shows no more events, and does not end. */
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
  /** A clock is corrected, within the tolerated skew. */
  'jump',
  /** A clock is wrong by more than the tolerated skew, for a while. */
  'wrong-clock',
  /** The index over timers lags by seconds. */
  'lag',
  /** Somebody puts an invalid message on the queue. */
  'garbage',
] as const;

/**
 * Kinds that were added after seeds had been recorded. They have their own random numbers, so that other seeds are
 * unchanged.
 */
export const LATER_FAULT_KINDS = [
  /** A user writes copies of an owned object: in another namespace, or with an owner reference whose name is wrong. */
  'forge',
  /** A user copies our labels and annotations onto an object that nobody owns. */
  'marks',
  /** A user edits the status of a reconciled object: says Ready, drops conditions, adds a condition of another type. */
  'status',
  /** The clock of one process is ten minutes ahead or behind for a while. */
  'step',
  /** A controller's function returns or throws an invalid result. */
  'nonsense',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number] | (typeof LATER_FAULT_KINDS)[number];
export const ALL_FAULT_KINDS: readonly FaultKind[] = [...FAULT_KINDS, ...LATER_FAULT_KINDS];

/** The probability that a seed has a kind. A kind that costs much simulated time, or weakens the checks, is rarer. */
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
