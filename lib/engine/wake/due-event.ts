import { EVENT_VERSION, type PollRequest, type SkinnyEvent } from '../../core/event.ts';
import type { PollKey, TargetState } from '../../ports/state-store.ts';

/** Incarnations count from 1. An item without one was never committed, so none of its events can be covered. */
const FIRST_INCARNATION = 1;

/** The event of a target's timer. Its id names due time and epoch, so that each timer is its own observation. */
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

/** The request to read a polled object, sent through the queue of its controller group. */
export function pollRequest(poll: PollKey, dueAtMs: number, nowMs: number): PollRequest {
  const { cluster, group, kind, namespace, name } = poll;
  return { v: EVENT_VERSION, cluster, group, kind, namespace, name, cause: 'poll', at: nowMs, dueAt: dueAtMs };
}
