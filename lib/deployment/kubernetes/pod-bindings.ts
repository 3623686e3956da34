import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { ControllerGroup } from '../../controllers/group.ts';
import { kindId } from '../../core/resource-type.ts';
import { packageRoot } from '../package/package-root.ts';
import { type RoleGroup, roleFolders } from './group-roles.ts';
import { RBAC_GROUP, roleDocument, roleYaml } from './role-yaml.ts';
import { SYSTEM_NAMESPACE } from './system-namespace.ts';

/** The service account of the pod that runs all parts. */
const ACCOUNT = 'evenkeel-pod';
const COMPONENT = 'pod';
/** The bindings of each group name it; a pod needs it once. */
const CLUSTER_IDENTITY = 'evenkeel-cluster-identity';

/** The fields that are used of a binding. */
interface Binding {
  readonly kind: string;
  readonly metadata: { readonly namespace?: string };
  readonly roleRef: { readonly kind: 'ClusterRole' | 'Role'; readonly name: string };
}

export interface PodGroup extends RoleGroup, Pick<ControllerGroup, 'kinds'> {}

/**
 * Binds the pod, which is both worker and relay, to the roles of both, by the folders of the roles.
 * @returns the text of each folder's bindings.yaml.
 */
export function podBindings(groups: readonly PodGroup[]): Record<string, string> {
  const folders = groups.flatMap((group) => roleFolders(group).map((folder) => ({ group, folder })));
  return Object.fromEntries([
    ['shared', bindingsOf(sharedTexts()).join('---\n')],
    ...folders.map(({ group, folder: { name, files } }) => {
      const bound = bindingsOf([files['bindings.yaml'] ?? ''], ({ roleRef }) => roleRef.name !== CLUSTER_IDENTITY);
      const definitions = name === group.name ? definitionsRole(group) : [];
      return [name, [...definitions, ...bound].join('---\n')];
    }),
  ]);
}

function sharedTexts(): string[] {
  const folder = join(packageRoot(), 'infra', 'kubernetes', 'roles', 'shared');
  return readdirSync(folder)
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8'));
}

/** The bindings of some texts, without duplicates in a namespace. */
function bindingsOf(texts: readonly string[], isWanted: (binding: Binding) => boolean = () => true): string[] {
  const documents = texts.flatMap((text) =>
    parseAllDocuments(text, { uniqueKeys: false }).map((document) => document.toJS() as Binding),
  );
  const byRole = new Map<string, string>();
  for (const binding of documents.filter(({ kind }) => kind.endsWith('Binding')).filter(isWanted)) {
    const { kind, metadata, roleRef } = binding;
    byRole.set(`${metadata.namespace ?? ''}/${roleRef.name}`, bindingYaml(kind, roleRef, metadata.namespace));
  }
  return [...byRole.values()];
}

/** At its start, the pod compares the definitions of the cluster with its own. */
function definitionsRole({ name, kinds }: PodGroup): string[] {
  const names = kinds.map(({ type }) => kindId(type)).sort();
  if (names.length === 0) return [];
  const role = `${ACCOUNT}-${name}-definitions`;
  const rule = {
    apiGroups: ['apiextensions.k8s.io'],
    resources: ['customresourcedefinitions'],
    resourceNames: names,
    verbs: ['get'],
  };
  const about = 'A start compares these definitions with those of its release.';
  return [
    roleYaml({ about, kind: 'ClusterRole', name: role, component: COMPONENT, rules: [rule] }),
    bindingYaml('ClusterRoleBinding', { kind: 'ClusterRole', name: role }),
  ];
}

function bindingYaml(kind: string, role: Binding['roleRef'], namespace?: string): string {
  const name = role.name.startsWith(ACCOUNT) ? role.name : role.name.replace(/^evenkeel/, ACCOUNT);
  return `${roleDocument(RBAC_GROUP, 'v1', kind, name, namespace, COMPONENT)}roleRef:
  apiGroup: ${RBAC_GROUP}
  kind: ${role.kind}
  name: ${role.name}
subjects:
  - kind: ServiceAccount
    name: ${ACCOUNT}
    namespace: ${SYSTEM_NAMESPACE}
`;
}

/** The bindings of this package's groups as files, by their paths from infra/container/pod. */
export function podBindingFiles(groups: readonly PodGroup[]): Record<string, string> {
  const kustomization = `apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources:
  - bindings.yaml
`;
  return Object.fromEntries(
    Object.entries(podBindings(groups)).flatMap(([folder, text]) => [
      [`bindings/${folder}/bindings.yaml`, text],
      [`bindings/${folder}/kustomization.yaml`, kustomization],
    ]),
  );
}
