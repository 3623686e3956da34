import { z } from 'zod';
import type { SeenVersion } from '../../core/changed-object.ts';
import { type FanoutRest, MAX_UID_LENGTH } from '../../core/event.ts';

const version = z.string().max(64);

/** What was observed of a changed object, in the flat form of messages. */
export const seenFields = {
  uid: z.exactOptional(z.string().max(MAX_UID_LENGTH)),
  resourceVersion: z.exactOptional(version),
  deleted: z.exactOptional(z.boolean()),
  absentAt: z.exactOptional(version),
};

const flatSeen = z.object(seenFields);

/**
 * An absence has no version and no UID. Other fields of the sender are ignored: the release before this one added
 * `deleted`.
 */
export function seenOf({ uid, resourceVersion, deleted, absentAt }: z.infer<typeof flatSeen>): SeenVersion {
  if (absentAt !== undefined) return { absentAt };
  if (resourceVersion === undefined) return {};
  return { ...(uid !== undefined && { uid }), resourceVersion, ...(deleted !== undefined && { deleted }) };
}

export const seenSchema = flatSeen.transform(seenOf);

/** FanoutRest of core/event.ts, in the form of messages. */
export const restSchema = z.object({
  incarnation: z.int().nonnegative(),
  round: z.number().min(0).max(Number.MAX_SAFE_INTEGER),
  place: z.string().max(640),
  seen: seenSchema,
}) satisfies z.ZodType<FanoutRest>;
