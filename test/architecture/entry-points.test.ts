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
    const sources = readSources(['lib', 'cli', 'functions', 'infra', 'build']);
    const importers = Object.entries(sources).filter(([, source]) =>
      importSpecifiers(source).some((specifier) => /(^esbuild$|\/bundle-functions\.ts$)/.test(specifier)),
    );
    const files = importers.map(([file]) => file).sort();
    expect(files).toEqual([
      'build/build.ts',
      'build/relay-container.ts',
      'lib/deployment/package/bundle-functions.ts',
      'lib/deployment/package/slim-packages.ts',
    ]);
  });
});
