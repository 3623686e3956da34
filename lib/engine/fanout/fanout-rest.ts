import { z } from 'zod';

const version = z.string().max(64);

/** SeenVersion of core/event.ts, as it stands in messages. */
export const seenSchema = z.object({
  uid: z.string().max(64).optional(),
  resourceVersion: version.optional(),
  deleted: z.boolean().optional(),
  absentAt: version.optional(),
});

/** Where a round continues, and which observation it sends: fields of its event, under the same names. */
export const restSchema = z.object({
  incarnation: z.int().nonnegative(),
  round: z.number().min(0).max(Number.MAX_SAFE_INTEGER),
  place: z.string().max(640),
  seen: seenSchema,
});
