import type { KindId } from '../core/resource-type.ts';

/** A polled object: one poll for all its readers. */
export interface PollKey {
  readonly cluster: string;
  readonly group: string;
  readonly kind: KindId;
  readonly namespace: string;
  readonly name: string;
}

export interface PollState {
  readonly poll: PollKey;
  /** The version that the poll saw last; ABSENT_VERSION for absent, undefined for unknown. */
  readonly version?: number;
  readonly counter: number;
  /** The interval that the last reader asked for. */
  readonly intervalMs: number;
  readonly dueAtMs: number;
  /** When dueAtMs was set, by the clock that set it; absent if the release that set it does not record this. */
  readonly dueSetAtMs?: number;
  /** True: the process that set the timer sends its wake. False: the sweep does. */
  readonly wakeSent: boolean;
}

export interface PollStore {
  /**
   * For a pass that read another version than the last one: removes the poll's version, adds 1 to its counter and sets
   * its interval. A new poll is due one interval after nowMs. The dueAt of an existing poll stays, unless it is later
   * than that. A timer that this call sets has no wake yet.
   */
  touchPoll(poll: PollKey, nowMs: number, intervalMs: number): Promise<void>;
  readPoll(poll: PollKey): Promise<PollState | undefined>;
  /**
   * Records a poll and its next timer, set at nowMs, if version and counter are still the ones that were read. The
   * caller then sends the wake of the timer.
   */
  savePoll(read: PollState, version: number | undefined, dueAtMs: number, nowMs: number): Promise<boolean>;
  /** Deletes the poll item, if it still has this counter. */
  deletePoll(poll: PollKey, counter: number): Promise<boolean>;
}
