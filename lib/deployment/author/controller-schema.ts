import { z } from 'zod';
import type { Controller } from '../../core/controller.ts';

/** The shortest interval of a poll, as documented in `Controller`. */
const MIN_POLL_MS = 30_000;

const WORD = /^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$/;
/** The word is a part of the names of queues (80 characters), Leases and field managers. */
const word = z
  .string({ error: 'must be a text' })
  .regex(WORD, { error: 'must be 1 to 40 lower-case letters, digits and dashes, not at the ends' });

const flag = z.boolean({ error: 'must be true or false' });
const callable = z.custom<unknown>((value) => typeof value === 'function', { error: 'must be a function' });

const resourceType = z.object(
  {
    group: z
      .string({ error: "must be an API group as text, '' for the core group" })
      .regex(/^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)?$/, { error: 'must be an API group, such as example.com' }),
    version: z.string({ error: 'must be a version such as v1' }).regex(/^[a-z][a-z0-9]{0,62}$/, {
      error: 'must be a version such as v1',
    }),
    plural: z.string({ error: 'must be the plural as in a URL' }).regex(/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/, {
      error: 'must be the plural as in a URL, in lower-case letters, such as banners',
    }),
    kind: z.string({ error: 'must be a kind' }).regex(/^[A-Za-z][A-Za-z0-9]{0,62}$/, {
      error: 'must be a kind, such as Banner',
    }),
    namespaced: flag,
  },
  { error: 'must be a kind: an object with group, version, plural, kind and namespaced' },
);

const readKind = z.object(
  {
    type: resourceType,
    mode: z.enum(['watch', 'watch-labelled', 'poll'], { error: "must be 'watch', 'watch-labelled' or 'poll'" }),
    pollIntervalMs: z
      .int({ error: 'must be a whole number of milliseconds' })
      .min(MIN_POLL_MS, { error: `must be ${MIN_POLL_MS} (30 s) at least` })
      .optional(),
    listsAllNamespaces: flag.optional(),
    lists: flag.optional(),
    unconditional: flag.optional(),
  },
  { error: 'must be an object with type and mode' },
);

/**
 * Checks the type `Controller` at run time, for a value that was not compiled against it. The value is only checked:
 * the engine runs the author's own object, with its prototype.
 */
export const controllerSchema = z
  .object(
    {
      name: word,
      group: word,
      type: resourceType,
      owns: z.array(resourceType, { error: 'must be a list of kinds; [] when it owns none' }),
      reads: z.array(readKind, { error: 'must be a list; [] when it reads nothing else' }),
      reachesAllNamespaces: flag.optional(),
      onlyManaged: flag.optional(),
      version: z.string({ error: 'must be a text' }).min(1, { error: 'must not be empty' }).max(64, {
        error: 'must be 64 characters at most',
      }),
      finalizer: z
        .string({ error: 'must be a text' })
        .regex(/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?\/[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/, {
          error: 'must be a name with a domain, such as example.com/banner',
        })
        .optional(),
      conditions: z
        .array(
          z.string({ error: 'must be a text' }).regex(/^[A-Za-z0-9][-A-Za-z0-9_./]{0,315}$/, {
            error: 'must be a condition type, such as Ready',
          }),
          { error: 'must be a list of condition types, such as [Ready]' },
        )
        .optional(),
      shownValues: z
        .array(z.string({ error: 'must be a text' }), { error: 'must be a list of names of durable values' })
        .optional(),
      released: callable.optional(),
      isOwned: callable.optional(),
      reconcile: callable,
      finalize: callable.optional(),
      forgotten: callable.optional(),
    },
    { error: 'is no controller: an object with name, group, type, owns, reads, version and reconcile' },
  )
  .refine(({ finalizer, finalize }) => (finalizer === undefined) === (finalize === undefined), {
    path: ['finalizer'],
    error: 'must be there together with finalize, or neither',
  });

/** Whether a value passes controllerSchema. */
export function isController(value: unknown): value is Controller {
  return controllerSchema.safeParse(value).success;
}
