import { z } from 'zod';
import {
  CAUSES,
  EVENT_VERSION,
  MAX_NAME_LENGTH,
  MAX_READ_NAME_LENGTH,
  MAX_UID_LENGTH,
  type SkinnyEvent,
} from '../../core/event.ts';
import { seenSchema } from '../fanout/fanout-rest.ts';

/** Far above the limit of a sender (1 KB), far below what could do harm. */
const MAX_BODY_BYTES = 4_096;

/**
 * The path segments that Kubernetes accepts (k8s.io/apimachinery/pkg/api/validation/path). Any other text names no object,
 * and a pass of it would always fail.
 */
const segmentOf = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .refine((text) => text !== '.' && text !== '..' && !/[/%\p{Cc}]/u.test(text) && text.isWellFormed());
const segment = segmentOf(MAX_NAME_LENGTH);
const version = z.string().max(64);
/** The integers that a double holds exactly, and that the table accepts as numbers. */
const amount = z.number().min(0).max(Number.MAX_SAFE_INTEGER);

const eventSchema = z.object({
  v: z.literal(EVENT_VERSION),
  cluster: z.string().min(1).max(63),
  incarnation: z.int().nonnegative(),
  kind: z.string().min(1).max(320),
  namespace: segment,
  name: segmentOf(MAX_READ_NAME_LENGTH).min(1),
  uid: z.string().max(MAX_UID_LENGTH),
  resourceVersion: version.optional(),
  cause: z.enum(CAUSES),
  at: amount,
  changed: z
    .object({
      kind: z.string().min(1).max(320),
      namespace: segment,
      name: segment.min(1),
      uid: z.string().max(MAX_UID_LENGTH).optional(),
      resourceVersion: version.optional(),
      deleted: z.boolean().optional(),
      absentAt: version.optional(),
    })
    .optional(),
  unselected: z.boolean().optional(),
  dueAt: amount.optional(),
  epoch: amount.optional(),
  tick: amount.optional(),
  group: z.string().max(63).optional(),
  round: amount.optional(),
  bulk: z.boolean().optional(),
  place: z.string().max(640).optional(),
  seen: seenSchema.optional(),
});

export type Decoded =
  | { readonly ok: true; readonly event: SkinnyEvent }
  /** What is wrong, without quoting the body. */
  | {
      readonly ok: false;
      readonly reason: 'Oversized' | 'NotJson' | 'UnknownVersion' | 'Malformed';
      readonly detail: string;
    };

/** Parses a message's body. What is no event of this version can never be handled: it goes to the dead-letter queue. */
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
  const parsed = eventSchema.safeParse(json);
  if (!parsed.success) return refuse('Malformed', faultsOf(parsed.error));
  const event = parsed.data as SkinnyEvent;
  const isOfGroup = event.cause === 'poll' || event.cause === 'fanout';
  if (!isOfGroup && event.name.length > MAX_NAME_LENGTH) return refuse('Malformed', 'name: too_big');
  if (isOfGroup ? event.group === undefined : event.uid === '') return refuse('Malformed', 'uid: missing');
  if (event.place !== undefined && event.seen === undefined) return refuse('Malformed', 'seen: missing');
  return { ok: true, event };
}

function refuse(reason: Extract<Decoded, { ok: false }>['reason'], detail: string): Decoded {
  return { ok: false, reason, detail };
}

function faultsOf(error: z.ZodError): string {
  return error.issues
    .slice(0, 5)
    .map((issue) => `${issue.path.join('.') || 'event'}: ${issue.code}`)
    .join('; ');
}
