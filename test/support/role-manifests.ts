import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';

const FOLDER = fileURLToPath(new URL('../../infra/kubernetes/roles', import.meta.url));

export interface PolicyRule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly verbs: readonly string[];
}

export interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

/** An object of infra/kubernetes/roles, with the fields of whichever kind it is. */
export interface RoleManifest {
  readonly apiVersion: string;
  readonly kind: 'Namespace' | 'ServiceAccount' | 'ClusterRole' | 'Role' | 'ClusterRoleBinding' | 'RoleBinding';
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly PolicyRule[];
  readonly roleRef?: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly Subject[];
}

/** The sets of roles that there are, each a folder or a file: `shared`, and one or more for each controller group. */
export function roleSets(): string[] {
  return readdirSync(FOLDER)
    .filter((entry) => entry !== 'kustomization.yaml')
    .sort();
}

/** The objects of some of the sets, namespaces first. */
export function roleManifests(sets: readonly string[] = roleSets()): RoleManifest[] {
  const objects = sets.flatMap((set) =>
    filesOf(set).flatMap((file) =>
      parseAllDocuments(readFileSync(file, 'utf8')).map((document) => document.toJS() as RoleManifest),
    ),
  );
  return objects.sort((left, right) => Number(right.kind === 'Namespace') - Number(left.kind === 'Namespace'));
}

function filesOf(set: string): string[] {
  if (set.endsWith('.yaml')) return [join(FOLDER, set)];
  const files = readdirSync(join(FOLDER, set)).filter((file) => file !== 'kustomization.yaml');
  return files.map((file) => join(FOLDER, set, file));
}
