import { changedObjectOf, type SkinnyEvent } from '../../core/event.ts';
import type { PassCause, PastPass } from '../../core/pass-history.ts';
import type { LastOutcome } from '../../ports/state-store.ts';
import { describeChanged } from './named-event.ts';
import type { Pass } from './pass.ts';

/** A pass in the form of its object's history: names and times, never a value. */
export function pastPassOf(pass: Pass, { type, reason, durationMs }: LastOutcome): PastPass {
  const { event, startedAtMs, attempts, written, writes } = pass;
  const marks = [...new Set(pass.marks)];
  return {
    startedAtMs,
    queueDelayMs: Math.max(0, startedAtMs - event.at),
    durationMs,
    outcome: type,
    reason,
    attempts,
    causes: [causeOf(event), ...marks.slice(0, MAX_MARKS).map(markCause)],
    moreCauses: Math.max(0, marks.length - MAX_MARKS),
    writeCount: writes,
    writes: written,
  };
}

/** More than fit into the history. */
const MAX_MARKS = 3;

function causeOf(event: SkinnyEvent): PassCause {
  const changed = changedObjectOf(event);
  if (changed !== undefined) return { cause: event.cause, detail: describeChanged(changed) };
  return { cause: event.cause, detail: event.cause === 'requested' ? (event.by ?? '') : '' };
}

/** A mark names an incarnation, an object and its version, or means any event. */
function markCause(mark: string): PassCause {
  const object = /^\d+\/(.+)@[^@]*$/.exec(mark)?.[1];
  return { cause: 'during the pass', detail: object ?? '' };
}
