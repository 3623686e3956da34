/**
 * Characters that a terminal obeys and does not show: control characters (C0, DEL, C1), characters that change the
 * direction of writing, invisible characters, line and paragraph separators, and lone surrogates.
 */
const NOT_SHOWN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

const SHORT: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

/**
 * Makes a text from outside safe for a terminal, on one line. Such characters are written as in JSON (`\u001b`), so
 * that a line of JSON stays JSON with the same value.
 */
export function visibleText(text: string): string {
  return text.replace(NOT_SHOWN, (found) => SHORT.get(found) ?? escaped(found));
}

function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    const digits = character.charCodeAt(index).toString(16).padStart(4, '0');
    return `\\u${digits}`;
  }).join('');
}
