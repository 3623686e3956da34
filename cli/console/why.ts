import type { Explanation } from '../inspection/explanation.ts';
import type { ObjectRow, ShownCondition } from './api-types.ts';

/**
 * Explains the state of an object: first the cause, then other information and remedies, each in one sentence. The text
 * comes from the table and from conditions, and must be shown as plain text.
 */
export function whyOf(
  row: ObjectRow,
  explanation: Explanation,
  conditions: readonly ShownCondition[] | undefined,
): string[] {
  return [...clusterCauses(explanation), ...objectCauses(row, explanation, conditions ?? [])];
}

/** Causes that affect every object of the cluster. */
function clusterCauses({ clusterState, lastOutcome }: Explanation): string[] {
  const { paused, pauseNote, unreachableUntil, relay } = clusterState;
  const found: string[] = [];
  if (paused)
    found.push(
      pauseNote === undefined
        ? 'Reconciliation of the cluster is paused. No pass begins until it is resumed.'
        : `${pauseNote.by} paused reconciliation of the cluster. No pass begins until it is resumed.`,
    );
  if (unreachableUntil !== undefined)
    found.push('The cluster does not answer. Passes wait, and one at a time tries again.');
  if (lastOutcome?.type === 'anotherDeployment') found.push('Another deployment drives this controller group.');
  if (relay === undefined && !paused) found.push('No relay holds the cluster: changes are found by resync only.');
  return found;
}

function objectCauses(row: ObjectRow, explanation: Explanation, conditions: readonly ShownCondition[]): string[] {
  const { lastOutcome, deletion, next, reads } = explanation;
  if (explanation.state === 'never-finished') return ['No pass has finished yet.'];
  if (explanation.state === 'died')
    return ['The last pass ended without a commit. Another one starts when its lease has expired.'];
  const found: string[] = [];
  if (deletion !== undefined)
    found.push(`The object is being deleted and waits: ${sentence(deletion.message, deletion.reason)}`);
  else if (lastOutcome?.type === 'paused') found.push('The object is paused by its annotation.');
  else if (lastOutcome?.type === 'unmanaged') found.push('The object is outside the scope of the installation.');
  else if (row.failing && lastOutcome !== undefined)
    found.push(`The last pass failed: ${sentence(lastOutcome.message, lastOutcome.reason)}`);
  if (lastOutcome?.type === 'terminal') found.push('No retry can help: the object, or what it reads, must be changed.');
  for (const { type, status, reason, message } of conditions)
    if (status !== 'True' && deletion === undefined) found.push(`${type} is ${status}: ${sentence(message, reason)}`);
  if (conditions.length === 0 && row.ready === false) found.push(`The main condition is: ${row.condition}.`);
  const absent = reads.filter(({ version }) => version === 'absent');
  if (row.ready !== true || row.failing)
    for (const { kind, namespace, name } of absent.slice(0, 3))
      found.push(
        `It reads ${kind} ${namespace === '' ? '' : `${namespace}/`}${name}, which does not exist. A pass starts when it is created.`,
      );
  if (found.length === 0) return ['Nothing is wrong: the last pass ended as it should.'];
  found.push(next === undefined ? 'It waits for a change.' : `The next pass is due because of: ${next.why}.`);
  return found;
}

function sentence(message: string, reason: string): string {
  const text = message === '' ? reason : message;
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
