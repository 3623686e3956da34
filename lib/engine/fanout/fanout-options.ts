export interface FanoutOptions {
  /** A round begins this long after the one before it, at the earliest. */
  readonly pauseMs: number;
  /** A marker without a prompt round for this long has rested: its next round goes by the `events` lane. */
  readonly restMs: number;
  /** A round that comes while its lane holds more messages than this is put off. */
  readonly laneDepth: number;
  /** How long a round of a change that a list found is put off by a full lane: many objects may wait for it. */
  readonly bulkPauseMs: number;
  /** Readers that are asked for and told at once. */
  readonly pageSize: number;
  /**
   * A round of the `events` lane tells this many readers and pauses before it tells the next ones. Without the pause, an
   * edit of another tenant would wait behind an event to every reader.
   */
  readonly promptReaders: number;
  /** The length of that pause. */
  readonly promptPauseMs: number;
}

export const DEFAULT_FANOUT_OPTIONS: FanoutOptions = {
  pauseMs: 10_000,
  restMs: 30_000,
  laneDepth: 2_000,
  bulkPauseMs: 60_000,
  pageSize: 100,
  promptReaders: 200,
  promptPauseMs: 1_000,
};

/** A change that at most this many objects of a controller group read is sent to each of them at once. */
export const DIRECT_READERS = 100;
