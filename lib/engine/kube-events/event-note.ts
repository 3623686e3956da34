import type { Condition } from '../../core/conditions.ts';
import type { KubeObject } from '../../core/kube-object.ts';

export interface EventNote {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  /** Without text of the server. Cut at 1,024 bytes. */
  readonly note: string;
  readonly action: string;
  /** Whether it reports a terminal error: the first of its kind is never held back. */
  readonly isTerminal?: boolean;
}

/** The transitions of a published status, which are sent after the commit. */
export interface Transition {
  /** The object after the transition. */
  readonly regarding: KubeObject;
  readonly note: EventNote;
  readonly atMs: number;
}

/**
 * The Events for the transitions between two lists of conditions. A condition that appears for the first time
 * is not a transition.
 */
export function transitionNotes(before: readonly Condition[], after: readonly Condition[]): EventNote[] {
  return after.flatMap((condition) => {
    const previous = before.find(({ type }) => type === condition.type);
    if (previous === undefined || previous.status === condition.status) return [];
    return [
      {
        type: condition.status === 'True' ? 'Normal' : 'Warning',
        reason: condition.reason,
        note: `${condition.type} turned from ${previous.status} to ${condition.status}: ${condition.message}`,
        action: `${condition.type}Turned${condition.status}`,
      } satisfies EventNote,
    ];
  });
}

/** The Event for an object that failed from the start, so that no condition has a transition. */
export function failureNote({ type, status, reason, message }: Condition): EventNote {
  return { type: 'Warning', reason, note: `${type} is ${status}: ${message}`, action: `${type}Began${status}` };
}
