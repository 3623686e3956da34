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
  /** Version last seen by the poll; ABSENT_VERSION for absent, undefined for unknown. */
  readonly version?: number;
  readonly counter: number;
  /** The interval that the last reader asked for. */
  readonly intervalMs: number;
  readonly dueAtMs: number;
  /** When dueAtMs was set, by the clock that set it; absent if the release that set it does not record this. */
  readonly dueSetAtMs?: number;
  /** True: the writer of the deadline sends its wake. False: the sweep does. */
  readonly wakeSent: boolean;
}

export interface PollStore {
  /**
   * A pass read a version that the last one had not: forgets the poll's version, adds 1 to its counter and sets its
   * interval. A new poll is due one interval from nowMs; an existing one's dueAt stays, unless it is later than that.
   * A deadline that it sets has no wake yet.
   */
  touchPoll(poll: PollKey, nowMs: number, intervalMs: number): Promise<void>;
  readPoll(poll: PollKey): Promise<PollState | undefined>;
  /**
   * Records a poll and its next deadline, set at nowMs, if version and counter are still what was read; the caller then
   * sends the deadline's wake.
   */
  savePoll(read: PollState, version: number | undefined, dueAtMs: number, nowMs: number): Promise<boolean>;
  /** Deletes the poll item, if its counter is still this. */
  deletePoll(poll: PollKey, counter: number): Promise<boolean>;
}
