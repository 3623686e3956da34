import type { DesiredObject, KubeObject } from '../../core/kube-object.ts';
import type { ResourceType } from '../../core/resource-type.ts';
import type { PublishedSchemas } from '../../ports/published-schemas.ts';
import { missingFields } from './compare-definition.ts';
import { olderNotice } from './install-definitions.ts';

/**
 * Compares definitions with the schemas that a cluster publishes, for an identity that may not read CRDs. It detects
 * missing versions and fields, but not missing subresources.
 * @returns a line for each definition that is older in the cluster, or missing.
 * @throws ApiError
 */
export async function comparePublished(schemas: PublishedSchemas, wanted: readonly DesiredObject[]): Promise<string[]> {
  const lines: string[] = [];
  for (const definition of wanted) {
    const { name } = definition.metadata;
    const types = servedTypes(definition);
    const versions: object[] = [];
    for (const type of types) {
      const openAPIV3Schema = await schemas.schemaOf(type);
      if (openAPIV3Schema === undefined) lines.push(`CRD ${name} does not serve version ${type.version}`);
      else versions.push({ name: type.version, served: true, schema: { openAPIV3Schema } });
    }
    if (versions.length < types.length) continue;
    const missing = missingFields(definition, { ...definition, spec: { versions } } as unknown as KubeObject);
    if (missing.length > 0) lines.push(olderNotice(name, missing));
  }
  return lines;
}

interface Specification {
  readonly group: string;
  readonly scope: string;
  readonly names: { readonly plural: string; readonly kind: string };
  readonly versions: readonly { readonly name: string; readonly served: boolean }[];
}

function servedTypes({ spec }: DesiredObject): ResourceType[] {
  const { group, scope, names, versions } = spec as unknown as Specification;
  return versions
    .filter(({ served }) => served)
    .map(({ name: version }) => ({ group, version, ...names, namespaced: scope === 'Namespaced' }));
}
