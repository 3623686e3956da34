import { z } from 'zod';

/*
 * A copy of the code with which the first release decodes messages. It never changes: after a rollback, that release
 * receives the messages of this one.
 */
const segment = z
  .string()
  .max(253)
  .refine((text) => text !== '.' && text !== '..' && !/[/%\p{Cc}]/u.test(text) && text.isWellFormed());
const version = z.string().max(64);
const amount = z.number().min(0).max(Number.MAX_SAFE_INTEGER);

export const firstReleaseEvent = z.object({
  v: z.literal(1),
  cluster: z.string().min(1).max(63),
  incarnation: z.int().nonnegative(),
  kind: z.string().min(1).max(320),
  namespace: segment,
  name: segment.min(1),
  uid: z.string().max(64),
  resourceVersion: version.optional(),
  cause: z.enum(['created', 'updated', 'deleted', 'dependency', 'due', 'poll', 'resync', 'requested']),
  at: amount,
  changed: z
    .object({
      kind: z.string().min(1).max(320),
      namespace: segment,
      name: segment.min(1),
      uid: z.string().max(64).optional(),
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
});

const text = z.string().max(320);
const keyText = text.min(1);
export const firstReleaseWake = z.discriminatedUnion('type', [
  z.object({
    v: z.literal(1),
    type: z.literal('target'),
    target: z.object({ cluster: keyText, kind: keyText, uid: keyText, namespace: text, name: text }),
    dueAtMs: z.number(),
  }),
  z.object({
    v: z.literal(1),
    type: z.literal('poll'),
    poll: z.object({ cluster: keyText, group: keyText, kind: keyText, namespace: text, name: keyText }),
    dueAtMs: z.number(),
  }),
]);
