import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { GROUPS } from '../../../lib/deployment/groups/registered-groups.ts';
import { podBindingFiles } from '../../../lib/deployment/kubernetes/pod-bindings.ts';
import { roleFiles } from '../../../lib/deployment/kubernetes/role-files.ts';
import { wrapped } from '../../../lib/deployment/kubernetes/role-yaml.ts';
import { type RoleManifest, roleManifests, roleSets } from '../../support/role-manifests.ts';

const FOLDER = new URL('../../../infra/kubernetes/', import.meta.url);
const POD = new URL('../../../infra/container/pod/', import.meta.url);

describe('the files in infra/kubernetes', () => {
  it('R-5.12 R-6.9 are what the manifests of the groups say (node build/cluster-roles.ts writes them)', () => {
    const files = roleFiles();
    for (const [file, text] of Object.entries(files))
      expect(readFileSync(new URL(file, FOLDER), 'utf8'), file).toBe(text);
    const folders = Object.keys(files).flatMap((file) => /^roles\/([^/]+)\//.exec(file)?.[1] ?? []);
    expect(readdirSync(new URL('roles', FOLDER)).sort()).toEqual(
      [...new Set([...folders, 'shared', 'kustomization.yaml'])].sort(),
    );
  });

  it('R-5.12 the bindings of the pod are what the manifests of the groups say (node build/cluster-roles.ts writes them)', () => {
    const files = podBindingFiles(GROUPS);
    for (const [file, text] of Object.entries(files)) expect(readFileSync(new URL(file, POD), 'utf8'), file).toBe(text);
    const folders = Object.keys(files).flatMap((file) => /^bindings\/([^/]+)\//.exec(file)?.[1] ?? []);
    expect(readdirSync(new URL('bindings', POD)).sort()).toEqual([...new Set(folders)].sort());
  });

  it('R-5.12 the pod is bound to each role of the worker and of the relay once, and to no other', () => {
    for (const set of roleSets()) {
      const pod = parseAllDocuments(readFileSync(new URL(`bindings/${set}/bindings.yaml`, POD), 'utf8'))
        .map((document) => document.toJS() as RoleManifest)
        .filter(({ roleRef }) => roleRef !== undefined && !roleRef.name.endsWith('-definitions'));
      const bound = pod.map(({ kind, metadata, roleRef }) => `${kind} ${metadata.namespace ?? ''} ${roleRef?.name}`);
      const wanted = roleManifests([set])
        .filter(
          ({ roleRef }) => roleRef !== undefined && (set === 'shared' || roleRef.name !== 'evenkeel-cluster-identity'),
        )
        .map(({ kind, metadata, roleRef }) => `${kind} ${metadata.namespace ?? ''} ${roleRef?.name}`);
      expect(bound.sort()).toEqual([...new Set(wanted)].sort());
      expect(pod.flatMap(({ subjects = [] }) => subjects.map(({ name }) => name))).toEqual(
        pod.map(() => 'evenkeel-pod'),
      );
    }
  });

  it.each([
    ['', ''],
    ['short', '# short\n'],
    ['x'.repeat(200), `# ${'x'.repeat(200)}\n`],
    [`${'x'.repeat(60)} ${'y'.repeat(58)}`, `# ${'x'.repeat(60)}\n# ${'y'.repeat(58)}\n`],
    [`${'x'.repeat(60)} ${'y'.repeat(57)}`, `# ${'x'.repeat(60)} ${'y'.repeat(57)}\n`],
  ])('a comment %j is broken into lines of 120 characters', (text, expected) => {
    expect(wrapped(text)).toBe(expected);
  });
});
