import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { controllerFiles } from '../../cli/init/controller-files.ts';
import { projectFiles } from '../../cli/init/project-files.ts';
import { DEFAULT_GROUP, DEFAULT_KIND, projectNames } from '../../cli/init/project-names.ts';
import { GROUPS } from '../../lib/deployment/groups/registered-groups.ts';
import { namedIn, strayNames } from './stray-names.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const linesOf = (text = '') => text.trimEnd().split('\n').length;

/** The numbers of a row of the table in CONTRIBUTING.md: files and lines. */
function stated(row: string): readonly number[] {
  const line = readFileSync(`${ROOT}/CONTRIBUTING.md`, 'utf8')
    .split('\n')
    .find((found) => found.startsWith(`| ${row} |`));
  return (line ?? '').split('|').slice(2, 4).map(Number);
}

describe('what a new controller touches, as CONTRIBUTING.md states it', () => {
  it('R-6.9 a controller group of this package touches one line of one file outside of its own when it is added', () => {
    const [files, lines] = stated('a controller group of this package, outside of its own files');
    for (const { name } of GROUPS) {
      const found = strayNames([name], namedIn());
      expect(found).toHaveLength(lines ?? 0);
      expect(new Set(found.map((line) => line.split(':')[0])).size).toBe(files);
    }
  });

  it('R-6.9 a controller of an author, with its kind, is one file of few lines when init writes it', () => {
    const names = projectNames({ name: 'greeter', group: DEFAULT_GROUP, kind: DEFAULT_KIND });
    const files = { ...projectFiles(names, {}), ...controllerFiles(names) };
    const needed = Object.entries(files).filter(
      // The others show an object of the kind, or test it.
      ([file, text]) => text.includes(DEFAULT_KIND) && /(?<!\.test)\.ts$/.test(file),
    );
    expect([needed.length, linesOf(needed[0]?.[1])]).toEqual(stated('a controller of your own, with its kind'));
  });

  it('R-6.9 settings and secrets of an author are a few lines of the same file when the guide shows them', () => {
    const guide = readFileSync(`${ROOT}/docs/writing-a-controller.md`, 'utf8');
    const listing = /^```ts zone\.ts\n(?<code>[\s\S]*?)^```$/m.exec(guide)?.groups?.code ?? '';
    const group = /^export const dns = defineGroup\([\s\S]*?^\}\);$/m.exec(listing)?.[0];
    const uses = listing.split('\n').filter((line) => line.includes('group: dns'));
    expect([1, linesOf(group) + uses.length]).toEqual(stated('settings and secrets for it, in the same file'));
  });
});
