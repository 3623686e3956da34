import { z } from 'zod';
import { noted } from './field-note.ts';

const OBJECT_NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;
const DATA_KEY = /^[-._a-zA-Z0-9]{1,253}$/;
const DIGEST_IMAGE = /^[^\s@]+@sha256:[0-9a-f]{64}$/;

const secretContractSection = z.strictObject({
  mutation: z
    .strictObject({
      allow: noted(z.boolean().prefault(false), {
        about:
          "Contracts with `mutation: Annotate` may roll out their workload when the Secret's content changed. Off: none may.",
        allowed: 'true or false',
        example: 'true',
      }),
      digestKeyFile: noted(z.string().min(1).optional(), {
        about:
          'A file with the key that content is compared by, 16 bytes at least. Left out: one is made in the state directory.',
        allowed: 'the path of a file',
        example: '/etc/evenkeel/digest-key',
      }),
    })
    .prefault({}),
});

const objectName = (about: string, example: string) =>
  noted(z.string().regex(OBJECT_NAME), { about, allowed: "a Kubernetes object's name", example });
const dataKey = (about: string, example: string) =>
  noted(z.string().regex(DATA_KEY), { about, allowed: 'letters, digits, dots, dashes and underscores', example });

const t4Section = z.strictObject({
  runtimeImage: noted(z.string().regex(DIGEST_IMAGE).optional(), {
    about: 'The image that sessions run. Left out: no session starts (RuntimeImageMissing on each).',
    allowed: 'an image with its digest, `repository@sha256:<64 hex digits>`',
    example: `registry.example/t4/runtime@sha256:${'0'.repeat(64)}`,
  }),
  omp: z
    .strictObject({
      configMap: z.strictObject({
        name: objectName(
          'The ConfigMap with the models and settings documents, in each session namespace.',
          'omp-config',
        ),
        modelsKey: dataKey('Its key of the models document.', 'models.yml'),
        settingsKey: dataKey('Its key of the settings document.', 'settings.yml'),
      }),
      secret: z.strictObject({
        name: objectName('The Secret with the credentials, in each session namespace.', 'omp-credentials'),
        keys: noted(z.array(z.string().regex(DATA_KEY)).min(1).max(64), {
          about: 'The keys that must exist and be non-empty.',
          allowed: 'a list of 1 to 64 keys',
          example: '[token]',
        }),
      }),
    })
    .optional(),
});

/** A controller group is installed when its section is there; without `groups`, secret-contract alone is. */
export const groupsSection = z
  .strictObject({
    'secret-contract': secretContractSection.optional(),
    t4: t4Section.optional(),
  })
  .refine((groups) => Object.keys(groups).length > 0, { message: 'no controller group is named' })
  .prefault({ 'secret-contract': {} });
