import { formatDuration } from '../../lib/core/duration.ts';
import { PAUSED_ANNOTATION } from '../../lib/core/installation.ts';
import type { LastOutcomeType } from '../../lib/ports/state-store.ts';
import { passText } from './explained-pass.ts';
import type { Explanation, ReadObject } from './explanation.ts';

const STATES: Readonly<Record<Explanation['state'], string>> = {
  idle: 'idle',
  terminating: 'it is being deleted',
  running: 'a pass is running',
  died: 'a pass ended without a commit; another one starts when its lease has expired',
  'never-finished': 'no pass has finished yet',
};

/** Why an object without passes gets none, and what changes that. */
const NOT_DONE: Partial<Record<LastOutcomeType, string>> = {
  paused: `its annotation ${PAUSED_ANNOTATION} is "true": it is not reconciled until that is removed`,
  unmanaged: "it is outside the settings' scope, or lacks evenkeel's label: it is not reconciled",
  deleting: 'it is being deleted: its cleanup is done, and finalizers of others remain',
};

/** The lines of an explanation for a person. @param kind e.g. `SecretContract`. */
export function explanationLines(explanation: Explanation, kind: string, nowMs: number): string[] {
  const { lastOutcome, next, lease, observed, clusterState } = explanation;
  const ago = (time: string) => relative(Date.parse(time) - nowMs);
  const rows: [string, string][] = [
    ['uid', explanation.uid],
    ['cluster', clusterLine(explanation, ago)],
    ['now', STATES[explanation.state]],
  ];
  if (lease !== undefined) {
    rows.push(['lease', `${lease.owner}, ${lease.ended ? 'ended' : 'ends'} ${ago(lease.until)}`]);
  }
  if (lastOutcome !== undefined) {
    rows.push(['last pass', `${ago(lastOutcome.at)}, took ${lastOutcome.durationMs} ms, cause ${lastOutcome.cause}`]);
    rows.push(['outcome', [lastOutcome.type, lastOutcome.reason].filter((part) => part !== '').join(' ')]);
    const notDone = NOT_DONE[lastOutcome.type];
    if (notDone !== undefined) rows.push(['', notDone]);
    if (lastOutcome.message !== '') rows.push(['', lastOutcome.message]);
    if (lastOutcome.condition !== undefined) rows.push(['condition', lastOutcome.condition]);
  }
  if (observed !== undefined) {
    const parts = [`version ${observed.version ?? 'not recorded'}`, `generation ${observed.generation ?? 'none'}`];
    rows.push(['observed', parts.join(', ')]);
  }
  if (explanation.deletion !== undefined) rows.push(['deleting', 'it waits for what the outcome names']);
  rows.push(['next', next === undefined ? 'when something changes' : `${ago(next.at)} (${next.at}): ${next.why}`]);
  rows.push(['failures', String(explanation.failures)]);
  rows.push(['epoch', epochLine(explanation)]);
  if (explanation.reconcilerVersion !== undefined) rows.push(['code', `version ${explanation.reconcilerVersion}`]);
  const { stoppedRollout: stopped } = explanation;
  if (stopped !== undefined) {
    rows.push(['rollout', `version ${stopped.version} was stopped ${ago(stopped.at)}: ${stopped.reason}`]);
    rows.push(['', stopped.message]);
  }
  for (const [name, value] of Object.entries(explanation.values)) rows.push(['value', `${name} = ${value}`]);
  for (const name of explanation.hiddenValues) rows.push(['value', `${name} is set (not shown)`]);
  for (const mark of explanation.marks) rows.push(['unseen', mark === 'any' ? 'an event that needs a pass' : mark]);
  if (clusterState.watch !== undefined) {
    rows.push([
      'relay',
      `watch at version ${clusterState.watch.version}, last seen ${ago(clusterState.watch.heardAt)}`,
    ]);
  }
  const waits = explanation.reads.map((read, index): [string, string] => [
    index === 0 ? 'watches' : '',
    `${objectOf(read)}${seen(read)}${read.nextPoll === undefined ? '' : `, polled ${ago(read.nextPoll)}`}`,
  ]);
  rows.push(...(waits.length === 0 ? [['watches', 'only itself'] as [string, string]] : waits));
  for (const [index, pass] of explanation.passes.entries())
    rows.push([index === 0 ? 'passes' : '', passText(pass, ago(pass.at))]);
  const title = `${kind} ${explanation.namespace === '' ? '' : `${explanation.namespace}/`}${explanation.name}`;
  return [title, ...rows.map(([label, text]) => `  ${label.padEnd(10)} ${text}`.trimEnd())];
}

/** `in 5m`, `12s ago`, `now`. */
export function relative(ms: number): string {
  if (Math.abs(ms) < 500) return 'now';
  return ms > 0 ? `in ${formatDuration(ms)}` : `${formatDuration(-ms)} ago`;
}

function clusterLine({ cluster, clusterState }: Explanation, ago: (time: string) => string): string {
  const notes = [`epoch ${clusterState.incarnation}`];
  const { paused, pauseNote, drivenBy } = clusterState;
  if (paused) notes.push(pauseNote === undefined ? 'paused' : `paused by ${pauseNote.by} ${ago(pauseNote.at)}`);
  if (clusterState.unreachableUntil !== undefined) {
    notes.push(`does not answer, tried again ${ago(clusterState.unreachableUntil)}`);
  }
  notes.push(clusterState.relay === undefined ? 'no relay holds it' : `relay ${clusterState.relay.owner}`);
  if (drivenBy !== undefined) notes.push(`driven by ${drivenBy}`);
  return `${cluster} (${notes.join('; ')})`;
}

function epochLine({ epoch, committedEpoch, unfinishedPasses }: Explanation): string {
  const unfinished = unfinishedPasses === 0 ? '' : `, ${unfinishedPasses} ended without a commit`;
  return `${epoch}, committed ${committedEpoch}${unfinished}`;
}

function objectOf({ kind, namespace, name }: ReadObject): string {
  if (name === '*') return `${kind} in ${namespace === '' ? 'all namespaces' : namespace} (a list)`;
  return `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;
}

function seen({ name, version }: ReadObject): string {
  if (version === 'absent') return ', which was absent';
  if (version !== undefined) return ` at version ${version}`;
  return name === '*' ? '' : ', version not recorded';
}
