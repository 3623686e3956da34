import { isMap, isPair, isScalar, isSeq, type Node, Parser, parseDocument } from 'yaml';

/** One YAML document as plain values, or its fault: the kind of fault, never the text. */
export type StrictYaml =
  | { readonly valid: true; readonly value: YamlMapping }
  | { readonly valid: false; readonly fault: string };

export type YamlValue = string | number | bigint | boolean | null | YamlValue[] | YamlMapping;
/** A Map, because an object would handle a key such as `__proto__` in its own way. */
export type YamlMapping = Map<string, YamlValue>;

/** Parsing takes linear time. This limit keeps it to a fraction of a second, in which nothing else runs. */
export const MAX_DOCUMENT_BYTES = 65_536;
const MAX_DEPTH = 32;

/**
 * Characters that YAML cannot print, and characters that end a line for some parsers only: a carriage return alone, NEL, the
 * two separators of Unicode, and a byte order mark. With these, one parser may see a comment or text where another sees keys.
 */
const AMBIGUOUS = /\r(?!\n)|[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]|[\u2028\u2029\ufeff]/u;

/**
 * Parses one mapping. It refuses everything that another parser could understand in another way, or that grows when it is
 * read: anchors, aliases, merge keys, tags, directives, duplicate keys, keys that are not scalars, several documents.
 */
export function parseStrictYaml(text: string): StrictYaml {
  if (Buffer.byteLength(text) > MAX_DOCUMENT_BYTES) return fault(`is larger than ${MAX_DOCUMENT_BYTES / 1024} KiB`);
  if (AMBIGUOUS.test(text)) return fault('has a control character, or a line end that is none to some parsers');
  // Checks the tokens first, because they show what is refused before anything is resolved, at any depth.
  const refused = refusedToken(text);
  if (refused !== undefined) return fault(refused);
  // The search of the library for duplicate keys compares each key with each other key.
  const document = parseDocument(text, { uniqueKeys: false, prettyErrors: false, version: '1.2', merge: false });
  if (document.errors.length > 0 || document.warnings.length > 0) return fault('is not valid YAML');
  if (!isMap(document.contents)) return fault('must be one mapping');
  try {
    return { valid: true, value: mapping(document.contents.items) };
  } catch (error) {
    if (error instanceof RefusedNode) return fault(error.message);
    throw error;
  }
}

function fault(text: string): StrictYaml {
  return { valid: false, fault: text };
}

const REFUSED_TOKENS: Readonly<Record<string, string>> = {
  anchor: 'has an anchor',
  alias: 'has an alias',
  tag: 'has a tag',
  directive: 'has a directive',
  error: 'is not valid YAML',
};

/** Walks the concrete syntax with its own stack, so that a deep text does not exhaust the stack of the program. */
function refusedToken(text: string): string | undefined {
  let documents = 0;
  for (const token of new Parser().parse(text)) {
    if (token.type === 'document') documents += 1;
    if (documents > 1) return 'has more than one document';
    const stack: { value: unknown; depth: number }[] = [{ value: token, depth: 0 }];
    for (let entry = stack.pop(); entry !== undefined; entry = stack.pop()) {
      const { value, depth } = entry;
      if (typeof value !== 'object' || value === null) continue;
      const { type, items } = value as { type?: string; items?: unknown };
      const refused = type === undefined ? undefined : REFUSED_TOKENS[type];
      if (refused !== undefined) return refused;
      const below = items === undefined ? depth : depth + 1;
      if (below > MAX_DEPTH) return `is nested deeper than ${MAX_DEPTH} levels`;
      for (const inner of Array.isArray(value) ? value : Object.values(value))
        stack.push({ value: inner, depth: below });
    }
  }
  return undefined;
}

class RefusedNode extends Error {}

function mapping(items: readonly unknown[]): YamlMapping {
  const result: YamlMapping = new Map();
  for (const pair of items) {
    if (!isPair(pair) || !isScalar(pair.key)) throw new RefusedNode('has a key that is no scalar');
    const key = String(pair.key.value);
    if (key === '<<') throw new RefusedNode('has a merge key');
    // `1` and `"1"` are two keys in YAML, and one in a JavaScript object.
    if (result.has(key)) throw new RefusedNode('has a key twice');
    result.set(key, plain(pair.value));
  }
  return result;
}

function plain(node: unknown): YamlValue {
  if (node === null || node === undefined) return null;
  if (isMap(node)) return mapping(node.items);
  if (isSeq(node)) return node.items.map((item) => (isPair(item) ? mapping([item]) : plain(item as Node)));
  if (isScalar(node)) return scalar(node.value);
  throw new RefusedNode('has a value of an unknown kind');
}

function scalar(value: unknown): YamlValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint')
    return value;
  throw new RefusedNode('has a value of an unknown kind');
}
