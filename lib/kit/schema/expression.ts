/** What RE2, by which the API server matches, lacks of JavaScript's expressions. */
const LACKING: readonly (readonly [RegExp, string])[] = [
  [/\(\?[=!]/, 'a lookahead'],
  [/\(\?<[=!]/, 'a lookbehind'],
  [/\\[1-9]|\\k</, 'a back reference'],
  [/\\c[A-Za-z]/, 'a control character by its letter'],
  [/\[\^?\]/, 'an empty class'],
];

const MAX_REPEATS = 1_000;

/** The pattern as the API server reads it, or why it cannot be one. */
export type ConvertedExpression = { readonly pattern: string } | { readonly lacks: string };

/** @returns the expression in the syntax of RE2, matching the same texts. */
export function convertExpression({ source, flags }: RegExp): ConvertedExpression {
  if (flags !== '') return { lacks: `the flag ${flags[0]}` };
  const bare = withoutEscapes(source);
  const missing = LACKING.find(([expression]) => expression.test(bare));
  if (missing !== undefined) return { lacks: missing[1] };
  const repeats = [...bare.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].flatMap(([, low, high]) => [Number(low), Number(high)]);
  if (repeats.some((count) => count > MAX_REPEATS)) return { lacks: `a repetition of more than ${MAX_REPEATS}` };
  return { pattern: source.replace(/\\u([0-9a-fA-F]{4})/g, '\\x{$1}').replaceAll('\\/', '/') };
}

/** Escaped brackets, parentheses and backslashes are no syntax. */
function withoutEscapes(source: string): string {
  return source.replace(/\\[^1-9kc]/g, '..');
}
