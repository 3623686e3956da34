import { fieldManagerOf } from '../../lib/core/field-manager.ts';
import { type PackedHistory, type PassCause, type PassWrite, readHistory } from '../../lib/core/pass-history.ts';

/** One of an object's last passes, in a form for people. */
export interface ExplainedPass {
  /** RFC 3339. */
  readonly at: string;
  /** E.g. `dependency secrets default/web`. */
  readonly causes: readonly string[];
  readonly moreCauses: number;
  readonly queueDelayMs: number;
  readonly durationMs: number;
  readonly outcome: string;
  readonly reason: string;
  readonly attempts: number;
  readonly writes: {
    readonly count: number;
    /** Absent when nothing was written, or when the controller is not installed any more. */
    readonly fieldManager?: string;
    /** E.g. `status conditions, nextCheckTime`. */
    readonly shown: readonly string[];
  };
}

/** The last passes of an object, newest first. @param controller the controller's name, for the field manager. */
export function explainedPasses(history: PackedHistory | undefined, controller: string | undefined): ExplainedPass[] {
  return readHistory(history).map(({ startedAtMs, causes, writes, writeCount, ...pass }) => ({
    at: timeOf(startedAtMs),
    causes: causes.map(causeText),
    moreCauses: pass.moreCauses,
    queueDelayMs: pass.queueDelayMs,
    durationMs: pass.durationMs,
    outcome: pass.outcome,
    reason: pass.reason,
    attempts: pass.attempts,
    writes: {
      count: writeCount,
      ...(writeCount > 0 && controller !== undefined && { fieldManager: fieldManagerOf(controller) }),
      shown: writes.map(writeText),
    },
  }));
}

/** The history is only shown, so an invalid time is replaced by the start of the epoch. */
function timeOf(ms: number): string {
  const date = new Date(ms);
  return (Number.isNaN(date.getTime()) ? new Date(0) : date).toISOString();
}

function causeText({ cause, detail }: PassCause): string {
  if (detail === '') return cause;
  return cause === 'requested' ? `requested by ${detail}` : `${cause} ${detail}`;
}

function writeText({ verb, kind, fields }: PassWrite): string {
  const what = kind === '' ? verb : `${verb} ${kind}`;
  return fields.length === 0 ? what : `${what}: ${fields.join(', ')}`;
}

/** One line of text. @param ago the time of the pass, e.g. `5m ago`. */
export function passText(pass: ExplainedPass, ago: string): string {
  const { causes, moreCauses, attempts, writes } = pass;
  const why = [...causes, ...(moreCauses > 0 ? [`and ${moreCauses} more`] : [])].join(', ');
  const parts = [
    [pass.outcome, pass.reason].filter((part) => part !== '').join(' '),
    `cause ${why}`,
    `waited ${pass.queueDelayMs} ms, took ${pass.durationMs} ms`,
    ...(attempts > 1 ? [`${attempts} attempts`] : []),
    ...(writes.count > 0 ? [writesText(writes)] : []),
  ];
  return `${ago}: ${parts.join('; ')}`;
}

function writesText({ count, fieldManager, shown }: ExplainedPass['writes']): string {
  const by = fieldManager === undefined ? '' : ` as ${fieldManager}`;
  const more = count > shown.length ? ` and ${count - shown.length} more` : '';
  return `${count === 1 ? '1 write' : `${count} writes`}${by} (${shown.join('; ')}${more})`;
}
