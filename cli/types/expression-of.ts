import { convertExpression } from '../../lib/kit/schema/expression.ts';

/** What JavaScript refuses, or reads in another way than RE2, outside of classes and in them. */
const OTHERWISE: readonly RegExp[] = [
  // Flags, named groups and groups of other languages; RE2 has no lookaround, so `(?:` alone is the same.
  /\(\?(?!:)/,
  // Classes of POSIX, texts between \Q and \E, ends of a text, characters by their class or number.
  /\[:|\\[QEAzZCpPxa]/,
  // JavaScript reads a character beyond 16 bits as two.
  /[\u{10000}-\u{10ffff}]/u,
];
/** What RE2 matches by `\s`. JavaScript matches more. */
const SPACES = '\\t\\n\\f\\r ';

/**
 * A pattern of the API server (RE2) as a regular expression of TypeScript.
 * @returns undefined for one that JavaScript lacks or reads in another way, and that `defineKind` would refuse.
 */
export function expressionOf(pattern: string): string | undefined {
  if (OTHERWISE.some((otherwise) => otherwise.test(pattern))) return undefined;
  const spaced = withSpaces(pattern);
  if (spaced === undefined) return undefined;
  try {
    const expression = new RegExp(spaced);
    return 'pattern' in convertExpression(expression) ? String(expression) : undefined;
  } catch {
    return undefined;
  }
}

/** Writes out what RE2 takes for a space. Inside a class `\S` cannot be written out, and `-` after it is no range. */
function withSpaces(pattern: string): string | undefined {
  let isInClass = false;
  let isEscaped = false;
  let text = '';
  for (const character of pattern) {
    const isAfterSpaces = isInClass && text.endsWith(SPACES);
    if (isEscaped) {
      isEscaped = false;
      if (character === 'S' && isInClass) return undefined;
      if (character === 'S') text += `[^${SPACES}]`;
      else if (character !== 's') text += `\\${character}`;
      else text += isInClass ? SPACES : `[${SPACES}]`;
    } else if (character === '\\') isEscaped = true;
    else {
      if (character === '[') isInClass = true;
      else if (character === ']') isInClass = false;
      text += isAfterSpaces && character === '-' ? '\\-' : character;
    }
  }
  return isEscaped ? undefined : text;
}
