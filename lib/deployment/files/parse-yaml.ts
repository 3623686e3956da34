import { LineCounter, type ParsedNode, parseDocument } from 'yaml';
import { repeatedYamlKey } from '../../core/yaml-keys.ts';

const MAX_BYTES = 1_048_576;
/** The limit of repetitions by aliases. Without it, a short file could expand to gigabytes. */
const MAX_ALIASES = 10;

/** A YAML document that a person wrote. */
export interface YamlFile {
  /** The tree with the position of each value; null for an empty file. */
  readonly contents: ParsedNode | null;
  /** The values of a part of the tree. */
  toJs(node: ParsedNode | null): unknown;
  /** @returns `file:line:column` for an offset of the tree, in characters. */
  at(offset: number): string;
}

/**
 * Parses a file with one document, within limits of size and aliases.
 * @param file only for messages.
 * @param refuse creates the error from one line for each fault.
 * @throws the result of `refuse`, when the text is too large, is not YAML, has a key twice in a mapping, or has too
 * many aliases.
 */
export function parseYaml(text: string, file: string, refuse: (faults: readonly string[]) => Error): YamlFile {
  if (Buffer.byteLength(text) > MAX_BYTES) throw refuse([`${file}: larger than 1 MiB. Write a short YAML file.`]);
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false, version: '1.2', uniqueKeys: false });
  const at = (offset: number) => {
    const { line, col } = lineCounter.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  if (document.errors.length > 0) {
    throw refuse(document.errors.map(({ pos, message }) => `${at(pos[0])}: not valid YAML: ${message}. Correct it.`));
  }
  const repeated = repeatedYamlKey(document.contents);
  if (repeated !== undefined) {
    const what = `the key ${JSON.stringify(repeated.key)} stands twice in one mapping. Keep one of them.`;
    throw refuse([`${at(repeated.offset)}: not valid YAML: ${what}`]);
  }
  try {
    document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch {
    throw refuse([`${file}: has too many YAML aliases. Write the values out.`]);
  }
  const toJs = (node: ParsedNode | null): unknown => node?.toJS(document, { maxAliasCount: MAX_ALIASES });
  return { contents: document.contents, toJs, at };
}
