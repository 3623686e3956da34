import { z } from 'zod';
import type { JsonObject, JsonValue } from '../../lib/core/kube-object.ts';
import { definitionFaults } from '../../lib/kit/kind/definition-faults.ts';

const json = z.custom<JsonObject>((value) => typeof value === 'object' && value !== null && !Array.isArray(value), {
  error: 'must be an object',
});
const text = z.string({ error: 'must be a text' });
const texts = z.array(text, { error: 'must be a list of texts' });
const flag = z.boolean({ error: 'must be true or false' });

const column = z.object({
  name: text,
  type: z.enum(['string', 'integer', 'number', 'boolean', 'date']),
  jsonPath: text,
  priority: z.int().optional(),
});

const version = z.object({
  name: text,
  served: flag,
  storage: flag,
  deprecated: flag.optional(),
  schema: z.object({ openAPIV3Schema: json }, { error: 'must be an object with openAPIV3Schema' }),
  subresources: z.object({ status: json.optional(), scale: json.optional() }).optional(),
  additionalPrinterColumns: z.array(column).optional(),
  selectableFields: z.array(json).optional(),
});

/** The fields of a CustomResourceDefinition that a module is written from. */
const customDefinition = z.object({
  apiVersion: z.literal('apiextensions.k8s.io/v1', { error: 'must be apiextensions.k8s.io/v1' }),
  kind: z.literal('CustomResourceDefinition'),
  metadata: z.object({ name: text }),
  spec: z.object({
    group: text,
    scope: z.enum(['Namespaced', 'Cluster']),
    names: z.object({
      plural: text,
      kind: text,
      shortNames: texts.optional(),
      categories: texts.optional(),
      singular: text.optional(),
      listKind: text.optional(),
    }),
    conversion: z.object({ strategy: text }).optional(),
    preserveUnknownFields: z.literal(false, { error: 'must be false: only then objects have a schema' }).optional(),
    versions: z.array(version).refine((versions) => versions.filter(({ storage }) => storage).length === 1, {
      error: 'must have one version with storage: true',
    }),
  }),
});

export type CustomDefinition = z.infer<typeof customDefinition>;
export type CustomVersion = CustomDefinition['spec']['versions'][number];

/** A definition, or one line for each fault, with the place in the file. */
export function readDefinition(value: JsonValue, at: string): { definition?: CustomDefinition; faults: string[] } {
  const { data, error } = customDefinition.safeParse(value);
  if (data === undefined) {
    const issues = error?.issues ?? [];
    return { faults: issues.map(({ path, message }) => `${at}: ${pathText(path)}: ${withStop(message)}`) };
  }
  const { group, scope, names, versions } = data.spec;
  const [stored, ...others] = [...versions].sort((one, other) => Number(other.storage) - Number(one.storage));
  const faults = definitionFaults({
    group,
    scope,
    version: stored?.name,
    kind: names.kind,
    plural: names.plural,
    shortNames: names.shortNames ?? [],
    versions: others.map(({ name }) => ({ name })),
  });
  for (const { name, schema } of versions) {
    for (const part of ['spec', 'status']) {
      const found = (schema.openAPIV3Schema.properties as JsonObject | undefined)?.[part] as JsonObject | undefined;
      if (found !== undefined && found.type !== 'object')
        faults.push(`version ${name}: ${part}: must be of type object.`);
    }
  }
  return { definition: data, faults: faults.map((fault) => `${at}: ${data.metadata.name}: ${fault}`) };
}

function pathText(path: readonly PropertyKey[]): string {
  const joined = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
  return joined.replace(/^\./, '');
}

function withStop(message: string): string {
  return message.endsWith('.') ? message : `${message}.`;
}
