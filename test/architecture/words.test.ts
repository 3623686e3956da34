import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { anchors, bannedWords, commentsAndStrings, glossaryTerms, links } from './words.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Generated from titles and names, or a record of its day. */
const NOT_PROSE = ['docs/requirements.md', 'docs/simulation.md', 'docs/decisions/', 'test/model/'];

const pages = globSync(['*.md', 'docs/**/*.md', 'lib/**/*.md', 'test/**/README.md'], { cwd: ROOT }).sort();
const sources = globSync(['lib/**/*.ts', 'cli/**/*.ts', 'functions/**/*.ts', 'infra/**/*.ts', 'bin/**/*.js'], {
  cwd: ROOT,
});
const manifests = globSync(['infra/**/*.yaml', 'examples/**/*.yaml', 'stages/*.yml'], { cwd: ROOT });

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
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
    const broken = pages.flatMap((path) =>
      links(read(path))
        .filter((link) => {
          const [file = '', anchor] = link.split('#');
          const target = file === '' ? path : join(dirname(path), file);
          if (!existsSync(join(ROOT, target))) return true;
          return anchor !== undefined && target.endsWith('.md') && !anchors(read(target)).has(anchor);
        })
        .map((link) => `${path}: ${link}`),
    );
    expect(broken).toEqual([]);
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
    const without = terms.filter(({ meaning, file }) => {
      return meaning === '' || file === undefined || !existsSync(join(ROOT, 'docs', file.split('#')[0] ?? ''));
    });
    expect(without).toEqual([]);
  });

  it('R-6.12 no term is there twice', () => {
    const names = terms.map(({ term }) => term.toLowerCase());
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});
