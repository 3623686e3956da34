import { isDeepStrictEqual } from 'node:util';
import { EvenkeelError } from '../../lib/core/errors.ts';
import type { DesiredObject, KubeObject } from '../../lib/core/kube-object.ts';
import { Namespaces, type ResourceType } from '../../lib/core/resource-type.ts';
import { installedGroups } from '../../lib/deployment/groups/installed-groups.ts';
import { installedRegistry } from '../../lib/deployment/installation/installed-registry.ts';
import { groupRoles } from '../../lib/deployment/kubernetes/group-roles.ts';
import { compareDefinitions, installDefinitions } from '../../lib/deployment/kubernetes/install-definitions.ts';
import { kubectlCommand } from '../../lib/deployment/kubernetes/kubectl-command.ts';
import { neededDefinitions } from '../../lib/deployment/kubernetes/needed-definitions.ts';
import { sharedRoles } from '../../lib/deployment/package/manifests.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import { isApiError } from '../../lib/ports/cluster-api.ts';
import type { DeployedSettings } from '../deployed-stage.ts';
import type { ContextCluster } from './cluster-tools.ts';
import type { Step } from './steps.ts';

const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1' } as const;

/** The kinds of the objects in evenkeel's roles. */
const KINDS: readonly ResourceType[] = [
  Namespaces,
  { group: '', version: 'v1', plural: 'serviceaccounts', kind: 'ServiceAccount', namespaced: true },
  { ...RBAC, plural: 'clusterroles', kind: 'ClusterRole', namespaced: false },
  { ...RBAC, plural: 'roles', kind: 'Role', namespaced: true },
  { ...RBAC, plural: 'clusterrolebindings', kind: 'ClusterRoleBinding', namespaced: false },
  { ...RBAC, plural: 'rolebindings', kind: 'RoleBinding', namespaced: true },
];

const FIELD_MANAGER = 'evenkeel-install';

/**
 * The steps that create the CRDs, namespace, service accounts and roles of a stage's controller groups in a cluster.
 * There are no steps for objects that the cluster already has.
 * @throws EvenkeelError ROLE_REFUSED when the user of the context may not write one of them.
 * @throws ApiError
 */
export async function objectSteps(
  { settings, groups }: DeployedSettings,
  cluster: ContextCluster,
  clock: Clock,
): Promise<Step[]> {
  const definitions = neededDefinitions(installedRegistry(settings, { groups }), groups);
  const { namespaces } = settings.scope;
  const roles = installedGroups(settings, groups).flatMap((group) => groupRoles(group, namespaces));
  const steps = await definitionSteps(definitions, cluster, clock);
  const missing = new Set<string>();
  for (const object of [...sharedRoles(), ...roles].sort(byKind)) {
    const type = typeOf(object);
    const found = await find(object, type, cluster);
    if (found !== undefined && holds(found, object)) continue;
    if (found === undefined) missing.add(shown(object));
    if (!needed(object).some((name) => missing.has(name))) await tryApply(type, object, cluster);
    steps.push(applyStep(type, object, cluster));
  }
  return steps;
}

async function definitionSteps(
  definitions: readonly DesiredObject[],
  cluster: ContextCluster,
  clock: Clock,
): Promise<Step[]> {
  const steps: Step[] = [];
  const kubectl = kubectlCommand(cluster);
  for (const definition of definitions) {
    const { faults, notices } = await compareDefinitions(cluster.api, [definition]);
    if (faults.length + notices.length === 0) continue;
    steps.push({
      text: `install CRD ${definition.metadata.name}`,
      run: async () => {
        await installDefinitions(cluster.api, [definition], clock, () => undefined, kubectl);
        return undefined;
      },
    });
  }
  return steps;
}

function applyStep(type: ResourceType, object: DesiredObject, { api }: ContextCluster): Step {
  const { namespace = '', name } = object.metadata;
  return {
    text: `apply ${shown(object)}`,
    run: async () => {
      const body = { type: 'apply', patch: object, force: true } as const;
      await api.patch(type, { namespace, name }, body, { fieldManager: FIELD_MANAGER });
      return undefined;
    },
  };
}

/** Nobody can grant permissions that they do not have. The server reports that before anything is changed. */
async function tryApply(type: ResourceType, object: DesiredObject, cluster: ContextCluster): Promise<void> {
  try {
    await cluster.administration.tryApply(type, object);
  } catch (error) {
    if (!isApiError(error, 'Forbidden', 'Invalid')) throw error;
    throw new EvenkeelError(
      'ROLE_REFUSED',
      `${shown(object)}: the API server does not let the user of context ${cluster.context} write it (${error.reason}). A user can grant only permissions that it has. Nothing was changed. Use the context of a cluster administrator.`,
      { cause: error },
    );
  }
}

async function find(
  object: DesiredObject,
  type: ResourceType,
  { api }: ContextCluster,
): Promise<KubeObject | undefined> {
  const { namespace = '', name } = object.metadata;
  try {
    return await api.get(type, { namespace, name });
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** Whether an object has every desired field. Lists are compared as a whole, in order. */
function holds(found: unknown, desired: unknown): boolean {
  if (typeof desired !== 'object' || desired === null || Array.isArray(desired))
    return isDeepStrictEqual(found, desired);
  if (typeof found !== 'object' || found === null) return false;
  const fields = found as Record<string, unknown>;
  return Object.entries(desired).every(([field, value]) => Object.hasOwn(fields, field) && holds(fields[field], value));
}

/**
 * The objects that must exist before the server can test an object: its namespace, and the role that it binds. When the
 * role does not exist yet, the test of the role itself shows whether the user may grant it.
 */
function needed({ metadata, roleRef }: DesiredObject): string[] {
  const { namespace } = metadata;
  const { kind, name } = (roleRef ?? {}) as { readonly kind?: string; readonly name?: string };
  return [
    ...(namespace === undefined ? [] : [`Namespace ${namespace}`]),
    ...(kind === undefined ? [] : [`${kind} ${kind === 'Role' ? `${namespace}/` : ''}${name}`]),
  ];
}

/** The namespace comes first, and a role comes before its binding. */
function byKind(left: DesiredObject, right: DesiredObject): number {
  return KINDS.indexOf(typeOf(left)) - KINDS.indexOf(typeOf(right));
}

function typeOf({ kind, metadata }: DesiredObject): ResourceType {
  const type = KINDS.find((known) => known.kind === kind);
  if (type !== undefined) return type;
  throw new EvenkeelError('BROKEN_PACKAGE', `${kind} ${metadata.name} among the roles is of an unknown kind.`);
}

function shown({ kind, metadata }: DesiredObject): string {
  const { namespace, name } = metadata;
  return `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}
