import { z } from 'zod';
import { noted } from '../field-note.ts';

/** The settings of the group. */
export const section = z.strictObject({
  mutation: z
    .strictObject({
      allow: noted(z.boolean().prefault(false), {
        about: "Lets contracts with `mutation: Annotate` roll out their workload when the Secret's content changes.",
        allowed: 'true or false',
        example: 'true',
      }),
      digestKeyFile: noted(z.string().min(1).optional(), {
        about:
          'File with the key of the digests by which content is compared, here and in every other group that compares content; at least 16 bytes. Default: a key is made in the state directory.',
        allowed: 'the path of a file',
        example: '/etc/evenkeel/digest-key',
      }),
    })
    .prefault({}),
});

export type Section = z.output<typeof section>;
