import type { Condition } from '../../core/conditions.ts';
import type { KubeObject } from '../../core/kube-object.ts';

export interface EventNote {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  /** Free of server text. What is longer than 1,024 bytes is cut. */
  readonly note: string;
  readonly action: string;
  /** It reports a terminal error: the first of its kind is never held back. */
  readonly isTerminal?: boolean;
}

/** The transitions of a published status, to be sent after the commit. */
export interface Transition {
  /** The object as it is since then. */
  readonly regarding: KubeObject;
  readonly note: EventNote;
  readonly atMs: number;
}

/**
 * The events for what turned between two lists of conditions. A condition that appears for the first time has
 * not turned.
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

/** The event for an object that failed from the start, for whose condition nothing turned. */
export function failureNote({ type, status, reason, message }: Condition): EventNote {
  return { type: 'Warning', reason, note: `${type} is ${status}: ${message}`, action: `${type}Began${status}` };
}
