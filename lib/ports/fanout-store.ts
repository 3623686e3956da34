import type { SeenVersion } from '../core/changed-object.ts';
import type { KindId } from '../core/resource-type.ts';

/** An object that changed, or a list of a namespace (name `*`), and the controller group whose objects read it. */
export interface FanoutKey {
  readonly cluster: string;
  readonly group: string;
  readonly kind: KindId;
  readonly namespace: string;
  readonly name: string;
}

/** What was observed of the object. */
export interface Observation {
  readonly incarnation: number;
  /**
   * Orders the observations of one incarnation: the object's version, or the version of the list that did not have it.
   * Absent when the observation has no comparable version: a poll that found nothing.
   */
  readonly version?: number;
  readonly seen: SeenVersion;
}

/** The newest observation of an object that many objects of a controller group read, and the round that sends it next. */
export interface FanoutMarker extends Observation {
  readonly key: FanoutKey;
  /** Counted from the clock, so that a marker that expired and was created again uses no round twice. */
  readonly round: number;
  /** When the last round started, and when the last round started whose events used the `events` lane. */
  readonly roundAtMs?: number;
  readonly promptAtMs?: number;
  /**
   * Until this time the version may be older than the one before, because one of the two had no comparable version.
   * Events of a round that starts before this time have no version, so no pass counts as having seen it.
   */
  readonly doubtUntilMs?: number;
  readonly delayed?: DelayedRound;
  /**
   * Why the marker could not be read before this change was recorded. It was written again, with a doubtful version.
   */
  readonly unreadable?: string;
}

/**
 * The delayed message that brings the next round, so that no other one is needed. It was sent before this was written.
 */
export interface DelayedRound {
  /**
   * The marker's round when this was written. When the round has changed, a round has started, and this has no meaning.
   */
  readonly round: number;
  /**
   * When the message was sent, and when it is due. Together they identify it. Epoch milliseconds of the sender's clock.
   */
  readonly setAtMs: number;
  readonly dueAtMs: number;
  /** Whether the round was put off for a change that a list found: such a round waits longer. */
  readonly bulk: boolean;
}

/** Only the table's expiry removes a marker. By then no message of it may exist. */
export const MARKER_KEPT_MS = 30 * 24 * 3_600_000;

/** Far longer than any delay of a request or a frozen function. */
export const DOUBT_MS = 3_600_000;

export interface FanoutStore {
  /**
   * Records an observation, unless the marker has one of a newer incarnation, or a newer version of the same one.
   * Creates the marker if it does not exist. One request; two when the observation has no version. A marker that cannot
   * be read is started again, because nothing depends on its old values.
   * @returns the marker after that, or undefined when it was refused: then the process that recorded the newer
   * observation sends.
   */
  recordChange(key: FanoutKey, observation: Observation, nowMs: number): Promise<FanoutMarker | undefined>;
  /** @throws ItemError when it cannot be read. */
  readMarker(key: FanoutKey): Promise<FanoutMarker | undefined>;
  /**
   * Adds 1 to the round, if it is still the one that was read, and records when it started.
   * @param prompt whether its events use the `events` lane.
   * @returns the marker after that. Send the observation in this answer, never an earlier one.
   */
  beginRound(read: FanoutMarker, nowMs: number, prompt: boolean): Promise<FanoutMarker | undefined>;
  /**
   * Records which delayed message brings the next round, if no round has started since the marker was read. Call it
   * after the message was sent.
   * @returns whether it was recorded.
   */
  recordDelayed(read: FanoutMarker, delayed: Omit<DelayedRound, 'round'>): Promise<boolean>;
}
