export interface FanoutOptions {
  /** The shortest time between two rounds of an object. */
  readonly pauseMs: number;
  /** A marker without a prompt round for this long has rested: its next round goes by the `events` lane. */
  readonly restMs: number;
  /** A round is put off when its lane has more messages than this. */
  readonly laneDepth: number;
  /**
   * How long a round of a listed change is put off when its lane is full. It is longer, because many objects may wait
   * for it.
   */
  readonly bulkPauseMs: number;
  /** The number of readers on one page: they are read together, and their events are sent together. */
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

/** If at most this many objects of a controller group read a changed object, each of them gets an event at once. */
export const DIRECT_READERS = 100;
