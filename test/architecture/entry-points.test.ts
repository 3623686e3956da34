import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { importSpecifiers } from './import-specifiers.ts';
import { readSources } from './read-sources.ts';

const FUNCTIONS = fileURLToPath(new URL('../../functions', import.meta.url));
const LONGEST_ENTRY_POINT = 40;

/** @returns `file: lines` for each source that has more lines than an entry point may have. */
function longEntryPoints(sources: Readonly<Record<string, string>>): string[] {
  const lines = (text: string) => text.trimEnd().split('\n').length;
  return Object.entries(sources).flatMap(([file, text]) =>
    lines(text) > LONGEST_ENTRY_POINT ? [`${file}: ${lines(text)}`] : [],
  );
}

/** The files that import esbuild, or what runs it. */
function bundlerImporters(sources: Readonly<Record<string, string>>): string[] {
  const isBundler = (specifier: string) => /(^esbuild$|\/(bundle-functions|container-tree)\.ts$)/.test(specifier);
  return Object.keys(sources)
    .filter((file) => importSpecifiers(sources[file] ?? '').some(isBundler))
    .sort();
}

describe('the entry points in functions/', () => {
  it('R-6.9 each entry point has at most 40 lines', () => {
    const files = readdirSync(FUNCTIONS, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    expect(files.length).toBeGreaterThan(4);
    const sources = files.map((file) => [file, readFileSync(`${FUNCTIONS}/${file}`, 'utf8')]);
    expect(longEntryPoints(Object.fromEntries(sources))).toEqual([]);
  });

  it.each([
    [40, []],
    [41, ['a.ts: 41']],
    [200, ['a.ts: 200']],
  ])('an entry point of %i lines is judged as %j', (count, found) => {
    expect(longEntryPoints({ 'a.ts': 'x();\n'.repeat(count) })).toEqual(found);
  });

  it('R-6.9 only what packages a deployment imports the bundler, because esbuild is a development dependency', () => {
    expect(bundlerImporters(readSources(['lib', 'cli', 'functions', 'infra', 'build']))).toEqual([
      'build/build.ts',
      'build/container.ts',
      'cli/container.ts',
      'infra/serverless-plugin.ts',
      'lib/deployment/package/bundle-functions.ts',
      'lib/deployment/package/console-page.ts',
      'lib/deployment/package/container-tree.ts',
      'lib/deployment/package/slim-packages.ts',
    ]);
  });

  it.each([
    ["import { build } from 'esbuild';", true],
    ["const { build } = await import('esbuild');", true],
    ["import { bundle } from '../package/bundle-functions.ts';", true],
    ["// import { build } from 'esbuild';", false],
    ["import type { Stage } from './stage.ts';", false],
  ])('the rule for the bundler judges %j as %j', (source, imports) => {
    expect(bundlerImporters({ 'cli/a.ts': source })).toEqual(imports ? ['cli/a.ts'] : []);
  });
});
