import { z } from 'zod';
import { formatDuration, parseDuration } from '../core/duration.ts';
import { noted } from './field-note.ts';

interface DurationField {
  readonly about: string;
  /** The default, in the form in which a person writes it. */
  readonly fallback: string;
  readonly minMs: number;
  readonly maxMs: number;
  /** `off` and `0` are allowed, and become 0. */
  readonly canBeOff?: boolean;
}

/** A setting written like `30s` or `1h30m`, in milliseconds once parsed. */
export function durationField(field: DurationField) {
  const { minMs, maxMs, canBeOff = false } = field;
  const range = `a duration from ${shortDuration(minMs)} to ${shortDuration(maxMs)}`;
  const schema = z
    .union([z.string(), z.number()])
    .transform((written, context) => {
      if (canBeOff && (written === 'off' || written === 0 || written === '0')) return 0;
      const ms = typeof written === 'string' ? parseDuration(written) : undefined;
      if (ms === undefined) {
        context.addIssue({ code: 'custom', message: `${JSON.stringify(written)} is not a duration` });
        return z.NEVER;
      }
      if (ms < minMs || ms > maxMs) {
        context.addIssue({ code: 'custom', message: `${written} is too ${ms < minMs ? 'short' : 'long'}` });
        return z.NEVER;
      }
      return ms;
    })
    .prefault(field.fallback);
  return noted(schema, {
    about: field.about,
    allowed: canBeOff ? `${range}, or off` : range,
    example: field.fallback,
  });
}

/** Formats a duration in the units that a setting may use. The longest unit is the hour. */
function shortDuration(ms: number): string {
  if (ms < 1_000) return `${ms}ms`;
  return ms % 3_600_000 === 0 ? `${ms / 3_600_000}h` : formatDuration(ms);
}
