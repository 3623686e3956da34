import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { roleFiles } from '../../../lib/deployment/kubernetes/role-files.ts';
import { wrapped } from '../../../lib/deployment/kubernetes/role-yaml.ts';

const FOLDER = new URL('../../../infra/kubernetes/', import.meta.url);

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
