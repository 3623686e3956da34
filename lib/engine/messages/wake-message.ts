import { z } from 'zod';
import { MAX_READ_NAME_LENGTH } from '../../core/event.ts';
import { restSchema } from './seen-schema.ts';

const WAKE_VERSION = 1;

const text = z.string().max(320);
/** A part of a key of the table, which must not be empty. */
const keyText = text.min(1);
const readName = z.string().min(1).max(MAX_READ_NAME_LENGTH);
const v = z.literal(WAKE_VERSION);
const readObject = z.object({ cluster: keyText, group: keyText, kind: keyText, namespace: text, name: readName });

const wakeSchema = z.discriminatedUnion('type', [
  z.object({
    v,
    type: z.literal('target'),
    target: z.object({ cluster: keyText, kind: keyText, uid: keyText, namespace: text, name: text }),
    dueAtMs: z.number(),
  }),
  z.object({ v, type: z.literal('poll'), poll: readObject, dueAtMs: z.number() }),
  /**
   * A round that was put off, or the rest of one. A release that does not know it drops it, and resync finds the
   * pending changes.
   */
  z.object({
    v,
    type: z.literal('fanout'),
    fanout: readObject,
    bulk: z.exactOptional(z.boolean()),
    /** The rest of the readers, for a round that has started. Absent for a round that has not. */
    rest: z.exactOptional(restSchema),
    dueAtMs: z.number(),
    /** When it was put off. A record of a wrong clock has arrived with its message. */
    setAtMs: z.number(),
  }),
]);

type OfEach<Wake> = Wake extends unknown ? Readonly<Omit<Wake, 'v'>> : never;

/** A delayed message: the owner of the timer, and the timer. */
export type WakeMessage = OfEach<z.infer<typeof wakeSchema>>;

export function encodeWake(message: WakeMessage): string {
  return JSON.stringify({ v: WAKE_VERSION, ...message });
}

/** @returns undefined when it is not a wake of this version. */
export function decodeWake(body: string): WakeMessage | undefined {
  try {
    const parsed = wakeSchema.safeParse(JSON.parse(body));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
