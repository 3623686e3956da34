import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Controller } from '../../core/controller.ts';
import type { DesiredObject } from '../../core/kube-object.ts';
import { packageRoot } from '../package/package-root.ts';
import { argocdHealth } from './argocd-health.ts';
import { declaredPermissions } from './author-permissions.ts';
import { fluxHealth } from './flux-health.ts';
import { roleFolders } from './group-roles.ts';

/** The first line of every file. A file with another first line belongs to a person and is not changed. */
export const GENERATED = '# Written by evenkeel manifests. Changes are lost when it runs again.\n';

export interface AuthorManifests {
  readonly controllers: readonly Controller[];
  readonly definitions: readonly DesiredObject[];
  /** Bind the roles only in these namespaces. */
  readonly namespaces?: readonly string[];
  /** Also write the health checks for Argo CD. */
  readonly argocd?: boolean;
  /** Write the health checks for Flux too. */
  readonly flux?: boolean;
}

/**
 * The files that a cluster needs for an author's controllers, for `kubectl apply --server-side -k`: the CRDs, and for
 * each group its roles, service account and bindings, generated from the controllers' declarations.
 * @returns the texts, by their paths in the folder.
 */
export function authorManifests(manifests: AuthorManifests): Record<string, string> {
  const { controllers, definitions, namespaces, argocd = false, flux = false } = manifests;
  const names = [...new Set(controllers.map(({ group }) => group))].sort();
  const folders = names.flatMap((name) => {
    const permissions = declaredPermissions(controllers.filter(({ group }) => group === name));
    return roleFolders({ name, permissions, ...(namespaces !== undefined && { namespaces }) });
  });
  const crds = definitions.map((definition) => [`crds/${definition.metadata.name}.yaml`, crdYaml(definition)] as const);
  const roles = folders.flatMap(({ name, files }) =>
    Object.entries(files).map(([file, text]) => [`roles/${name}/${file}`, text] as const),
  );
  const resources = [
    ...crds.map(([file]) => file).sort(),
    'roles/shared',
    ...folders.map(({ name }) => `roles/${name}`),
  ];
  const types = controllers.map(({ type }) => type);
  const health = [
    ...(argocd ? [['argocd/argocd-cm.yaml', argocdHealth(types)] as const] : []),
    ...(flux ? [['flux/health-checks.yaml', fluxHealth(types)] as const] : []),
  ];
  const kustomized = ['kustomization.yaml', kustomization(resources)] as const;
  const files = [...crds, ...sharedFiles(), ...roles, kustomized, ...health];
  return Object.fromEntries(files.map(([file, text]) => [file, `${GENERATED}${text}`]));
}

/** Does not fold long lines, because the folding of a description may differ between releases. */
function crdYaml(definition: DesiredObject): string {
  return stringify(definition, { lineWidth: 0, aliasDuplicateObjects: false });
}

/**
 * The files of every installation: the namespace of evenkeel, its relay and the permission to read the UID of the
 * cluster.
 */
function sharedFiles(): (readonly [string, string])[] {
  const folder = join(packageRoot(), 'infra', 'kubernetes', 'roles', 'shared');
  return readdirSync(folder)
    .sort()
    .map((file) => [`roles/shared/${file}`, readFileSync(join(folder, file), 'utf8')] as const);
}

function kustomization(resources: readonly string[]): string {
  return `apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources:
${resources.map((resource) => `  - ${resource}\n`).join('')}`;
}
