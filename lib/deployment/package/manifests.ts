import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { EvenkeelError } from '../../core/errors.ts';
import type { DesiredObject } from '../../core/kube-object.ts';
import { kindId, type ResourceType } from '../../core/resource-type.ts';
import { repeatedYamlKey } from '../../core/yaml-keys.ts';
import { type ControllerGroups, GROUPS } from '../groups/registered-groups.ts';
import { packageRoot } from './package-root.ts';

/** The CustomResourceDefinitions of the controller groups, sorted by name. */
export function bundledDefinitions(groups: ControllerGroups = GROUPS): DesiredObject[] {
  const definitions = groups.flatMap(({ kinds }) =>
    kinds.flatMap(({ type, definition }) => definition ?? readDocuments(join(packageRoot(), definitionFile(type)))),
  );
  return definitions.sort((left, right) => (left.metadata.name < right.metadata.name ? -1 : 1));
}

/** The path of a CRD of this package, from the package's root. */
export function definitionFile(type: ResourceType): string {
  return join('infra', 'kubernetes', 'crds', `${kindId(type)}.yaml`);
}

/** The roles of every installation, independent of its controller groups: infra/kubernetes/roles/shared. */
export function sharedRoles(): DesiredObject[] {
  const folder = join(packageRoot(), 'infra', 'kubernetes', 'roles', 'shared');
  return readManifests(folder, (file) => !file.endsWith('kustomization.yaml'));
}

/**
 * The example objects of the controller groups that work in any cluster, in the order of groups and files. Examples
 * with other requirements, such as another operator, are in subfolders, which `kubectl apply -f` ignores too.
 */
export function exampleObjects(groups: readonly string[]): DesiredObject[] {
  return groups.flatMap((group) => {
    const folder = join(packageRoot(), 'examples', group);
    if (!existsSync(folder)) return [];
    return readManifests(folder, (file) => !/[\\/]/.test(file));
  });
}

function readManifests(folder: string, isWanted: (file: string) => boolean = () => true): DesiredObject[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.ya?ml$/.test(file) && isWanted(file))
    .sort();
  return files.flatMap((file) => readDocuments(join(folder, file)));
}

/**
 * The objects of the CRD files as JSON, by the path of the file. The build writes them, because YAML takes a start a fifth of
 * its CPU to parse.
 */
const BUILT = join('dist', 'manifests.json');

/** Writes dist/manifests.json, for `npm run build`. */
export function writeBuiltManifests(): void {
  const root = packageRoot();
  const folder = join('infra', 'kubernetes', 'crds');
  const documents = readdirSync(join(root, folder)).map(
    (file) => [join(folder, file), parseDocuments(join(root, folder, file))] as const,
  );
  writeFileSync(join(root, BUILT), JSON.stringify(Object.fromEntries(documents)));
}

function readDocuments(file: string): DesiredObject[] {
  return builtDocuments(file) ?? parseDocuments(file);
}

/** Undefined for a file that the build did not read, and when the sources run: then dist may be older than they are. */
function builtDocuments(file: string): DesiredObject[] | undefined {
  const root = packageRoot();
  const path = join(root, BUILT);
  if (!import.meta.dirname.startsWith(join(root, 'dist')) || !existsSync(path)) return undefined;
  built ??= JSON.parse(readFileSync(path, 'utf8')) as Record<string, DesiredObject[]>;
  return structuredClone(built[relative(root, file)]);
}

let built: Readonly<Record<string, DesiredObject[]>> | undefined;

function parseDocuments(file: string): DesiredObject[] {
  return parseAllDocuments(readFileSync(file, 'utf8'), { uniqueKeys: false }).flatMap((document) => {
    const value: unknown = document.toJS();
    if (value === null || value === undefined) return [];
    const isWhole = document.errors.length === 0 && repeatedYamlKey(document.contents) === undefined;
    if (isWhole && isManifest(value)) return [value];
    throw new EvenkeelError('BROKEN_PACKAGE', `${file} holds something that is no Kubernetes object.`);
  });
}

function isManifest(value: unknown): value is DesiredObject {
  if (typeof value !== 'object' || value === null) return false;
  const { apiVersion, kind, metadata } = value as Record<string, unknown>;
  const name = typeof metadata === 'object' && metadata !== null ? (metadata as { name?: unknown }).name : undefined;
  return typeof apiVersion === 'string' && typeof kind === 'string' && typeof name === 'string';
}
