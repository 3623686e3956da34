/** The characters of JavaScript's `\s`, in the syntax of RE2. RE2's own `\s` covers only ASCII. */
const SPACES = '\\t-\\r \\x{00a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';

/** Features of JavaScript's expressions that RE2 lacks. The API server uses RE2. */
const LACKING: readonly (readonly [token: RegExp, lacks: string])[] = [
  [/^\(\?[=!]/, 'a lookahead'],
  [/^\(\?<[=!]/, 'a lookbehind'],
  [/^\\([1-9]|k<)/, 'a back reference'],
  [/^\\c[A-Za-z]/, 'a control character by its letter'],
  [/^\\0[0-9]/, 'an octal character'],
  [/^\\u[dD][89a-fA-F]/, 'half of a character'],
  [/^\[\^?\]/, 'an empty class'],
];
/** Syntax inside a class that has another meaning in RE2. */
const LACKING_IN_CLASS: readonly (readonly [token: RegExp, lacks: string])[] = [
  [/^\[:/, '[: in a class'],
  [/^\\S/, '\\S in a class'],
  [/^\\b/, 'an escaped letter b in a class'],
  [/^(\\[^dDwWsS][0-9a-fA-F]*|[^\\])-\\[dDwWsS]/, 'a range that ends in a class'],
];
/** Escapes with the same meaning in both. For any other escaped letter, only JavaScript takes the letter itself. */
const ESCAPE = /^\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[dDwWsSbBtnvfr0]|[!-/:-@[-`{-~])/;
const CLASS_ESCAPE = /^\\[dDwWs]$/;
const REPEAT = /^\{(\d+)(?:,(\d*))?\}/;

/** RE2 refuses more repeats than this; the repeats of nested groups are multiplied. */
const MAX_REPEATS = 1_000;

/** The pattern for the API server, or the feature that prevents the conversion. */
export type ConvertedExpression = { readonly pattern: string } | { readonly lacks: string };

/** @returns an expression in the syntax of RE2 that matches the same texts. */
export function convertExpression({ source, flags }: RegExp): ConvertedExpression {
  if (flags !== '') return { lacks: `the flag ${flags[0]}` };
  const repeats = new Repeats();
  let pattern = '';
  let isInClass = false;
  let last = '';
  for (let at = 0; at < source.length; at += last.length) {
    const rest = source.slice(at);
    const lacks = lacking(rest, isInClass);
    if (lacks !== undefined) return { lacks };
    const afterClass = isInClass && CLASS_ESCAPE.test(last);
    last = tokenAt(rest, isInClass);
    pattern += afterClass && last === '-' ? '\\-' : converted(last, isInClass);
    if (!isInClass) repeats.add(last);
    if (last === '[') isInClass = true;
    else if (last === ']') isInClass = false;
  }
  if (repeats.most > MAX_REPEATS) return { lacks: `a repetition of more than ${MAX_REPEATS}` };
  return { pattern };
}

function lacking(rest: string, isInClass: boolean): string | undefined {
  // Brackets and parentheses inside a class are plain characters.
  const rows = isInClass
    ? [...LACKING_IN_CLASS, ...LACKING.filter(([{ source }]) => source.startsWith('^\\\\'))]
    : LACKING;
  const found = rows.find(([token]) => token.test(rest));
  if (found !== undefined) return found[1];
  return rest.startsWith('\\') && !ESCAPE.test(rest) ? `an escaped letter ${[...rest][1]}` : undefined;
}

/** Returns an escape, a repetition, or one character. */
function tokenAt(rest: string, isInClass: boolean): string {
  const [escaped] = ESCAPE.exec(rest) ?? [];
  const [repeat] = (isInClass ? undefined : REPEAT.exec(rest)) ?? [];
  return escaped ?? repeat ?? rest.slice(0, 1);
}

function converted(token: string, isInClass: boolean): string {
  if (token === '\\/') return '/';
  if (token.startsWith('\\u')) return `\\x{${token.slice(2)}}`;
  if (token === '\\s') return isInClass ? SPACES : `[${SPACES}]`;
  return token === '\\S' ? `[^${SPACES}]` : token;
}

/** Counts how often the most repeated part of an expression is repeated, with all groups around it. */
class Repeats {
  /** For each open group, the highest number of repeats in it. */
  readonly #groups = [1];
  #last = 1;

  get most(): number {
    return Math.max(...this.#groups);
  }

  add(token: string): void {
    const [, low, high] = REPEAT.exec(token) ?? [];
    if (token === '(') this.#groups.push(1);
    else if (token === ')') this.#last = this.#groups.pop() ?? 1;
    else if (low !== undefined) this.#last *= Math.max(1, Number(low), Number(high ?? 0));
    else this.#last = 1;
    const inner = this.#groups.pop() ?? 1;
    this.#groups.push(token === '(' ? 1 : Math.max(inner, this.#last));
  }
}
