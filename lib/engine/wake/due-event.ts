import { EVENT_VERSION, type PollRequest, type SkinnyEvent } from '../../core/event.ts';
import type { PollKey, TargetState } from '../../ports/state-store.ts';

/** Incarnations count from 1; an item without one was never committed, so nothing of it can be covered. */
const FIRST_INCARNATION = 1;

/** The event of a target's deadline; its id names deadline and epoch, so that each deadline is its own observation. */
export function dueEvent(state: TargetState, dueAtMs: number, nowMs: number): SkinnyEvent {
  return {
    v: EVENT_VERSION,
    ...state.target,
    incarnation: state.incarnation ?? FIRST_INCARNATION,
    cause: 'due',
    at: nowMs,
    dueAt: dueAtMs,
    epoch: state.epoch,
  };
}

/** The request that has a polled object read, through the queue of its controller group. */
export function pollRequest(poll: PollKey, dueAtMs: number, nowMs: number): PollRequest {
  const { cluster, group, kind, namespace, name } = poll;
  return { v: EVENT_VERSION, cluster, group, kind, namespace, name, cause: 'poll', at: nowMs, dueAt: dueAtMs };
}
