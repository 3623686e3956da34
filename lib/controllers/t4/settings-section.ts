import { z } from 'zod';
import { noted } from '../field-note.ts';
import { objectNameField } from '../name-fields.ts';

const DATA_KEY = /^[-._a-zA-Z0-9]{1,253}$/;
const DIGEST_IMAGE = /^[^\s@]+@sha256:[0-9a-f]{64}$/;

const dataKey = (about: string, example: string) =>
  noted(z.string().regex(DATA_KEY), { about, allowed: 'letters, digits, dots, dashes and underscores', example });

/** The settings of the group. */
export const section = z.strictObject({
  runtimeImage: noted(z.string().regex(DIGEST_IMAGE).optional(), {
    about: 'Image that sessions run. Without it no session starts (reason RuntimeImageMissing).',
    allowed: 'an image with its digest, `repository@sha256:<64 hex digits>`',
    example: `registry.example/t4/runtime@sha256:${'0'.repeat(64)}`,
  }),
  omp: z
    .strictObject({
      configMap: z.strictObject({
        name: objectNameField(
          'ConfigMap with the models and settings documents, in each session namespace.',
          'omp-config',
        ),
        modelsKey: dataKey('Key of the models document in it.', 'models.yml'),
        settingsKey: dataKey('Key of the settings document in it.', 'settings.yml'),
      }),
      secret: z.strictObject({
        name: objectNameField('Secret with the credentials, in each session namespace.', 'omp-credentials'),
        keys: noted(z.array(z.string().regex(DATA_KEY)).min(1).max(64), {
          about: 'Keys that must exist and have a value.',
          allowed: 'a list of 1 to 64 keys',
          example: '[token]',
        }),
      }),
    })
    .optional(),
});

export type Section = z.output<typeof section>;
