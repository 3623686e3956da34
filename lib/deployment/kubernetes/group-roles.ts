import { parseAllDocuments } from 'yaml';
import type { AdditionalPermissions, ControllerGroup, PermissionRule, PermissionSet } from '../../controllers/group.ts';
import type { DesiredObject } from '../../core/kube-object.ts';
import type { InstalledGroup } from '../groups/installed-groups.ts';
import { RBAC_GROUP, roleDocument, roleYaml, wrapped } from './role-yaml.ts';
import { SYSTEM_NAMESPACE } from './system-namespace.ts';

/** A folder of roles that is applied as a whole, with `kubectl apply -k`. */
export interface RoleFolder {
  /** The name of the folder below infra/kubernetes/roles. */
  readonly name: string;
  /** The texts of its files, by name. */
  readonly files: Readonly<Record<string, string>>;
}

/** The input for roles: a controller group, or the controllers of an author. */
export interface RoleGroup extends Pick<ControllerGroup, 'name' | 'permissions'> {
  /** Bind the roles only in these namespaces. By default they are bound for the whole cluster. */
  readonly namespaces?: readonly string[];
}

const RELAY = 'relay';

/** The folders of a group: its main one, and one for each set of additional permissions that depends on settings. */
export function roleFolders(group: RoleGroup): RoleFolder[] {
  const { additional = [] } = group.permissions;
  const always = additional.filter(({ isNeeded }) => isNeeded === undefined);
  const bySettings = additional.filter(({ isNeeded }) => isNeeded !== undefined);
  return [
    folder(group.name, '', mainRoles(group, always), mainBindings(group, always)),
    ...bySettings.map((set) =>
      folder(
        `${group.name}-${set.name}`,
        `# Only where the settings of ${group.name} need it (docs/permissions.md).\n`,
        setRoles(group, set),
        setBindings(group, set),
      ),
    ),
  ];
}

/**
 * The objects that an installed group needs in a cluster with its present settings.
 * @param namespaces where the roles of a limited installation are bound. By default they are bound for the whole
 * cluster.
 */
export function groupRoles({ manifest, section }: InstalledGroup, namespaces?: readonly string[]): DesiredObject[] {
  const unneeded = (manifest.permissions.additional ?? [])
    .filter(({ isNeeded }) => isNeeded?.(section) === false)
    .map(({ name }) => `${manifest.name}-${name}`);
  return roleFolders({ ...manifest, ...(namespaces !== undefined && { namespaces }) })
    .filter(({ name }) => !unneeded.includes(name))
    .flatMap(({ files }) => [files['roles.yaml'], files['bindings.yaml']])
    .flatMap((text) =>
      parseAllDocuments(text ?? '', { uniqueKeys: false }).map((document) => document.toJS() as DesiredObject),
    );
}

function folder(name: string, head: string, roles: readonly string[], bindings: readonly string[]): RoleFolder {
  return {
    name,
    files: {
      'roles.yaml': roles.join('---\n'),
      'bindings.yaml': bindings.join('---\n'),
      'kustomization.yaml': `${head}apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources:
  - roles.yaml
  - bindings.yaml
`,
    },
  };
}

function mainRoles(group: RoleGroup, always: readonly AdditionalPermissions[]): string[] {
  const { permissions } = group;
  const about = `What the ${group.name} group may do in a cluster (R-5.12): the roles named -relay are for relay and resync, the others for the reconcile function of the group. ${permissions.about ?? ''}`;
  return [
    clusterRole(group, identityOf(group), { about, rules: permissions.reconcile }),
    roleYaml({
      about: 'The Lease that names the one deployment which drives the group in this cluster (R-1.10).',
      kind: 'Role',
      name: deploymentRole(group),
      namespace: SYSTEM_NAMESPACE,
      component: group.name,
      rules: [
        { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
        {
          apiGroups: ['coordination.k8s.io'],
          resources: ['leases'],
          resourceNames: [identityOf(group)],
          verbs: ['get', 'patch'],
        },
      ],
    }),
    clusterRole(group, `${identityOf(group)}-${RELAY}`, { about: permissions.relayAbout, rules: permissions.relay }),
    ...always.flatMap((set) => setRoles(group, set)),
  ];
}

function setRoles(group: RoleGroup, set: PermissionSet & { readonly name: string }): string[] {
  const name = `${identityOf(group)}-${set.name}`;
  return [
    clusterRole(group, name, { about: set.about, rules: set.reconcile }),
    clusterRole(group, `${name}-${RELAY}`, { about: set.relayAbout, rules: set.relay }),
  ];
}

function clusterRole(
  { name: component }: RoleGroup,
  name: string,
  { about, rules }: { readonly about: string | undefined; readonly rules: readonly PermissionRule[] },
): string {
  return roleYaml({ about, kind: 'ClusterRole', name, component, rules });
}

function mainBindings(group: RoleGroup, always: readonly AdditionalPermissions[]): string[] {
  const { reach = LIMITED } = group.permissions;
  const identity = identityOf(group);
  const about = wrapped(
    `Each identity is a service account, or the group that an EKS access entry or another authenticator maps a cloud role to. ${reach}`,
  );
  const account = roleDocument('', 'v1', 'ServiceAccount', identity, SYSTEM_NAMESPACE, group.name);
  return [
    `${about}${account}automountServiceAccountToken: false\n`,
    ...bindings(group, identity, identity, group.name),
    clusterBinding(group, `${identity}-cluster-identity`, 'evenkeel-cluster-identity', group.name),
    leaseBinding(group, deploymentRole(group), group.name),
    ...bindings(group, `${identity}-${RELAY}`, `${identity}-${RELAY}`, RELAY),
    `# Resync keeps the Lease of a deployment that has nothing to reconcile.\n${leaseBinding(group, `${deploymentRole(group)}-${RELAY}`, RELAY)}`,
    ...always.flatMap((set) => setBindings(group, set)),
  ];
}

const LIMITED =
  'For an installation limited to namespaces, bind the ClusterRoles by a RoleBinding in each of them (docs/permissions.md).';

function setBindings(group: RoleGroup, set: { readonly name: string }): string[] {
  const name = `${identityOf(group)}-${set.name}`;
  return [
    clusterBinding(group, name, name, group.name),
    clusterBinding(group, `${name}-${RELAY}`, `${name}-${RELAY}`, RELAY),
  ];
}

/** One binding for the whole cluster, or one in each namespace of a limited installation. */
function bindings(group: RoleGroup, name: string, role: string, identity: string): string[] {
  if (group.namespaces === undefined) return [clusterBinding(group, name, role, identity)];
  return group.namespaces.map((namespace) => {
    const head = roleDocument(RBAC_GROUP, 'v1', 'RoleBinding', name, namespace, group.name);
    return `${head}${boundTo('ClusterRole', role, identity)}`;
  });
}

function clusterBinding(group: RoleGroup, name: string, role: string, identity: string): string {
  const head = roleDocument(RBAC_GROUP, 'v1', 'ClusterRoleBinding', name, undefined, group.name);
  return `${head}${boundTo('ClusterRole', role, identity)}`;
}

function leaseBinding(group: RoleGroup, name: string, identity: string): string {
  const head = roleDocument(RBAC_GROUP, 'v1', 'RoleBinding', name, SYSTEM_NAMESPACE, group.name);
  return `${head}${boundTo('Role', deploymentRole(group), identity)}`;
}

function boundTo(kind: 'ClusterRole' | 'Role', role: string, identity: string): string {
  return `roleRef:
  apiGroup: ${RBAC_GROUP}
  kind: ${kind}
  name: ${role}
subjects:
  - kind: ServiceAccount
    name: evenkeel-${identity}
    namespace: ${SYSTEM_NAMESPACE}
  - kind: Group
    apiGroup: ${RBAC_GROUP}
    name: evenkeel:${identity}
`;
}

function identityOf({ name }: RoleGroup): string {
  return `evenkeel-${name}`;
}

function deploymentRole(group: RoleGroup): string {
  return `${identityOf(group)}-deployment`;
}
