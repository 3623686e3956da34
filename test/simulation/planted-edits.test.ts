import { describe, expect, it } from 'vitest';
import { applyEdits, type Edit } from './planted/source/apply-edits.ts';
import { SourceTree } from './planted/source/source-tree.ts';

const FILE = 'lib/core/part.ts';

/** The text of a file of lib after an edit. */
function edited(text: string, ...edits: Edit[]): string | undefined {
  return applyEdits(new SourceTree(new Map([[FILE, text]])), edits).get(FILE);
}

describe('an edit of a planted fault', () => {
  it.each<[string, string, Edit, string]>([
    [
      'a function',
      'export function bound(a: number): number {\n  return a + 1;\n}\nexport function other(a: number) {\n  return a + 1;\n}\n',
      { inside: 'bound', find: 'a + 1', replace: 'a' },
      'export function bound(a: number): number {\n  return a;\n}\nexport function other(a: number) {\n  return a + 1;\n}\n',
    ],
    [
      'a method of one of two classes',
      'class A { run() { go(1); } }\nclass B { run() { go(1); } }\n',
      { inside: 'B.run', find: 'go(1);', replace: '' },
      'class A { run() { go(1); } }\nclass B { run() {  } }\n',
    ],
    [
      'a private method',
      'export class A { #rest = 1; async #run() { return 1; } run() { return 1; } }',
      { inside: 'A.#run', find: 'return 1;', replace: '' },
      'export class A { #rest = 1; async #run() {  } run() { return 1; } }',
    ],
    [
      'a constant',
      'export const LIMITS = { a: 5_000, b: 5_000 };\nconst a = 5_000;\n',
      { inside: 'LIMITS', find: 'b: 5_000', replace: 'b: 0' },
      'export const LIMITS = { a: 5_000, b: 0 };\nconst a = 5_000;\n',
    ],
    [
      'a text after characters that take more than one byte',
      "const a = '’€😀';\nfunction f() { return 1; }",
      { inside: 'f', find: 'return 1;', replace: 'return 2;' },
      "const a = '’€😀';\nfunction f() { return 2; }",
    ],
  ])('R-5.5 changes %s and nothing else', (_, text, edit, after) => {
    expect(edited(text, edit)).toBe(after);
  });

  it.each<[string, string, string]>([
    ['on one line', 'call(one, [two]);', 'X;'],
    ['over several lines, with the commas of the formatter', 'call(\n    one,\n    [\n      two,\n    ],\n  );', 'X;'],
    ['with comments in it', 'call(one, // why\n /* because */ [two]);', 'X;'],
  ])('R-5.5 finds its tokens when they stand %s', (_, text, after) => {
    expect(edited(`function f() { ${text} }`, { inside: 'f', find: 'call(one, [two]);', replace: 'X;' })).toBe(
      `function f() { ${after} }`,
    );
    expect(edited('function f() { call(one, [two]); }', { inside: 'f', find: text, replace: 'X;' })).toBe(
      'function f() { X; }',
    );
  });

  it.each([
    ['quotes', 'return "a";', "return 'a';"],
    ['digits', 'return 5000;', 'return 5_000;'],
    ['a trailing comma at the end', 'return { a: 1, b: 2 };', 'b: 2,'],
  ])('R-5.5 finds its tokens when they are spelled with other %s', (_, text, find) => {
    expect(edited(`function f() { ${text} }`, { inside: 'f', find, replace: 'X' })).toContain('X');
  });

  it.each([
    ['a text in a string', "return 'a + b';", 'a + b'],
    ['part of a name', 'return abc;', 'ab'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a source.
    ['part of a template', 'return `a ${b} c`;', '} c`'],
    ['a text in a comment', '// a + b\nreturn 1;', 'a + b'],
    ['a comma that separates', 'return [a, b];', 'a b'],
    ['a number in a regular expression', 'return /1/;', '1'],
  ])('R-5.5 does not find %s', (_, text, find) => {
    expect(() => edited(`function f() { ${text} }`, { inside: 'f', find, replace: '' })).toThrow(
      `f in ${FILE} has no tokens \`${find}\``,
    );
  });

  it('R-5.5 finds tokens of templates and regular expressions as a whole', () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a source.
    const text = "function f() { return `a ${g({ b: `c${d}` })} e`.split(/[/'`]/).length / 2; }";
    expect(edited(text, { inside: 'f', find: ".split(/[/'`]/)", replace: '' })).toBe(
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a source.
      'function f() { return `a ${g({ b: `c${d}` })} e`.length / 2; }',
    );
  });

  it('R-5.5 makes several edits of one file at the places that they had before', () => {
    const text = 'function f() { return 1; }\nfunction g() { return 1; }\n';
    const one = { inside: 'f', find: 'return 1;', replace: 'return g() + g();' };
    expect(edited(text, one, { inside: 'g', find: '1', replace: '2' })).toBe(
      'function f() { return g() + g(); }\nfunction g() { return 2; }\n',
    );
  });

  it('R-5.5 follows a function into the file that it moved to', () => {
    const tree = new SourceTree(
      new Map([
        ['lib/core/other.ts', 'export const bounds = 1;'],
        ['lib/engine/pass/moved.ts', 'export function bound() { return 1; }'],
      ]),
    );
    expect([...applyEdits(tree, [{ inside: 'bound', find: '1', replace: '2' }])]).toEqual([
      ['lib/engine/pass/moved.ts', 'export function bound() { return 2; }'],
    ]);
  });

  describe('says what is wrong', () => {
    const tree = new SourceTree(
      new Map([
        ['lib/core/bound.ts', 'export function bound() { return 1 + 1; }'],
        ['lib/engine/bound.ts', 'export function bound() { return 1; }\nexport class A { run() {} }'],
        ['lib/engine/pass/bound.ts', 'export function bound() { return 2; }'],
      ]),
    );

    it.each<[string, Edit, string]>([
      ['function', { inside: 'gone', find: '1', replace: '' }, 'gone no longer exists in lib'],
      ['method', { inside: 'A.gone', find: '1', replace: '' }, 'A.gone no longer exists in lib'],
      [
        'function in its folder',
        { inside: 'A.run', folder: 'lib/core', find: '1', replace: '' },
        'A.run no longer exists in lib/core',
      ],
      [
        'single function',
        { inside: 'bound', folder: 'lib/engine', find: '1', replace: '' },
        'bound exists 2 times, and a folder must tell which one is meant: lib/engine/bound.ts, lib/engine/pass/bound.ts',
      ],
      [
        'single place',
        { inside: 'bound', folder: 'lib/core', find: '1', replace: '' },
        'bound in lib/core/bound.ts has the tokens `1` 2 times, and must have them once',
      ],
      [
        'token',
        { inside: 'A.run', find: '// nothing', replace: '' },
        'A.run in lib/engine/bound.ts has no tokens `// nothing`',
      ],
    ])('R-5.5 when there is no such %s', (_, edit, message) => {
      expect(() => applyEdits(tree, [edit])).toThrow(message);
    });
  });
});
