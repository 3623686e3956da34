import { z } from 'zod';

/** What the process that runs one version of a module tells `evenkeel dev`. */
export const fromRunner = z.discriminatedUnion('type', [
  /** The files that its module was made of, absolute, as far as they were found. */
  z.object({ type: z.literal('read'), files: z.array(z.string()) }),
  /** The module is loaded and its CRDs are installed: it runs when it is told to. */
  z.object({ type: z.literal('ready'), kinds: z.array(z.string()) }),
]);

export type FromRunner = z.infer<typeof fromRunner>;

/** The one message to it: the version before has ended. */
export const RUN = { type: 'run' } as const;
