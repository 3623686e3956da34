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
   * Orders the observations of one incarnation: the object's version, or the version of the list that lacked it.
   * Absent when the observation has no comparable version: a poll that found nothing.
   */
  readonly version?: number;
  readonly seen: SeenVersion;
}

/** The newest observation of an object that many objects of a controller group read, and the round that sends it next. */
export interface FanoutMarker extends Observation {
  readonly key: FanoutKey;
  /** Counts from the clock, so that no round of a marker that expired and came back is used twice. */
  readonly round: number;
  /** When the last round began, and the last one whose events went by the `events` lane. */
  readonly roundAtMs?: number;
  readonly promptAtMs?: number;
  /**
   * Until then the version may be older than what it replaced, since one of the two had no comparable version. Events of a
   * round that begins before this time name no version, so no pass counts as having seen it.
   */
  readonly doubtUntilMs?: number;
  readonly delayed?: DelayedRound;
  /** Why the marker could not be read before this change was recorded. It was written again, in doubt. */
  readonly unreadable?: string;
}

/** The delayed message that brings the next round, so that no other one needs to. It was sent before this was written. */
export interface DelayedRound {
  /** The marker's round when this was written. Once it has moved on, a round has begun, and this means nothing. */
  readonly round: number;
  /** When the message was sent, and when it comes. Together they name it. Epoch milliseconds of the sender's clock. */
  readonly setAtMs: number;
  readonly dueAtMs: number;
  /** The round was put off for a change that a list found: such a round waits longer. */
  readonly bulk: boolean;
}

/** Only the table's expiry removes a marker: no message of it may be left by then. */
export const MARKER_KEPT_MS = 30 * 24 * 3_600_000;

/** Far longer than a request or a frozen function can be late. */
export const DOUBT_MS = 3_600_000;

export interface FanoutStore {
  /**
   * Records an observation, unless the marker has one of a newer incarnation, or a newer version of the same one. Begins
   * the marker if there is none. One request; two when the observation has no version.
   * A marker that cannot be read is begun again: it holds nothing that is needed.
   * @returns the marker after that, or undefined when it was refused: then the process that recorded the newer one sends.
   */
  recordChange(key: FanoutKey, observation: Observation, nowMs: number): Promise<FanoutMarker | undefined>;
  /** @throws ItemError when it cannot be read. */
  readMarker(key: FanoutKey): Promise<FanoutMarker | undefined>;
  /**
   * Adds 1 to the round, if it is still the one that was read, and records when it began.
   * @param prompt its events go by the `events` lane.
   * @returns the marker after that: the observation to tell is the one in this answer, never an earlier one.
   */
  beginRound(read: FanoutMarker, nowMs: number, prompt: boolean): Promise<FanoutMarker | undefined>;
  /**
   * Writes down which delayed message brings the next round, if no round has begun since the marker was read. Call it after
   * the message was sent.
   * @returns whether it was written.
   */
  recordDelayed(read: FanoutMarker, delayed: Omit<DelayedRound, 'round'>): Promise<boolean>;
}
