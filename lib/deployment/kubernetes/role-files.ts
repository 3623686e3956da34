import { type ControllerGroups, GROUPS } from '../groups/registered-groups.ts';
import { definitionFile } from '../package/manifests.ts';
import { roleFolders } from './group-roles.ts';

/** The files below infra/kubernetes that are generated from the groups' manifests, by their paths from there. */
export function roleFiles(groups: ControllerGroups = GROUPS): Record<string, string> {
  const folders = groups
    .flatMap(roleFolders)
    .flatMap(({ name, files }) =>
      Object.entries(files).map(([file, text]) => [`roles/${name}/${file}`, text] as const),
    );
  const defaults = groups.filter(({ isDefault }) => isDefault === true);
  const definitions = defaults.flatMap(({ kinds }) =>
    kinds.flatMap(({ type, definition }) =>
      definition === undefined ? [definitionFile(type).replace(/^infra\/kubernetes\//, '')] : [],
    ),
  );
  return {
    ...Object.fromEntries(folders),
    'roles/kustomization.yaml': kustomization(
      'What an installation with the default settings needs: kubectl apply -k infra/kubernetes/roles (docs/permissions.md).',
      ['shared', ...defaults.map(({ name }) => name)],
    ),
    'kustomization.yaml': kustomization(
      'What a cluster needs for an installation with the default settings: kubectl apply --server-side -k infra/kubernetes.\n# The other groups have their roles in folders of their own (roles/kustomization.yaml).',
      [...definitions, 'roles'],
    ),
  };
}

function kustomization(about: string, resources: readonly string[]): string {
  return `# ${about}
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources:
${resources.map((resource) => `  - ${resource}\n`).join('')}`;
}
