import { describe, expect, it } from 'vitest';
import { MAX_DOCUMENT_BYTES, parseStrictYaml } from '../../../../lib/controllers/t4/omp/strict-yaml.ts';

function faultOf(text: string): string | undefined {
  const parsed = parseStrictYaml(text);
  return parsed.valid ? undefined : parsed.fault;
}

/** A text of the maximum size that is parsed. */
function filled(part: string): string {
  return part.repeat(Math.floor(MAX_DOCUMENT_BYTES / part.length));
}

describe('strict YAML', () => {
  it('R-4.2 the parser reads one mapping', () => {
    const parsed = parseStrictYaml('---\na: 1 # why\n"b": [x, {y: null}, k: v]\nc: |\n  two\n  lines\n...\n');
    expect(parsed).toEqual({
      valid: true,
      value: new Map<string, unknown>([
        ['a', 1],
        ['b', ['x', new Map([['y', null]]), new Map([['k', 'v']])]],
        ['c', 'two\nlines\n'],
      ]),
    });
  });

  it('R-4.2 the parser reads a key as any other when it has a meaning in JavaScript', () => {
    const parsed = parseStrictYaml('__proto__: {auth: none}\nconstructor: 1');
    expect(parsed.valid && [...parsed.value.keys()]).toEqual(['__proto__', 'constructor']);
  });

  it.each([
    ['an anchor', 'a: &x 1', 'anchor'],
    ['an anchor on a key', '&x a: 1', 'anchor'],
    ['an anchor deep in a flow', 'a: [b, {c: &x d}]', 'anchor'],
    ['an alias', 'a: &x 1\nb: *x', 'alias'],
    ['an alias to nothing', 'b: *x', 'alias'],
    ['a merge key', 'a:\n  <<: {b: 1}', 'merge key'],
    ['a quoted merge key', 'a: {"<<": {b: 1}}', 'merge key'],
    ['a tag', 'a: !!str 1', 'tag'],
    ['a local tag', 'a: !secret x', 'tag'],
    ['a verbatim tag', 'a: !<tag:yaml.org,2002:str> x', 'tag'],
    ['a tag on the document', '!!map\na: 1', 'tag'],
    ['a directive', '%YAML 1.1\n---\na: 1', 'directive'],
    ['a key twice', 'a: 1\nb: 2\na: 3', 'a key twice'],
    ['a key twice, once in quotes', 'a: 1\n"a": 2', 'a key twice'],
    ['a number twice, once as a text', '1: a\n"1": b', 'a key twice'],
    ['a key twice in a flow', 'x: [{a: 1, a: 2}]', 'a key twice'],
    ['two documents', 'a: 1\n---\nb: 2', 'more than one document'],
    ['a second document after an end', 'a: 1\n...\nb: 2', 'more than one document'],
    ['a key that is a list', '? [a]\n: 1', 'no scalar'],
    ['a key that is a mapping', '{? {a: 1} : 2}', 'no scalar'],
    ['nothing', '', 'one mapping'],
    ['a comment alone', '# nothing', 'one mapping'],
    ['an empty document', '---', 'one mapping'],
    ['a list', '- a', 'one mapping'],
    ['a text', 'a', 'one mapping'],
    ['an open quote', 'a: "x', 'not valid'],
    ['an open bracket', 'a: [b', 'not valid'],
    ['a broken indentation', 'a:\n  b: 1\n c: 2', 'not valid'],
    ['a tab as indentation', 'a:\n\tb: 1', 'not valid'],
    ['33 levels', `a: ${'['.repeat(32)}${']'.repeat(32)}`, 'nested deeper'],
  ])('R-4.2 the parser refuses %s', (_, text, fault) => {
    expect(faultOf(text)).toContain(fault);
  });

  // Some parsers end a line at these characters. Then they parse as YAML what this parser reads as a comment or a text.
  const LINE_ENDS: [string, string][] = [
    ['a carriage return alone', '\r'],
    ['NEL', '\u0085'],
    ['a line separator', '\u2028'],
    ['a paragraph separator', '\u2029'],
    ['a vertical tab', '\u000b'],
    ['a form feed', '\f'],
    ['a byte order mark', '\ufeff'],
    ['a NUL', '\0'],
    ['DEL', '\u007f'],
    ['half a surrogate pair', '\ud800'],
  ];
  it.each(LINE_ENDS)('R-4.2 R-1.24 the parser refuses %s at every position', (_, character) => {
    for (const text of [
      `# a comment${character}apiKey: x\na: 1`,
      `a: |\n  text${character}apiKey: x\n`,
      `a: "text${character}apiKey: x"`,
      `a: b${character}`,
      `${character}a: b`,
    ]) {
      expect(faultOf(text)).toContain('control character');
    }
  });

  it('R-4.2 the parser accepts line ends of Windows, characters of every plane, and escaped control characters', () => {
    const parsed = parseStrictYaml('a: ü€😀\r\nb: "x\\r\\u2028\\0"\r\n');
    expect(parsed.valid && Object.fromEntries(parsed.value)).toEqual({ a: 'ü€😀', b: 'x\r\u2028\0' });
  });

  it('R-4.2 the parser accepts 32 levels', () => {
    expect(faultOf(`a: ${'['.repeat(31)}${']'.repeat(31)}`)).toBeUndefined();
  });

  it.each([
    ['a billion laughs', 'a: &a ["ha","ha"]\nb: &b [*a,*a]\nc: &c [*b,*b]\nd: [*c,*c]', 'alias'],
    ['a document of 1 MiB', `a: ${'x'.repeat(1_048_576)}`, 'larger than 64 KiB'],
    ['a small document in large characters', `a: ${'ü'.repeat(MAX_DOCUMENT_BYTES / 2)}`, 'larger than 64 KiB'],
    ['brackets without end', filled('['), 'nested deeper'],
    ['braces without end', filled('{a: '), 'nested deeper'],
    ['dashes without end', filled('- '), 'nested deeper'],
    ['question marks without end', filled('? '), 'nested deeper'],
    [
      'an indentation that grows without end',
      Array.from({ length: 300 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n'),
      'nested deeper',
    ],
    ['documents without end', filled('---\n'), 'more than one document'],
    ['colons without end', filled('a:'), 'not valid'],
  ])('R-4.2 R-1.6 the parser refuses %s without expanding it', (_, text, fault) => {
    expect(faultOf(text)).toContain(fault);
  });

  it.each([
    ['keys', Array.from({ length: 5_000 }, (_, index) => `key-${index}: v`).join('\n')],
    ['entries', `a: [${'b,'.repeat(30_000)}]`],
    ['comments', `${'#\n'.repeat(30_000)}a: 1`],
    ['lines', `a: |\n${' x\n'.repeat(20_000)}`],
    ['escapes', `a: "${'\\n'.repeat(30_000)}"`],
  ])('R-1.6 the parser accepts the largest possible number of %s', (_, text) => {
    expect(faultOf(text)).toBeUndefined();
  });
});
