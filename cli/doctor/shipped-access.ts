import type { DesiredObject } from '../../lib/core/kube-object.ts';
import type { ClusterIdentity } from '../../lib/deployment/cloud/cloud-names.ts';
import { installedGroups } from '../../lib/deployment/groups/installed-groups.ts';
import { type ControllerGroups, GROUPS } from '../../lib/deployment/groups/registered-groups.ts';
import { groupRoles } from '../../lib/deployment/kubernetes/group-roles.ts';
import { sharedRoles } from '../../lib/deployment/package/manifests.ts';
import type { Settings } from '../../lib/deployment/settings/settings-schema.ts';
import type { Access } from '../../lib/ports/access-review.ts';

interface PolicyRule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/**
 * The access that an identity needs in a cluster: everything in the generated roles (infra/kubernetes/roles), in the
 * namespaces of the settings.
 */
export function shippedAccess(
  identity: ClusterIdentity,
  settings: Settings,
  groups: ControllerGroups = GROUPS,
): Access[] {
  const manifests = [...sharedRoles(), ...installedGroups(settings, groups).flatMap((group) => groupRoles(group))];
  return manifests
    .filter((manifest) => binds(manifest, identity))
    .flatMap((binding) => accessOf(binding, manifests, settings));
}

function binds({ kind, subjects }: DesiredObject, identity: ClusterIdentity): boolean {
  if (!kind.endsWith('Binding') || !Array.isArray(subjects)) return false;
  return subjects.some(
    (subject: { kind?: unknown; name?: unknown }) =>
      subject.kind === 'ServiceAccount' && subject.name === `evenkeel-${identity}`,
  );
}

function accessOf(binding: DesiredObject, manifests: readonly DesiredObject[], settings: Settings): Access[] {
  const { kind, name } = binding.roleRef as { kind: string; name: string };
  const role = manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);
  const rules = (role?.rules ?? []) as readonly PolicyRule[];
  // In a limited installation, a binding for the whole cluster becomes one in each namespace.
  const limited = settings.scope.namespaces ?? [undefined];
  const namespaces = binding.kind === 'RoleBinding' ? [binding.metadata.namespace] : limited;
  return rules.flatMap((rule) => namespaces.flatMap((namespace) => ruleAccess(rule, namespace)));
}

function ruleAccess(
  { apiGroups = [], resources = [], resourceNames, verbs }: PolicyRule,
  namespace: string | undefined,
): Access[] {
  return apiGroups.flatMap((group) =>
    resources.flatMap((written) => {
      const [resource = '', subresource] = written.split('/');
      // A Namespace object is not in a namespace.
      const place = resource === 'namespaces' ? undefined : namespace;
      return verbs.flatMap((verb) =>
        (resourceNames ?? [undefined]).map((name) => ({
          verb,
          group,
          resource,
          ...(subresource !== undefined && { subresource }),
          ...(place !== undefined && { namespace: place }),
          ...(name !== undefined && { name }),
        })),
      );
    }),
  );
}

/** `list secrets`, `patch leases.coordination.k8s.io evenkeel-relay in evenkeel-system` */
export function accessText({ verb, group, resource, subresource, namespace, name }: Access): string {
  const kind = `${resource}${group === '' ? '' : `.${group}`}${subresource === undefined ? '' : `/${subresource}`}`;
  return [verb, kind, name, namespace === undefined ? undefined : `in ${namespace}`]
    .filter((part) => part !== undefined)
    .join(' ');
}
