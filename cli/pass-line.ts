import { formatDuration } from '../lib/core/duration.ts';
import type { PassReport } from '../lib/engine/pass/pass-report.ts';

/**
 * One handled message as a line for a person: time, object, cause, result and what follows.
 * @param kindOf returns the kind's name, e.g. `SecretContract`, by its id.
 */
export function passLine(report: PassReport, kindOf: (id: string) => string): string {
  const { target } = report;
  const time = new Date(report.startedAtMs).toISOString().slice(11, 19);
  const object = `${kindOf(target.kind)} ${target.namespace === '' ? '' : `${target.namespace}/`}${target.name}`;
  const next = nextOf(report);
  return `${time}  ${object}  ${whyOf(report)}: ${outcomeOf(report)}${next === '' ? '' : `; ${next}`}`;
}

/** Whether the line is only for a close look, because there was no pass. */
export function isRoutine({ end }: PassReport): boolean {
  return end === 'covered' || end === 'held';
}

function whyOf({ cause, changed }: PassReport): string {
  switch (cause) {
    case 'dependency':
      return changed === undefined ? 'a dependency changed' : `${changed} changed`;
    case 'due':
      return 'its timer is due';
    case 'resync':
      return changed === undefined ? 'found by resync' : `${changed} found changed by resync`;
    default:
      return cause;
  }
}

function outcomeOf(report: PassReport): string {
  const took = `${report.durationMs} ms`;
  const writes = report.writes === 0 ? 'no write' : report.writes === 1 ? '1 write' : `${report.writes} writes`;
  const again = report.attempts > 1 ? `, ${report.attempts} attempts` : '';
  switch (report.end) {
    case 'committed':
      return `${[report.outcome, ...resultOf(report)].join(', ')} (${took}, ${writes}${again})`;
    case 'forgotten':
      return `gone, its item is removed (${took})`;
    case 'covered':
      return 'already observed by an earlier pass';
    case 'held':
      return 'a pass is running and will see it';
    case 'deferred':
      return `put off, ${report.message}`;
    case 'lost':
      return `dropped, another worker took over (${took})`;
  }
}

/** The condition and the outcome's reason; only one of them when both are the same. */
function resultOf({ condition, reason, message }: PassReport): string[] {
  const detail = [reason, message].filter((part) => part !== '').join(': ');
  if (reason !== '' && condition.endsWith(` ${reason}`))
    return [[condition, message].filter((part) => part !== '').join(': ')];
  return [condition, detail].filter((part) => part !== '');
}

function nextOf({ end, outcome, dueAtMs, failures, startedAtMs, durationMs }: PassReport): string {
  if (end !== 'committed' && end !== 'deferred') return '';
  const inMs = dueAtMs === undefined ? undefined : dueAtMs - startedAtMs - durationMs;
  const when = inMs === undefined ? undefined : inMs < 500 ? 'at once' : `in ${formatDuration(inMs)}`;
  if (outcome === 'retry') return `failure ${failures}, next ${when ?? 'on a change'}`;
  if (end === 'deferred') return `next ${when ?? 'on a change'}`;
  return when === undefined ? 'next on a change' : `next on a change or ${when}`;
}
