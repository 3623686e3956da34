import { type Condition, readConditions } from '../../core/conditions.ts';
import type { JsonObject, KubeObject } from '../../core/kube-object.ts';
import type { Outcome } from '../../core/outcome.ts';
import type { PassContext } from '../context/pass-context.ts';
import { failureNote, transitionNotes } from '../kube-events/event-note.ts';
import { factsOf } from '../outcome-facts.ts';
import { hasFailed, mainCondition } from './main-condition.ts';

/** The main condition of an object that needs a person, when no transition reports that. */
export function newlyFailed(
  before: KubeObject,
  after: KubeObject,
  outcome: Outcome,
  status: JsonObject,
): Condition | undefined {
  const [was, is] = [mainCondition(before), mainCondition(after)];
  if (is?.status !== 'False') return undefined;
  if (was === undefined) return hasFailed({ outcome, status }) ? is : undefined;
  return factsOf(outcome).terminal !== undefined && was.status === 'False' && was.reason !== is.reason ? is : undefined;
}

export function readyOf(object: KubeObject | undefined): Condition | undefined {
  return readConditions(object?.status).find(({ type }) => type === 'Ready');
}

/** @param failed the main condition of an object that needs a person, when there is no transition. */
export function recordTransitions(
  context: PassContext,
  before: KubeObject,
  after: KubeObject,
  failed: Condition | undefined,
  outcome: Outcome,
): void {
  const isTerminal = factsOf(outcome).terminal !== undefined;
  const notes = transitionNotes(readConditions(before.status), readConditions(after.status));
  for (const note of failed === undefined ? notes : [...notes, failureNote(failed)])
    context.recordTransition(after, { ...note, isTerminal });
}
