import { z } from 'zod';
import { formatDuration, parseDuration } from '../../core/duration.ts';
import { FORMATS } from './contract.ts';

const MISSING = 'is missing: add it';
const DAY_MS = 86_400_000;
/** The longest duration of Go, and so of Kubernetes: 2^63 ns. */
const MAX_DURATION_MS = 9_223_372_036_854;

export const MAX_KEYS = 64;
export const MAX_TARGETS = 16;

/** @param kind what the text must be. In a message it follows "must be". */
function text(pattern: RegExp, maxLength: number, kind: string) {
  const error = `must be ${kind}, at most ${maxLength} characters long`;
  return z
    .string({ error: ({ input }) => (input === undefined ? MISSING : error) })
    .refine((value) => value.length <= maxLength && pattern.test(value), { error });
}

function flag(absent: boolean) {
  return z.boolean({ error: 'must be true or false' }).default(absent);
}

function choice<const Choices extends readonly [string, ...string[]]>(choices: Choices) {
  return z.enum(choices, { error: `must be one of ${choices.join(', ')}` });
}

function wholeNumber(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`;
  const fits = (value: number) => Number.isInteger(value) && value >= min && value <= max;
  return z.number({ error }).refine(fits, { error });
}

/** Parses a duration; the result is in milliseconds. */
function duration(read: (text: string) => number | undefined, minMs: number, maxMs = Number.POSITIVE_INFINITY) {
  const error = 'must be a duration: write it like 30s, 15m or 24h';
  return z.string({ error }).transform((value, context) => {
    const ms = read(value);
    let fault = ms === undefined ? error : undefined;
    if (ms !== undefined && ms < minMs) fault = `must be at least ${formatDuration(minMs)}`;
    else if (ms !== undefined && ms > maxMs) fault = `must be at most ${formatDuration(maxMs)}`;
    else if (ms !== undefined && ms > MAX_DURATION_MS)
      fault = 'is longer than Kubernetes can express: write a shorter one';
    if (fault === undefined && ms !== undefined) return ms;
    context.addIssue({ code: 'custom', message: fault ?? error });
    return z.NEVER;
  });
}

/** A duration as in `parseDuration`, optionally with days in front: `30d`, `1d12h`. */
function parseLongDuration(value: string): number | undefined {
  const [, days, rest = ''] = /^(?:([1-9][0-9]{0,4})d)?(.*)$/s.exec(value) ?? [];
  if (days === undefined) return parseDuration(value);
  const restMs = rest === '' ? 0 : parseDuration(rest);
  return restMs === undefined ? undefined : Number(days) * DAY_MS + restMs;
}

function fields<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.object(shape, {
    error: ({ input }) => (input === undefined || input === null ? MISSING : 'must be an object'),
  });
}

/** A list whose entries are checked only when their number is allowed. */
function list<Entry extends z.ZodType>(entry: Entry, min: number, max: number) {
  return z
    .array(z.any(), { error: 'must be a list' })
    .refine((entries) => entries.length >= min, { error: `must have at least ${min} entry: add one` })
    .refine((entries) => entries.length <= max, {
      error: ({ input }) => `has ${(input as unknown[]).length} entries: at most ${max} are allowed, so remove some`,
    })
    .pipe(z.array(entry))
    .prefault([]);
}

export const objectName = text(
  /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
  253,
  'a DNS subdomain name',
);
export const namespaceName = text(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, 63, 'a DNS label');
export const keyName = text(
  /^[-._a-zA-Z0-9]+$/,
  253,
  'a key of a Secret (letters, digits, dashes, dots and underscores)',
);
export const lengthInBytes = wholeNumber(0, 1_048_576);
export const expression = text(/./su, 512, 'a regular expression');

/** In the order in which faults are reported. */
export const keyFields = {
  name: keyName,
  optional: flag(false),
  nonEmpty: flag(true),
  maxLength: lengthInBytes.optional(),
  minLength: lengthInBytes.optional(),
  pattern: expression.optional(),
  format: choice(FORMATS).optional(),
};

/** In the order in which faults are reported. */
export const contractFields = {
  secretRef: fields({ name: objectName, namespace: namespaceName.optional() }),
  keys: list(fields(keyFields), 1, MAX_KEYS),
  maxAge: duration(parseLongDuration, 60_000).optional(),
  ageSource: choice(['CreationTimestamp', 'Annotation']).default('CreationTimestamp'),
  externalSecretRef: fields({
    name: objectName,
    pollInterval: duration(parseDuration, 30_000, 3_600_000).optional(),
  }).optional(),
  targets: list(fields({ kind: choice(['Deployment']).optional(), name: objectName }), 0, MAX_TARGETS),
  mutation: choice(['Disabled', 'Annotate']).default('Disabled'),
};

/** Repeats the CRD's rules for single fields, because an object may have been stored without admission. */
export const contractSpec = fields(contractFields);

export type ContractSpec = z.output<typeof contractSpec>;
