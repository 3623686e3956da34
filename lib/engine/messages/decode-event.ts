import { z } from 'zod';
import {
  EVENT_VERSION,
  type FanoutStep,
  MAX_NAME_LENGTH,
  MAX_READ_NAME_LENGTH,
  MAX_REQUESTER_LENGTH,
  MAX_UID_LENGTH,
  type QueueMessage,
} from '../../core/event.ts';
import { seenFields, seenOf, seenSchema } from './seen-schema.ts';

/** Far more than the limit of a sender (1 KB), and far less than what could do harm. */
const MAX_BODY_BYTES = 4_096;

/**
 * The path segments that Kubernetes accepts (k8s.io/apimachinery/pkg/api/validation/path). Another text cannot be the
 * name of an object, and its pass would always fail.
 */
const segmentOf = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .refine((text) => text !== '.' && text !== '..' && !/[/%\p{Cc}]/u.test(text) && text.isWellFormed(), {
      error: 'cannot be a part of a path of the API server',
    });
const segment = segmentOf(MAX_NAME_LENGTH);
const kind = z.string().min(1).max(320);
const version = z.string().max(64);
/** The integers that a double holds exactly, and that the table accepts as numbers. */
const amount = z.number().min(0).max(Number.MAX_SAFE_INTEGER);
const flag = z.exactOptional(z.boolean());

const changedSchema = z
  .object({ kind, namespace: segment, name: segment.min(1), ...seenFields })
  .transform(({ kind, namespace, name, ...seen }) => ({ kind, namespace, name, ...seenOf(seen) }));

const head = {
  v: z.literal(EVENT_VERSION),
  cluster: z.string().min(1).max(63),
  kind,
  namespace: segment,
  at: amount,
};
const incarnation = z.int().nonnegative();
const ofTarget = { ...head, incarnation, name: segment.min(1), uid: z.string().min(1).max(MAX_UID_LENGTH) };
const ofRequest = { ...head, name: segmentOf(MAX_READ_NAME_LENGTH).min(1), group: z.string().max(63) };

const missing = (field: string) => ({
  code: 'custom' as const,
  path: [field],
  message: 'is missing',
  input: undefined,
});

const shown = z.object({ ...ofTarget, cause: z.enum(['created', 'updated']), resourceVersion: version });

const deleted = z
  .object({
    ...ofTarget,
    cause: z.literal('deleted'),
    resourceVersion: version,
    unselected: flag,
    tick: z.exactOptional(amount),
  })
  .transform(({ tick, unselected, ...event }) => {
    if (tick !== undefined) return { ...event, tick };
    return unselected === undefined ? event : { ...event, unselected };
  });

const dependency = z.object({ ...ofTarget, cause: z.literal('dependency'), changed: changedSchema });

const due = z.object({ ...ofTarget, cause: z.literal('due'), dueAt: amount, epoch: amount });

const resync = z
  .object({
    ...ofTarget,
    cause: z.literal('resync'),
    tick: amount,
    resourceVersion: z.exactOptional(version),
    changed: z.exactOptional(changedSchema),
  })
  .transform(({ resourceVersion, changed, ...event }, context) => {
    if (changed !== undefined) return { ...event, changed };
    if (resourceVersion !== undefined) return { ...event, resourceVersion };
    context.issues.push(missing('resourceVersion'));
    return z.NEVER;
  });

/** A name that is not text, or is too long, is dropped: the pass is needed in any case. */
const requested = z
  .object({
    ...ofTarget,
    cause: z.literal('requested'),
    by: z.string().max(MAX_REQUESTER_LENGTH).optional().catch(undefined),
  })
  .transform(({ by, ...event }) => (by === undefined ? event : { ...event, by }));

const poll = z.object({ ...ofRequest, cause: z.literal('poll'), dueAt: amount });

const fanout = z
  .object({
    ...ofRequest,
    incarnation,
    cause: z.literal('fanout'),
    bulk: flag,
    round: z.exactOptional(amount),
    dueAt: z.exactOptional(amount),
    place: z.exactOptional(z.string().max(640)),
    seen: z.exactOptional(seenSchema),
  })
  .transform(({ incarnation, round, dueAt, place, seen, ...request }, context) => {
    const of = (step: FanoutStep) => ({ ...request, step });
    const again = { type: 'again', ...(dueAt !== undefined && { dueAt }) } as const;
    if (place === undefined) return of(round === undefined ? again : { type: 'begin', incarnation, round });
    if (round !== undefined && seen !== undefined) return of({ type: 'goOn', incarnation, round, place, seen });
    context.issues.push(missing(round === undefined ? 'round' : 'seen'));
    return z.NEVER;
  });

/**
 * Version 1 of the wire form: flat, with the fields of its cause. A poll or a round has no target, and its `uid` is
 * empty.
 */
const messageSchema = z.discriminatedUnion('cause', [
  shown,
  deleted,
  dependency,
  due,
  resync,
  requested,
  poll,
  fanout,
]) satisfies z.ZodType<QueueMessage>;

export type Decoded =
  | { readonly ok: true; readonly event: QueueMessage }
  /** What is wrong, without a quote of the body. */
  | {
      readonly ok: false;
      readonly reason: 'Oversized' | 'NotJson' | 'UnknownVersion' | 'Malformed';
      readonly detail: string;
    };

/**
 * Parses a message's body. A body that is not an event of this version can never be handled, so it goes to the
 * dead-letter queue.
 */
export function decodeEvent(body: string): Decoded {
  const bytes = Buffer.byteLength(body);
  if (bytes > MAX_BODY_BYTES) return refuse('Oversized', `${bytes} bytes; an event has at most ${MAX_BODY_BYTES}`);
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return refuse('NotJson', 'the body is not JSON');
  }
  const versionFound = typeof json === 'object' && json !== null ? (json as { v?: unknown }).v : undefined;
  if (versionFound !== undefined && versionFound !== EVENT_VERSION) {
    const found = typeof versionFound === 'number' ? versionFound : `of type ${typeof versionFound}`;
    return refuse('UnknownVersion', `event version ${found}; this release reads ${EVENT_VERSION}`);
  }
  const parsed = messageSchema.safeParse(json, { error: describeFault });
  return parsed.success ? { ok: true, event: parsed.data } : refuse('Malformed', faultsOf(parsed.error));
}

function refuse(reason: Extract<Decoded, { ok: false }>['reason'], detail: string): Decoded {
  return { ok: false, reason, detail };
}

const MAX_FAULTS = 5;

function faultsOf({ issues }: z.ZodError): string {
  return issues
    .slice(0, MAX_FAULTS)
    .map(({ path, message }) => `${path.join('.') || 'event'}: ${message}`)
    .join('; ');
}

/** The error of one field. It names what is expected, never what was found, because the body may come from anybody. */
function describeFault(issue: z.core.$ZodRawIssue): string | undefined {
  const ofText = issue.origin === 'string';
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be of type ${issue.expected}`;
    case 'too_big':
      return ofText ? `has more than ${issue.maximum} characters` : `is above ${issue.maximum}`;
    case 'too_small':
      return ofText ? 'is empty' : `is below ${issue.minimum}`;
    case 'invalid_union':
      return 'is none that this release knows';
    case 'invalid_value':
      return issue.input === undefined ? 'is missing' : `must be ${issue.values}`;
    default:
      return undefined;
  }
}
