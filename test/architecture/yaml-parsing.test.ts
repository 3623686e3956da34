import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { withoutComments } from './import-specifiers.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Parses examples in its own source. */
const OWN_TEXTS = new Set(['lib/deployment/settings/settings-reference.ts']);

const IMPORTS_A_PARSER = /import\s*\{[^}]*\bparse\w*\b[^}]*\}\s*from 'yaml'/;
const PARSERS = /\bparse(?:Document|AllDocuments)?\b/g;

/** The text from here to the parenthesis that closes the first one. */
function callAt(code: string, start: number): string {
  let open = 0;
  for (let at = start; at < code.length; at += 1) {
    if (code[at] === '(') open += 1;
    if (code[at] === ')') open -= 1;
    if (open <= 0 && (code[at] === ')' || code[at] === ';')) return code.slice(start, at);
  }
  return code.slice(start);
}

/**
 * Whether a use of one of the library's parsers leaves the search for duplicate keys on. A parser that is passed on
 * counts as such a use.
 */
function leavesSearchOn(code: string): boolean {
  const imported = IMPORTS_A_PARSER.exec(code)?.[0] ?? '';
  const rest = code.replace(imported, '');
  return (imported.match(PARSERS) ?? []).some((name) => {
    const uses = [...rest.matchAll(new RegExp(`(?<![.\\w]|function |typeof )${name}\\b(?!:)`, 'g'))];
    return !uses.every(({ index }) => callAt(rest, index).includes('uniqueKeys: false'));
  });
}

/**
 * The files that let the YAML library search for duplicate keys. The time for it grows with the square of the number of
 * keys.
 */
function quadratic(files: Readonly<Record<string, string>>): string[] {
  return Object.entries(files)
    .map(([path, source]) => [path, withoutComments(source)] as const)
    .filter(([path, code]) => IMPORTS_A_PARSER.test(code) && !OWN_TEXTS.has(path))
    .filter(([, code]) => leavesSearchOn(code))
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
    "import { parse } from 'yaml'; const a = parse(one, { uniqueKeys: false }); const b = parse(other);",
    "import { parse } from 'yaml'; const a = [parse(one), parse(other, { uniqueKeys: false })];",
    "import { parse } from 'yaml'; const all = texts.map(parse);",
  ])('R-5.24 the rule finds a file that parses without turning it off: %s', (source) => {
    expect(quadratic({ 'lib/a.ts': source })).toEqual(['lib/a.ts']);
  });
});
