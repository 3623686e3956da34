export interface FanoutOptions {
  /** The shortest time between two rounds of an object. */
  readonly pauseMs: number;
  /** A marker without a prompt round for this long has rested: its next round goes by the `events` lane. */
  readonly restMs: number;
  /** A round that comes while its lane holds more messages than this is put off. */
  readonly laneDepth: number;
  /** How long a round of a listed change is put off when its lane is full: many objects may wait for it. */
  readonly bulkPauseMs: number;
  /** Readers on one page: they are read together, and their events are sent together. */
  readonly pageSize: number;
  /**
   * A round on the `events` lane sends to this many readers, then pauses. Without the pause, another tenant's edit would
   * wait behind the events to all readers.
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
