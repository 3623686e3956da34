import { z } from 'zod';

/** Messages to `evenkeel dev` from the process that runs one version of a module. */
export const fromRunner = z.discriminatedUnion('type', [
  /** The files of the module, as absolute paths, as far as they were found. */
  z.object({ type: z.literal('read'), files: z.array(z.string()) }),
  /** The module is loaded and its CRDs are installed. It waits for the message to run. */
  z.object({ type: z.literal('ready'), kinds: z.array(z.string()) }),
]);

export type FromRunner = z.infer<typeof fromRunner>;

/** The only message to that process: the previous version has ended. */
export const RUN = { type: 'run' } as const;
