import type { ApiServer } from '../real-apiserver/connect-api-server.ts';
import type { PolicyRule } from '../support/role-manifests.ts';
import { inGroup, type Permission } from '../support/role-permissions.ts';

/** Removes one permission from its role in the cluster. @returns a function that restores the role. */
export async function takeRight(server: ApiServer, right: Permission): Promise<() => Promise<void>> {
  const path = `/apis/rbac.authorization.k8s.io/v1/${
    right.namespace === undefined ? 'clusterroles' : `namespaces/${right.namespace}/roles`
  }/${right.role}`;
  const { rules } = (await server.expectOk({ method: 'GET', path })).json<{ rules: PolicyRule[] }>();
  const write = async (next: readonly PolicyRule[]) => {
    await server.expectOk({ method: 'PATCH', path, body: { rules: next } });
  };
  await write(rules.flatMap((rule) => without(rule, right)));
  return () => write(rules);
}

/** Splits the rule into one for each of its resources and names, without the one verb of the one resource. */
function without(rule: PolicyRule, { verb, resource, name }: Permission): PolicyRule[] {
  const { apiGroups = [], resources = [], resourceNames, verbs } = rule;
  return apiGroups
    .flatMap((group) =>
      resources.flatMap((plural) =>
        (resourceNames ?? [undefined]).map((each) => {
          const isMeant = inGroup(plural, group) === resource && each === name;
          return {
            apiGroups: [group],
            resources: [plural],
            ...(each !== undefined && { resourceNames: [each] }),
            verbs: isMeant ? verbs.filter((known) => known !== verb) : verbs,
          };
        }),
      ),
    )
    .filter(({ verbs: left }) => left.length > 0);
}
