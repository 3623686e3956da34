import { referencesOf, type Schema, typeOfSchema } from './type-of-schema.ts';

/** Schemas of OpenAPI by their id, such as `io.k8s.api.core.v1.Pod`. */
export type Schemas = Readonly<Record<string, Schema>>;

/** The documents of the API server that are read, each `/openapi/v3/<path>`. */
export const DOCUMENTS = [
  'api/v1',
  'apis/apps/v1',
  'apis/batch/v1',
  'apis/networking.k8s.io/v1',
  'apis/rbac.authorization.k8s.io/v1',
  'apis/policy/v1',
  'apis/autoscaling/v2',
] as const;

/** One generated file: these schemas, and all that they refer to and no file before it has. */
interface TypeModule {
  readonly file: string;
  readonly roots: readonly string[];
}

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const CORE = 'io.k8s.api.core.v1';
const NETWORKING = 'io.k8s.api.networking.v1';
const RBAC = 'io.k8s.api.rbac.v1';

/** In this order no file refers to one after it. Schemas are divided so that no file is long. */
const MODULES: readonly TypeModule[] = [
  { file: 'meta', roots: [`${META}.ObjectMeta`, `${META}.LabelSelector`, `${META}.Condition`] },
  { file: 'claim', roots: [`${CORE}.PersistentVolumeClaim`] },
  {
    file: 'projected-volume',
    roots: ['ProjectedVolumeSource', 'SecretVolumeSource', 'ConfigMapVolumeSource', 'DownwardAPIVolumeSource'].map(
      (name) => `${CORE}.${name}`,
    ),
  },
  { file: 'volume', roots: [`${CORE}.Volume`] },
  { file: 'container', roots: [`${CORE}.Container`] },
  { file: 'scheduling', roots: [`${CORE}.Affinity`, `${CORE}.Toleration`, `${CORE}.TopologySpreadConstraint`] },
  { file: 'pod-status', roots: [`${CORE}.PodStatus`] },
  { file: 'pod', roots: [`${CORE}.Pod`, `${CORE}.PodTemplateSpec`] },
  {
    file: 'core',
    roots: ['Secret', 'ConfigMap', 'Namespace', 'ServiceAccount', 'Service'].map((name) => `${CORE}.${name}`),
  },
  { file: 'apps', roots: ['Deployment', 'StatefulSet', 'DaemonSet'].map((name) => `io.k8s.api.apps.v1.${name}`) },
  { file: 'batch', roots: ['io.k8s.api.batch.v1.Job', 'io.k8s.api.batch.v1.CronJob'] },
  { file: 'networking', roots: [`${NETWORKING}.Ingress`, `${NETWORKING}.NetworkPolicy`] },
  {
    file: 'rbac',
    roots: ['Role', 'ClusterRole', 'RoleBinding', 'ClusterRoleBinding'].map((name) => `${RBAC}.${name}`),
  },
  { file: 'policy', roots: ['io.k8s.api.policy.v1.PodDisruptionBudget'] },
  { file: 'autoscaling', roots: ['io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler'] },
];

/**
 * Schemas that are complete without a spec. All others have one: the documents leave it optional, but the API server refuses
 * most objects without it, and always returns it.
 */
const MAY_LACK_SPEC: ReadonlySet<string> = new Set(['Namespace']);

/** Fields whose schema is a whole object with UID and version, although authors write a template of one. */
const TEMPLATES: Readonly<Record<string, Schema>> = {
  'StatefulSetSpec.volumeClaimTemplates': { type: 'array', items: { $ref: `#/${CORE}.PersistentVolumeClaimTemplate` } },
};

const MAX_LINE = 120;
const HEADER = `// Generated from the OpenAPI v3 documents of Kubernetes by test/conformance/built-in-types.test.ts. Do not edit.
// \`kubectl explain\` shows what each field means.
`;

/** The generated modules by file name: their whole texts, formatted. @param schemas all schemas of `DOCUMENTS`. */
export function typeModules(schemas: Schemas): Map<string, string> {
  const files = new Map<string, string>();
  for (const { file, roots } of MODULES) for (const id of closureOf(roots, schemas, files)) files.set(id, file);
  const names = [...files.keys()].map(nameOf);
  const repeated = names.filter((name, index) => names.indexOf(name) !== index);
  if (repeated.length > 0) throw new Error(`two schemas have one name: ${repeated.join(', ')}`);
  return new Map(MODULES.map(({ file }) => [`${file}.ts`, moduleText(file, files, schemas)]));
}

/** The roots and what they refer to, without what a file before has. */
function closureOf(roots: readonly string[], schemas: Schemas, before: ReadonlyMap<string, string>): Set<string> {
  const found = new Set<string>();
  const add = (id: string) => {
    if (found.has(id) || before.has(id)) return;
    found.add(id);
    for (const next of referencesOf(schemaOf(id, schemas))) add(next);
  };
  roots.forEach(add);
  return found;
}

function moduleText(file: string, files: ReadonlyMap<string, string>, schemas: Schemas): string {
  const own = [...files].flatMap(([id, of]) => (of === file ? [id] : [])).sort(byName);
  const used = new Map<string, Set<string>>();
  const use = (name: string, from: string) => {
    if (from === `./${file}.ts`) return name;
    used.set(from, (used.get(from) ?? new Set()).add(name));
    return name;
  };
  const named = (id: string) => use(nameOf(id), `./${files.get(id)}.ts`);
  const declarations = own.map((id) => declaration(id, schemaOf(id, schemas), named, use));
  const imports = [...used].sort(([a], [b]) => (a < b ? -1 : 1)).map(([from, names]) => importLine(from, [...names]));
  return [HEADER, ...(imports.length > 0 ? [`${imports.join('\n')}\n`] : []), declarations.join('\n\n'), ''].join('\n');
}

function declaration(
  id: string,
  schema: Schema,
  named: (id: string) => string,
  use: (name: string, from: string) => string,
): string {
  const { properties, required = [] } = schema;
  const name = nameOf(id);
  if (properties === undefined) return `export type ${name} = ${typeOfSchema(schema, named)};`;
  const isKind = properties.apiVersion !== undefined && properties.metadata !== undefined;
  // The metadata of a kind's objects is what the engine read: with a name, a UID and a version.
  const fields = Object.entries(properties).filter(
    ([field]) => !(isKind && ['apiVersion', 'kind', 'metadata'].includes(field)),
  );
  const lines = fields.map(([field, inner]) => {
    const isThere = required.includes(field) || (field === 'spec' && !MAY_LACK_SPEC.has(name));
    return fieldLine(field, isThere, typeOfSchema(TEMPLATES[`${name}.${field}`] ?? inner, named));
  });
  if (!isKind) return `export type ${name} = {\n${lines.join('\n')}\n};`;
  return `export type ${name} = ${use('BuiltIn', '../object.ts')}<{\n${lines.join('\n')}\n}>;`;
}

/** As the formatter writes it: a union that is too long for a line has a line for each of its types. */
function fieldLine(field: string, isThere: boolean, type: string): string {
  const key = /^[A-Za-z_$][\w$]*$/.test(field) ? field : `'${field}'`;
  const start = `  ${key}${isThere ? '' : '?'}:`;
  const line = `${start} ${type};`;
  if (line.length <= MAX_LINE) return line;
  const values = /^Record<string, (?<union>.*)>$/.exec(type)?.groups?.union;
  return values === undefined
    ? `${start}${unionLines(type)};`
    : `${start} Record<\n    string,${unionLines(values)}\n  >;`;
}

function unionLines(union: string): string {
  return `\n    | ${union.replaceAll(' | ', '\n    | ')}`;
}

function importLine(from: string, names: readonly string[]): string {
  const sorted = [...names].sort();
  const line = `import type { ${sorted.join(', ')} } from '${from}';`;
  return line.length <= MAX_LINE ? line : `import type {\n  ${sorted.join(',\n  ')},\n} from '${from}';`;
}

function schemaOf(id: string, schemas: Schemas): Schema {
  const schema = schemas[id];
  if (schema === undefined) throw new Error(`no document has the schema ${id}`);
  return schema;
}

function nameOf(id: string): string {
  return id.slice(id.lastIndexOf('.') + 1);
}

function byName(one: string, other: string): number {
  return nameOf(one) < nameOf(other) ? -1 : 1;
}
