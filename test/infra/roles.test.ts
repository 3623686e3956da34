import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { roleManifests, roleSets } from '../support/role-manifests.ts';
import { permissionsOf, permissionsOfAccount, shownPermission } from '../support/role-permissions.ts';

const ROLES = new URL('../../infra/kubernetes/roles/', import.meta.url);
/** A service account alone may do nothing, but a token for it could. */
const KINDS_THAT_GRANT_MORE = /^(roles|clusterroles|rolebindings|clusterrolebindings)\b|^serviceaccounts\//;

function resourcesOf(kustomization: string): string[] {
  const text = readFileSync(new URL(`${kustomization}/kustomization.yaml`, ROLES), 'utf8');
  return (parse(text) as { resources: string[] }).resources;
}

describe('the shipped roles', () => {
  const manifests = roleManifests();
  const roles = manifests.filter(({ kind }) => kind === 'ClusterRole' || kind === 'Role');

  it('R-5.12 no rule has a wildcard, reaches beyond resources, or could grant its holder more', () => {
    expect(roles.length).toBeGreaterThan(4);
    for (const { metadata, rules = [] } of roles) {
      for (const rule of rules) {
        const words = [rule.apiGroups, rule.resources, rule.resourceNames, rule.verbs].flatMap((list) => list ?? []);
        expect(
          words.filter((word) => word.includes('*')),
          metadata.name,
        ).toEqual([]);
        expect(rule.nonResourceURLs, metadata.name).toBeUndefined();
        expect(
          rule.resources?.filter((resource) => KINDS_THAT_GRANT_MORE.test(resource)),
          metadata.name,
        ).toEqual([]);
        expect(rule.verbs.filter((verb) => /^(escalate|bind|impersonate|deletecollection)$/.test(verb))).toEqual([]);
      }
    }
  });

  it('R-5.12 R-4.4 without secret-contract nobody may list or watch Secrets', () => {
    const others = roleManifests(roleSets().filter((set) => !set.startsWith('secret-contract')));
    const lists = others
      .flatMap(permissionsOf)
      .filter(({ resource, verb }) => resource === 'secrets' && (verb === 'list' || verb === 'watch'));
    expect(lists.map(shownPermission)).toEqual([]);
  });

  it('R-5.12 no group has the permissions of another: its identity is bound to its own roles and the shared ones', () => {
    for (const { metadata } of manifests.filter(({ kind }) => kind === 'ServiceAccount')) {
      if (metadata.name === 'evenkeel-relay') continue;
      for (const { role } of permissionsOfAccount(manifests, metadata.name)) {
        expect(
          role === 'evenkeel-cluster-identity' || role.startsWith(metadata.name),
          `${metadata.name}: ${role}`,
        ).toBe(true);
      }
    }
  });

  it('R-5.12 the relay, which watches for all groups, changes nothing but its own Lease and the deployments’', () => {
    const writes = permissionsOfAccount(manifests, 'evenkeel-relay').filter(
      ({ verb }) => !['get', 'list', 'watch'].includes(verb),
    );
    expect(new Set(writes.map(({ resource, namespace }) => `${resource} in ${namespace}`))).toEqual(
      new Set(['leases.coordination.k8s.io in evenkeel-system']),
    );
  });

  it('every role is bound, once to each identity that it names, and every bound role is shipped', () => {
    const bindings = manifests.filter(({ kind }) => kind.endsWith('Binding'));
    const bound = new Set(bindings.map(({ roleRef }) => `${roleRef?.kind} ${roleRef?.name}`));
    expect(bound).toEqual(new Set(roles.map(({ kind, metadata }) => `${kind} ${metadata.name}`)));
    for (const { subjects = [], metadata } of bindings) {
      const accounts = subjects.filter(({ kind }) => kind === 'ServiceAccount').map(({ name }) => name);
      const groups = subjects.filter(({ kind }) => kind === 'Group').map(({ name }) => name.replace(':', '-'));
      expect(accounts, metadata.name).toHaveLength(1);
      expect(groups, metadata.name).toEqual(accounts);
    }
  });

  it('each folder lists all of its files for kustomize', () => {
    for (const folder of roleSets().filter((set) => !set.endsWith('.yaml'))) {
      const files = readdirSync(new URL(folder, ROLES)).filter((file) => file !== 'kustomization.yaml');
      expect(resourcesOf(folder).sort(), folder).toEqual(files.sort());
    }
    expect(resourcesOf('.')).toEqual(['shared', 'secret-contract']);
  });
});
