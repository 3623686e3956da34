import { type Bucket, type RateLimit, takeToken } from '../../core/rate-limit.ts';
import type { EventNote } from './event-note.ts';
import { RecentMap } from './recent-map.ts';

/** For each object, as in client-go's correlator: 25 Events at once, then one each five minutes. */
const OBJECT_LIMIT: RateLimit = { burst: 25, refillMs: 300_000 };
/** Up to this number, different notes of one kind are separate Events; further ones are combined. */
const MAX_SIMILAR = 10;
/** Notes are counted together until there was none for this time. */
const SIMILAR_WITHIN_MS = 600_000;
/** The number of objects, and of kinds of their Events, that are remembered: the most recent ones. */
const MAX_REMEMBERED = 4_096;

/** The part of an Event that is sent. */
export interface Admitted {
  /** Whether it is one of many similar Events, which share one Event whatever their notes are. */
  readonly isCombined: boolean;
  /** How often it happened since it was last sent; more than 1 when it was held back. */
  readonly count: number;
}

/** Events of an object whose only difference is their notes. */
interface Similar {
  readonly notes: Set<string>;
  /** How often each note was held back since it was last sent. The key '' is for the combined ones. */
  readonly heldBack: Map<string, number>;
  lastAtMs: number;
}

/**
 * Limits the Events of an object whose conditions change often. An Event that is held back is counted in the next
 * Event with the same text. The limit is in a worker's memory: another worker has its own.
 */
export class EventLimiter {
  readonly #buckets = new RecentMap<Bucket>(MAX_REMEMBERED);
  readonly #kinds = new RecentMap<Similar>(MAX_REMEMBERED);

  /** @returns undefined when it is held back. The first Event of a terminal error is never held back. */
  admit(uid: string, event: EventNote, nowMs: number): Admitted | undefined {
    const kind = `${uid}/${event.type}/${event.reason}/${event.action}`;
    const known = this.#kinds.get(kind);
    const similar = known ?? { notes: new Set(), heldBack: new Map(), lastAtMs: nowMs };
    if (nowMs - similar.lastAtMs > SIMILAR_WITHIN_MS) similar.notes.clear();
    similar.lastAtMs = nowMs;
    const isCombined = similar.notes.size >= MAX_SIMILAR && !similar.notes.has(event.note);
    const note = isCombined ? '' : event.note;
    if (!isCombined) similar.notes.add(note);
    this.#kinds.set(kind, similar);

    const token = takeToken(OBJECT_LIMIT, this.#buckets.get(uid), nowMs);
    this.#buckets.set(uid, token.bucket);
    const count = (similar.heldBack.get(note) ?? 0) + 1;
    if (!token.taken && !(event.isTerminal === true && known === undefined)) {
      if (similar.heldBack.has(note) || similar.heldBack.size <= MAX_SIMILAR) similar.heldBack.set(note, count);
      return undefined;
    }
    similar.heldBack.delete(note);
    return { isCombined, count };
  }
}
