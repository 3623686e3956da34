import type { DesiredObject, KubeObject } from '../../core/kube-object.ts';

type Fields = { readonly [field: string]: unknown };

interface Version {
  readonly name: string;
  readonly served: boolean;
  readonly subresources?: { readonly status?: unknown };
  readonly schema?: { readonly openAPIV3Schema?: unknown };
}

/**
 * The reason why controllers cannot use a CRD, and the remedy; undefined when they can. Without the status subresource
 * no status can be written, and every pass would fail.
 */
export function definitionFault(wanted: DesiredObject, found: KubeObject): string | undefined {
  const { name } = wanted.metadata;
  const served = new Map(servedVersions(found).map((version) => [version.name, version]));
  const needed = servedVersions(wanted);
  const missing = needed.filter((version) => !served.has(version.name));
  if (missing.length > 0) return `CRD ${name} does not serve version ${missing.map(nameOf).join(', ')}`;
  const bare = needed.filter((version) => hasStatus(version) && !hasStatus(served.get(version.name)));
  if (bare.length > 0) return statusFault(name, bare.map(nameOf));
  return isEstablished(found) ? undefined : `CRD ${name} is not established yet`;
}

/**
 * As definitionFault, for a kind whose CRD is not a part of this release. It does not check whether the version is
 * served.
 */
export function lacksStatus(found: KubeObject, version: string): string | undefined {
  const served = servedVersions(found).find(({ name }) => name === version);
  if (served === undefined || hasStatus(served)) return undefined;
  return statusFault(found.metadata.name, [version]);
}

/**
 * The paths of fields that are in the wanted CRD and not in the cluster's, such as `status.findings`. The API server
 * drops their values. For a missing field, the fields inside it are not listed.
 */
export function missingFields(wanted: DesiredObject, found: KubeObject): string[] {
  if ((found.spec as Fields | undefined)?.preserveUnknownFields === true) return [];
  const served = new Map(servedVersions(found).map((version) => [version.name, version]));
  const paths = servedVersions(wanted).flatMap((version) =>
    missingIn(schemaOf(version), schemaOf(served.get(version.name)), ''),
  );
  return [...new Set(paths)].sort();
}

function statusFault(name: string, versions: readonly string[]): string {
  return `CRD ${name} has no status subresource in version ${versions.join(', ')}, so that no status can be written: add \`subresources: {status: {}}\` to that version`;
}

function missingIn(wanted: Fields, found: Fields, path: string): string[] {
  if (found['x-kubernetes-preserve-unknown-fields'] === true) return [];
  const [needed, there] = [fieldsOf(wanted.properties), fieldsOf(found.properties)];
  const within = Object.entries(needed).flatMap(([field, schema]) => {
    // The API server adds these by itself.
    if (path === '' && ['apiVersion', 'kind', 'metadata'].includes(field)) return [];
    const at = path === '' ? field : `${path}.${field}`;
    return Object.hasOwn(there, field) ? missingIn(fieldsOf(schema), fieldsOf(there[field]), at) : [at];
  });
  return [
    ...within,
    ...missingInNested(wanted.items, found.items, `${path}[]`),
    ...missingInNested(wanted.additionalProperties, found.additionalProperties, `${path}[*]`),
  ];
}

function missingInNested(wanted: unknown, found: unknown, path: string): string[] {
  return typeof wanted === 'object' ? missingIn(fieldsOf(wanted), fieldsOf(found), path) : [];
}

function servedVersions({ spec }: DesiredObject | KubeObject): Version[] {
  const { versions } = fieldsOf(spec) as { versions?: Version[] };
  return Array.isArray(versions) ? versions.filter(({ served }) => served) : [];
}

function hasStatus(version: Version | undefined): boolean {
  return version?.subresources?.status !== undefined && version.subresources.status !== null;
}

function schemaOf(version: Version | undefined): Fields {
  return fieldsOf(version?.schema?.openAPIV3Schema);
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function nameOf({ name }: Version): string {
  return name;
}

function isEstablished(definition: KubeObject): boolean {
  const { conditions } = fieldsOf(definition.status) as { conditions?: { type: string; status: string }[] };
  return (
    Array.isArray(conditions) && conditions.some(({ type, status }) => type === 'Established' && status === 'True')
  );
}
