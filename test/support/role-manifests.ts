import { readdirSync, readFileSync } from 'node:fs';
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

/** The folders of roles that there are: `shared` and one or more for each controller group. */
export function roleFolders(): string[] {
  return readdirSync(FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

/** The objects of some of the folders, namespaces first. */
export function roleManifests(folders: readonly string[] = roleFolders()): RoleManifest[] {
  const objects = folders.flatMap((folder) => {
    const files = readdirSync(`${FOLDER}/${folder}`).filter((file) => file !== 'kustomization.yaml');
    return files.flatMap((file) =>
      parseAllDocuments(readFileSync(`${FOLDER}/${folder}/${file}`, 'utf8')).map(
        (document) => document.toJS() as RoleManifest,
      ),
    );
  });
  return objects.sort((left, right) => Number(right.kind === 'Namespace') - Number(left.kind === 'Namespace'));
}
