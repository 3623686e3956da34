import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { anchors, bannedWords, commentsAndStrings, glossaryTerms, links, type Term } from './words.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Generated from titles and names, or a historical record. */
const NOT_PROSE = ['docs/requirements.md', 'docs/simulation.md', 'docs/decisions/', 'test/model/'];

const pages = globSync(['*.md', 'docs/**/*.md', 'lib/**/*.md', 'test/**/README.md'], { cwd: ROOT }).sort();
const sources = globSync(['lib/**/*.ts', 'cli/**/*.ts', 'functions/**/*.ts', 'infra/**/*.ts', 'bin/**/*.js'], {
  cwd: ROOT,
});
const manifests = globSync(['infra/**/*.yaml', 'examples/**/*.yaml', 'stages/*.yml'], { cwd: ROOT });

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/**
 * The links of a page that lead to no file, or to no heading of it. @param textOf undefined when the file does not
 * exist.
 */
function brokenLinks(path: string, textOf: (path: string) => string | undefined): string[] {
  return links(textOf(path) ?? '').filter((link) => {
    const [file = '', anchor] = link.split('#');
    const target = file === '' ? path : join(dirname(path), file);
    const text = textOf(target);
    if (text === undefined) return true;
    return anchor !== undefined && target.endsWith('.md') && !anchors(text).has(anchor);
  });
}

/** The text of a file of the repository; empty for a folder. */
function textIfThere(path: string): string | undefined {
  if (!existsSync(join(ROOT, path))) return undefined;
  return statSync(join(ROOT, path)).isDirectory() ? '' : read(path);
}

/** Terms without a meaning, or without an existing file. @param isThere whether the linked file exists. */
function incompleteTerms(terms: readonly Term[], isThere: (file: string) => boolean): string[] {
  return terms
    .filter(({ meaning, file }) => meaning === '' || file === undefined || !isThere(file.split('#')[0] ?? ''))
    .map(({ term }) => term);
}

/** Terms that occur more than once, ignoring case. */
function repeatedTerms(terms: readonly Term[]): string[] {
  const names = terms.map(({ term }) => term.toLowerCase());
  return names.filter((name, index) => names.indexOf(name) !== index);
}

describe('words', () => {
  it.each([
    [
      'a page',
      pages.filter((path) => path !== 'CHANGELOG.md' && !NOT_PROSE.some((start) => path.startsWith(start))),
      read,
    ],
    ['a comment or a string of a source', sources, (path: string) => commentsAndStrings(read(path))],
    ['a manifest', manifests, read],
  ])('R-6.12 no banned word is in %s', (_, paths, textOf) => {
    expect(paths.length).toBeGreaterThan(3);
    expect(paths.flatMap((path) => bannedWords(textOf(path)).map((found) => `${path}:${found}`))).toEqual([]);
  });

  it.each([
    ['/** Begins anew. */ const a = 1;', 1],
    ['const a = 1; // next\n// Whoever reads it waits.', 2],
    ["throw new Error('another one came meanwhile');", 1],
    [`const a = \`\${b} is gone, which is for the commit to tell\`;`, 1],
    [`throw new Error(\`besides \${count} others\`);`, 1],
  ])('R-6.12 the rule finds the banned word in %j', (source, line) => {
    expect(bannedWords(commentsAndStrings(source))).toEqual([expect.stringMatching(new RegExp(`^${line}: `))]);
  });

  it.each([
    'const beside = { anew: meanwhile };',
    `const a = \`\${beside} stays\`;`,
    "const renewal = 'renewed again';",
  ])('R-6.12 the rule accepts names in code, and longer words: %j', (source) => {
    expect(bannedWords(commentsAndStrings(source))).toEqual([]);
  });
});

describe('the pages', () => {
  it('R-6.12 every link leads to a file and a heading that exist', () => {
    const broken = pages.flatMap((path) => brokenLinks(path, textIfThere).map((link) => `${path}: ${link}`));
    expect(broken).toEqual([]);
  });

  it.each([
    ['[a](b.md)', []],
    ['[a](b.md#one-heading)', []],
    ['# Own\n[a](#own)', []],
    ['[a](c.md)', ['c.md']],
    ['[a](b.md#other)', ['b.md#other']],
    ['# Own\n[a](#other)', ['#other']],
    ['[a](../docs/c.md)', ['../docs/c.md']],
  ])('R-6.12 the rule for links judges %j as %j', (page, broken) => {
    const files = new Map([
      ['docs/a.md', page],
      ['docs/b.md', '# One heading'],
    ]);
    expect(brokenLinks('docs/a.md', (path) => files.get(path))).toEqual(broken);
  });

  it('R-6.12 the rule for links sees files and headings, and no code', () => {
    expect(links('[a](b.md#c) and [d](https://e.f)\n```\n[g](h)\n```\n`[i](j)`')).toEqual(['b.md#c']);
    expect([...anchors("# What it costs\n## The owner's `name`, again\n```\n# no heading\n```")]).toEqual([
      'what-it-costs',
      'the-owners-name-again',
    ]);
  });
});

describe('docs/glossary.md', () => {
  const terms = glossaryTerms(read('docs/glossary.md'));

  it('R-6.12 every term has one sentence and names the file where it lives', () => {
    expect(terms.length).toBeGreaterThan(50);
    expect(incompleteTerms(terms, (file) => existsSync(join(ROOT, 'docs', file)))).toEqual([]);
  });

  it('R-6.12 no term is there twice', () => {
    expect(repeatedTerms(terms)).toEqual([]);
  });

  it('R-6.12 the rules for terms find one without a meaning, one without a file, and one that is there twice', () => {
    const page = [
      '| term | meaning | controller-runtime | AWS | in code | where |',
      '|---|---|---|---|---|---|',
      '| whole | It has all. | - | - | | [a](a.ts) |',
      '| empty | | - | - | | [a](a.ts) |',
      '| homeless | It lives nowhere. | - | - | | |',
      '| gone | Its file is gone. | - | - | | [b](b.ts#L1) |',
      '| Whole | It has all. | - | - | | [a](a.ts#L1) |',
    ].join('\n');
    const made = glossaryTerms(page);
    expect(incompleteTerms(made, (file) => file === 'a.ts')).toEqual(['empty', 'homeless', 'gone']);
    expect(repeatedTerms(made)).toEqual(['whole']);
  });
});
