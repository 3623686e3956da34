import { SyntaxKind } from 'typescript/unstable/ast';
import { createScanner } from 'typescript/unstable/ast/scanner';

/** One token of TypeScript: its meaning, and its position in the text. */
export interface Token {
  readonly kind: SyntaxKind;
  /** The same for different spellings of one literal: `'a'` and `"a"`, `5_000` and `5000`. */
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** After one of these a slash is a division. After any other token it starts a regular expression. */
const ENDS_OPERAND: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.Identifier,
  SyntaxKind.PrivateIdentifier,
  SyntaxKind.NumericLiteral,
  SyntaxKind.BigIntLiteral,
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateTail,
  SyntaxKind.RegularExpressionLiteral,
  SyntaxKind.CloseParenToken,
  SyntaxKind.CloseBracketToken,
  SyntaxKind.CloseBraceToken,
  SyntaxKind.ThisKeyword,
  SyntaxKind.SuperKeyword,
  SyntaxKind.TrueKeyword,
  SyntaxKind.FalseKeyword,
  SyntaxKind.NullKeyword,
]);

const HAS_SPELLINGS: ReadonlySet<SyntaxKind> = new Set([SyntaxKind.StringLiteral, SyntaxKind.NumericLiteral]);

const CLOSES: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.CloseParenToken,
  SyntaxKind.CloseBracketToken,
  SyntaxKind.CloseBraceToken,
]);

/** The tokens of a text, in order. White space and comments are left out. */
export function tokensOf(text: string, start = 0, end = text.length): readonly Token[] {
  const scanner = createScanner(true);
  scanner.setText(text, start, end - start);
  const tokens: Token[] = [];
  // For each brace that is open: whether it belongs to a template.
  const braces: boolean[] = [];
  for (let kind = scanner.scan(); kind !== SyntaxKind.EndOfFile; kind = scanner.scan()) {
    const isSlash = kind === SyntaxKind.SlashToken || kind === SyntaxKind.SlashEqualsToken;
    const before = tokens.at(-1)?.kind;
    if (isSlash && (before === undefined || !ENDS_OPERAND.has(before))) kind = scanner.reScanSlashToken();
    if (kind === SyntaxKind.CloseBraceToken && braces.pop() === true) kind = scanner.reScanTemplateToken(false);
    if (kind === SyntaxKind.OpenBraceToken) braces.push(false);
    if (kind === SyntaxKind.TemplateHead || kind === SyntaxKind.TemplateMiddle) braces.push(true);
    const value = HAS_SPELLINGS.has(kind) ? scanner.getTokenValue() : scanner.getTokenText();
    tokens.push({ kind, value, start: scanner.getTokenStart(), end: scanner.getTokenEnd() });
  }
  return tokens;
}

/**
 * The positions of `wanted` among `tokens`: for each match the first position in the text, and the one after the last.
 */
export function placesOf(wanted: readonly Token[], tokens: readonly Token[]): { start: number; end: number }[] {
  if (wanted.length === 0) return [];
  return tokens.flatMap((first, index) => {
    const end = endOfMatch(wanted, tokens, index);
    return end === undefined ? [] : [{ start: first.start, end }];
  });
}

/** The formatter writes a comma before a closing token when it breaks lines there, so such a comma does not count. */
function endOfMatch(wanted: readonly Token[], tokens: readonly Token[], from: number): number | undefined {
  let at = from;
  for (const [index, each] of wanted.entries()) {
    if (isSame(each, tokens[at])) at++;
    else if (index > 0 && isTrailingComma(tokens, at) && isSame(each, tokens[at + 1])) at += 2;
    else if (index > 0 && isTrailingComma(wanted, index) && closes(tokens[at])) continue;
    else return undefined;
  }
  return tokens[at - 1]?.end;
}

function isSame(one: Token, other: Token | undefined): boolean {
  return other !== undefined && one.kind === other.kind && one.value === other.value;
}

/** The last token counts too, because `wanted` may not contain the closing token. */
function isTrailingComma(tokens: readonly Token[], index: number): boolean {
  if (tokens[index]?.kind !== SyntaxKind.CommaToken) return false;
  return index === tokens.length - 1 || closes(tokens[index + 1]);
}

function closes(token: Token | undefined): boolean {
  return token !== undefined && CLOSES.has(token.kind);
}
