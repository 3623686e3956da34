import type { Cause } from './event.ts';
import { cutToCodePoints } from './text.ts';

/** Why a pass ran. */
export interface PassCause {
  readonly cause: string;
  /** The object that changed, or the person who asked for the pass; empty when neither is known. */
  readonly detail: string;
}

export type WriteVerb = 'create' | 'apply' | 'patch' | 'status' | 'finalizers' | 'delete' | 'event';

/** One write request of a pass. It has names of fields and never a value. */
export interface PassWrite {
  readonly verb: WriteVerb;
  /** Id of the written kind; empty for the reconciled object itself. */
  readonly kind: string;
  /** The top-level fields that were sent. For a status, the fields below `status`. */
  readonly fields: readonly string[];
}

/** One past pass of an object, in the form of its item. */
export interface PastPass {
  /** Epoch ms. */
  readonly startedAtMs: number;
  /** The time from the send of the event to the start of the pass. */
  readonly queueDelayMs: number;
  readonly durationMs: number;
  readonly outcome: string;
  readonly reason: string;
  readonly attempts: number;
  readonly causes: readonly PassCause[];
  /** The number of causes that are not listed. */
  readonly moreCauses: number;
  /** The number of write requests, including those that are not listed. */
  readonly writeCount: number;
  readonly writes: readonly PassWrite[];
}

/** The largest number of passes in an item. */
export const MAX_PAST_PASSES = 20;
/** The largest size of the history in bytes, in any table. */
const MAX_HISTORY_BYTES = 1_000;
const MAX_CAUSES = 3;
const MAX_WRITES = 3;
const MAX_FIELDS = 4;
const MAX_DETAIL = 96;
const MAX_WORD = 48;
const MAX_LINE_BYTES = 600;

/**
 * As stored: their order never changes, and new ones are added at the end. A word that is not here is stored unchanged.
 */
const CAUSES: readonly Cause[] = ['created', 'updated', 'deleted', 'dependency', 'due', 'resync', 'requested'];
const OUTCOMES = ['settled', 'checkAt', 'retry', 'terminal', 'paused', 'unmanaged', 'deleting'];
const VERBS: readonly WriteVerb[] = ['create', 'apply', 'patch', 'status', 'finalizers', 'delete', 'event'];

/**
 * The past passes of an object, packed: one line of JSON for each, the newest first, in ASCII so that its length is its
 * size. A line that cannot be read is skipped.
 */
export type PackedHistory = string;

/** The history with one more pass, without the oldest ones that do not fit. */
export function addToHistory(history: PackedHistory | undefined, pass: PastPass): PackedHistory {
  const all = [packed(pass), ...(history ?? '').split('\n').filter((line) => line !== '')];
  return cutHistory(all.slice(0, MAX_PAST_PASSES).join('\n'), MAX_HISTORY_BYTES) ?? '';
}

/** The newest passes of a history that fit into so many bytes; undefined when not even one fits. */
export function cutHistory(history: PackedHistory, bytes: number): PackedHistory | undefined {
  if (history.length <= bytes) return history === '' ? undefined : history;
  const end = history.lastIndexOf('\n', bytes);
  return bytes <= 0 || end <= 0 ? undefined : history.slice(0, end);
}

/** Newest first. */
export function readHistory(history: PackedHistory | undefined): PastPass[] {
  return (history ?? '').split('\n').flatMap((line) => unpacked(line) ?? []);
}

function packed(pass: PastPass): string {
  const causes = pass.causes.slice(0, MAX_CAUSES);
  const more = pass.moreCauses + pass.causes.length - causes.length;
  const fields: unknown[] = [
    Math.round(pass.startedAtMs),
    Math.round(pass.queueDelayMs),
    Math.round(pass.durationMs),
    coded(OUTCOMES, pass.outcome),
    cutToCodePoints(pass.reason, MAX_WORD),
    pass.attempts,
    causes.map(({ cause, detail }) =>
      detail === '' ? coded(CAUSES, cause) : [coded(CAUSES, cause), cutToCodePoints(detail, MAX_DETAIL)],
    ),
    more,
    pass.writeCount,
    pass.writes
      .slice(0, MAX_WRITES)
      .map(({ verb, kind, fields }) => [
        coded(VERBS, verb),
        cutToCodePoints(kind, MAX_DETAIL),
        ...fields.slice(0, MAX_FIELDS).map((field) => cutToCodePoints(field, MAX_WORD)),
      ]),
  ];
  // A usual pass has empty fields at its end: no further causes, no writes.
  while (isNothing(fields.at(-1))) fields.pop();
  const line = ascii(JSON.stringify(fields));
  return line.length <= MAX_LINE_BYTES ? line : ascii(JSON.stringify(fields.slice(0, 4)));
}

function isNothing(field: unknown): boolean {
  return field === 0 || field === '' || (Array.isArray(field) && field.length === 0);
}

function coded(words: readonly string[], word: string): number | string {
  const index = words.indexOf(word);
  return index < 0 ? cutToCodePoints(word, MAX_WORD) : index;
}

function ascii(json: string): string {
  return json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function unpacked(line: string): PastPass | undefined {
  let fields: unknown;
  try {
    fields = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!Array.isArray(fields) || typeof fields[0] !== 'number') return undefined;
  const [startedAtMs, queueDelayMs, durationMs, outcome, reason, attempts, causes, moreCauses, writeCount, writes] =
    fields as unknown[];
  return {
    startedAtMs: amount(startedAtMs),
    queueDelayMs: amount(queueDelayMs),
    durationMs: amount(durationMs),
    outcome: word(OUTCOMES, outcome),
    reason: textOf(reason),
    attempts: amount(attempts),
    causes: listOf(causes).map((entry) => {
      const [cause, detail] = Array.isArray(entry) ? (entry as unknown[]) : [entry];
      return { cause: word(CAUSES, cause), detail: textOf(detail) };
    }),
    moreCauses: amount(moreCauses),
    writeCount: amount(writeCount),
    writes: listOf(writes).map((entry) => {
      const [verb, kind, ...names] = listOf(entry);
      return { verb: word(VERBS, verb) as WriteVerb, kind: textOf(kind), fields: names.map(textOf) };
    }),
  };
}

function word(words: readonly string[], code: unknown): string {
  return typeof code === 'number' ? (words[code] ?? 'unknown') : textOf(code);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function amount(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}
