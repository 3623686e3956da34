import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { withoutComments } from './import-specifiers.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Parses examples that stand in its own source. */
const OWN_TEXTS = new Set(['lib/deployment/settings/settings-reference.ts']);

const IMPORTS_A_PARSER = /import\s*\{[^}]*\bparse\w*\b[^}]*\}\s*from 'yaml'/;
const CALL = /(?<![.\w]|function )parse(?:Document|AllDocuments)?\(/g;

/** The files that let the YAML library look for keys that stand twice, which takes time that grows with their square. */
function quadratic(files: Readonly<Record<string, string>>): string[] {
  return Object.entries(files)
    .map(([path, source]) => [path, withoutComments(source)] as const)
    .filter(([path, code]) => IMPORTS_A_PARSER.test(code) && !OWN_TEXTS.has(path))
    .filter(([, code]) => {
      const calls = [...code.matchAll(CALL)].map(({ index }) => code.slice(index, code.indexOf(');', index)));
      return !calls.some((call) => call.includes('uniqueKeys: false'));
    })
    .map(([path]) => path);
}

describe('YAML of others', () => {
  it('R-5.24 every file that parses YAML turns the quadratic search for repeated keys off', () => {
    const paths = globSync(['lib/**/*.ts', 'functions/**/*.ts', 'cli/**/*.ts', 'infra/**/*.ts'], { cwd: ROOT });
    const files = Object.fromEntries(paths.map((path) => [path, readFileSync(`${ROOT}/${path}`, 'utf8')]));
    expect(Object.values(files).filter((source) => IMPORTS_A_PARSER.test(source)).length).toBeGreaterThan(5);
    expect(quadratic(files)).toEqual([]);
  });

  it.each([
    "import { parse } from 'yaml'; parse(text);",
    "import { LineCounter, parseDocument } from 'yaml'; parseDocument(text, { version: '1.2' }); // uniqueKeys: false",
    "import { parseAllDocuments } from 'yaml'; const a = parseAllDocuments(text, { uniqueKeys: true });",
  ])('R-5.24 the rule finds a file that parses without turning it off: %s', (source) => {
    expect(quadratic({ 'lib/a.ts': source })).toEqual(['lib/a.ts']);
  });
});
