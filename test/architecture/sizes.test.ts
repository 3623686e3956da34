import { describe, expect, it } from 'vitest';
import { readSources } from './read-sources.ts';
import { type SyntaxNode, walk } from './syntax-tree.ts';

const MAX_FILE_LINES = 300;
const MAX_FUNCTION_LINES = 60;

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

const SOURCES = Object.entries(readSources(['lib', 'cli', 'functions'], ['.ts', '.tsx']));

function linesOf(text: string): number {
  return text.replace(/\n$/, '').split('\n').length;
}

/** Files with more lines than one may have. @param files source text by path. */
function longFiles(files: Iterable<readonly [string, string]>): string[] {
  return [...files].filter(([, source]) => linesOf(source) > MAX_FILE_LINES).map(([path]) => path);
}

/** Functions with more lines than one may have, nested ones included: `name: lines`. */
function longFunctions(source: string, lang: 'ts' | 'tsx' = 'ts'): string[] {
  const long: string[] = [];
  walk(
    source,
    (node, around) => {
      if (!FUNCTIONS.has(node.type)) return;
      const lines = linesOf(source.slice(node.start, node.end));
      if (lines > MAX_FUNCTION_LINES) long.push(`${nameOf(node, around)}: ${lines}`);
    },
    lang,
  );
  return long;
}

function nameOf(node: SyntaxNode, [parent]: readonly SyntaxNode[]): string {
  const named = (node.id ?? parent?.key ?? parent?.id ?? {}) as { readonly name?: string };
  return named.name ?? 'a function without a name';
}

describe('the sources', () => {
  it('no file passes 300 lines when lib, cli and functions are counted', () => {
    expect(SOURCES.length).toBeGreaterThan(500);
    expect(longFiles(SOURCES)).toEqual([]);
  });

  it.each([
    [300, 'a line feed at its end', []],
    [301, 'a line feed at its end', ['lib/a.ts']],
    [300, 'none at its end', []],
    [301, 'none at its end', ['lib/a.ts']],
  ])('a file of %i lines with %s is judged as %3$j', (lines, end, found) => {
    const source = Array.from({ length: lines }, () => 'x();').join('\n');
    expect(longFiles([['lib/a.ts', end.startsWith('none') ? source : `${source}\n`]])).toEqual(found);
  });

  it('no function passes 60 lines when lib, cli and functions are counted', () => {
    const long = SOURCES.flatMap(([path, source]) =>
      longFunctions(source, path.endsWith('.tsx') ? 'tsx' : 'ts').map((found) => `${path} ${found}`),
    );
    expect(long).toEqual([]);
  });

  it.each([
    ['a function', `function long() {${'\n'.repeat(60)}}`, ['long: 61']],
    ['a method', `class A { #long() {${'\n'.repeat(60)}} }`, ['long: 61']],
    ['an arrow function', `const long = async () => {${'\n'.repeat(60)}};`, ['long: 61']],
    [
      'a function with one in it',
      `function long() {\n  return () => {${'\n'.repeat(60)}  };\n}`,
      ['long: 63', 'a function without a name: 61'],
    ],
    ['a function that is just short enough', `function short() {${'\n'.repeat(59)}}`, []],
    ['many short functions', 'const a = () => {\n};\n'.repeat(40).replaceAll('const a', 'var a'), []],
  ])('the count finds %s', (_, source, found) => {
    expect(longFunctions(source)).toEqual(found);
  });
});
