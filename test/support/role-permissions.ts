import type { RoleManifest } from './role-manifests.ts';

/** One thing that a role permits: a single verb on a single resource, by name where the rule says so. */
export interface Permission {
  readonly role: string;
  readonly verb: string;
  /** With its group, and the subresource where there is one: `secretcontracts.evenkeel.dev/status`. */
  readonly resource: string;
  /** Absent when any name is permitted. */
  readonly name?: string;
  /** Absent when any namespace is permitted. */
  readonly namespace?: string;
}

/** Everything that a role permits. */
export function permissionsOf({ kind, metadata, rules = [] }: RoleManifest): Permission[] {
  return rules.flatMap(({ apiGroups = [], resources = [], resourceNames, verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        verbs.flatMap((verb) =>
          (resourceNames ?? [undefined]).map((name) => ({
            role: metadata.name,
            verb,
            resource: inGroup(resource, group),
            ...(name !== undefined && { name }),
            ...(kind === 'Role' && metadata.namespace !== undefined && { namespace: metadata.namespace }),
          })),
        ),
      ),
    ),
  );
}

/** What the bindings give a service account of evenkeel-system. */
export function permissionsOfAccount(manifests: readonly RoleManifest[], account: string): Permission[] {
  const bindings = manifests.filter(
    ({ kind, subjects = [] }) =>
      kind.endsWith('Binding') &&
      subjects.some((subject) => subject.kind === 'ServiceAccount' && subject.name === account),
  );
  return bindings.flatMap(({ roleRef, metadata, kind }) => {
    const role = manifests.find(({ kind, metadata }) => kind === roleRef?.kind && metadata.name === roleRef.name);
    if (role === undefined) throw new Error(`${kind} ${metadata.name} names a role that is not shipped`);
    return permissionsOf(role);
  });
}

export function shownPermission({ role, verb, resource, name, namespace }: Permission): string {
  const where = namespace === undefined ? '' : ` in ${namespace}`;
  return `${role}: ${verb} ${resource}${name === undefined ? '' : ` ${name}`}${where}`;
}

/** `deployments/scale` of group `apps` is `deployments.apps/scale`. */
export function inGroup(resource: string, group: string): string {
  if (group === '') return resource;
  const [plural = '', subresource] = resource.split('/');
  return subresource === undefined ? `${plural}.${group}` : `${plural}.${group}/${subresource}`;
}
