import { z } from 'zod';

const text = z.string({ error: 'must be a text' }).min(1, { error: 'must not be empty' });

/**
 * The fields of a CustomResourceDefinition that evenkeel depends on. The API server checks the other fields when the
 * definition is installed.
 */
export const definitionSchema = z
  .object(
    {
      apiVersion: z.literal('apiextensions.k8s.io/v1', { error: 'must be apiextensions.k8s.io/v1' }),
      kind: z.literal('CustomResourceDefinition', { error: 'must be CustomResourceDefinition' }),
      metadata: z.object({ name: text }, { error: 'must be an object with a name' }),
      spec: z.object(
        {
          group: text,
          scope: z.enum(['Namespaced', 'Cluster'], { error: 'must be Namespaced or Cluster' }),
          names: z.object({ plural: text, kind: text }, { error: 'must be an object with plural and kind' }),
          versions: z
            .array(
              z.object(
                {
                  name: text,
                  served: z.boolean({ error: 'must be true or false' }),
                  subresources: z
                    .object(
                      { status: z.object({}, { error: 'must be an object, {}' }).optional() },
                      { error: 'must be an object' },
                    )
                    .optional(),
                },
                { error: 'must be an object with name and served' },
              ),
              { error: 'must be a list of versions' },
            )
            .min(1, { error: 'must have one version at least' }),
        },
        { error: 'must be an object' },
      ),
    },
    { error: 'is no CustomResourceDefinition, neither an object nor the path of a YAML file' },
  )
  .refine(({ metadata, spec }) => metadata.name === `${spec.names.plural}.${spec.group}`, {
    path: ['metadata', 'name'],
    error: 'must be spec.names.plural, a dot and spec.group',
  });

export type Definition = z.infer<typeof definitionSchema>;
