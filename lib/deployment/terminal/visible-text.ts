/**
 * What a terminal obeys instead of showing it: control characters (C0, DEL, C1), characters that turn the direction of writing
 * or are not seen, line and paragraph separators, and halves of characters.
 */
const NOT_SHOWN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

const SHORT: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

/**
 * Text from outside as a terminal may be given it, on one line: what would not be shown is written as JSON writes it in a text
 * (`\u001b`), so that a line of JSON stays JSON of the same value.
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
