import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { GROUPS } from '../../lib/deployment/groups/registered-groups.ts';
import { readSources } from './read-sources.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const REGISTRATION = 'lib/controllers/groups.ts';

/**
 * Every line outside a group's folder that contains the group's name, comments included. @param files source text by
 * path.
 */
function strayNames(names: readonly string[], files: Readonly<Record<string, string>>): string[] {
  return names.flatMap((name) => {
    const spellings = [name, camelCase(name)].join('|');
    const pattern = new RegExp(`(?<![A-Za-z0-9])(?:${spellings})(?![A-Za-z0-9])`);
    return Object.entries(files)
      .filter(([file]) => !file.startsWith(`lib/controllers/${name}/`))
      .flatMap(([file, text]) => text.split('\n').map((line) => [file, line.trim()] as const))
      .filter(([, line]) => pattern.test(line))
      .map(([file, line]) => `${name} in ${file}: ${line}`);
  });
}

function camelCase(name: string): string {
  return name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** Folders that belong to no group, and groups without a folder. */
function strayFolders(folders: readonly string[], names: readonly string[]): string[] {
  return [...folders.filter((each) => !names.includes(each)), ...names.filter((each) => !folders.includes(each))];
}

describe('the name of a controller group', () => {
  it('R-6.9 a group is named in its folder and in one registration line, and nowhere else', () => {
    const configuration = ['serverless.yml', 'package.json'];
    const files = {
      ...readSources(['bin', 'cli', 'functions', 'infra', 'lib', 'build']),
      ...Object.fromEntries(configuration.map((file) => [file, readFileSync(`${ROOT}/${file}`, 'utf8')])),
    };
    const found = strayNames(
      GROUPS.map(({ name }) => name),
      files,
    );
    expect(found).toEqual(
      GROUPS.map(({ name }) => {
        const line = `export { ${camelCase(name)} } from './${name}/group.ts';`;
        return `${name} in ${REGISTRATION}: ${line}`;
      }),
    );
  });

  it.each([
    ['cli/a.ts', "if (settings.groups['control-plane'] === undefined) return;"],
    ['infra/a.ts', '/** For secret-contract alone. */'],
    ['lib/deployment/a.ts', 'const { controlPlane } = settings.groups;'],
    ['lib/controllers/control-plane/a.ts', 'const other = `queue-t4-events`;'],
  ])('a stray name is found in %s', (file, line) => {
    expect(strayNames(['control-plane', 'secret-contract', 't4'], { [file]: line })).toHaveLength(1);
  });

  it.each([
    ['lib/controllers/control-plane/group.ts', "name: 'control-plane',"],
    ['cli/a.ts', 'const kind = T4Sessions; // of SecretContracts, in at4 and t4x'],
  ])('what is no stray name passes: %s', (file, line) => {
    expect(strayNames(['control-plane', 'secret-contract', 't4'], { [file]: line })).toEqual([]);
  });

  it('R-6.9 every folder in lib/controllers is the folder of a registered group, with its manifest', () => {
    const entries = readdirSync(`${ROOT}/lib/controllers`, { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    const names = GROUPS.map(({ name }) => name);
    expect(strayFolders(folders, names)).toEqual([]);
  });

  it.each([
    ['a folder without a group', ['a', 'b', 'c'], ['c']],
    ['a group without a folder', ['a'], ['b']],
    ['a folder for each group', ['b', 'a'], []],
  ])('the rule for folders judges %s', (_, folders, stray) => {
    expect(strayFolders(folders, ['a', 'b'])).toEqual(stray);
  });
});
