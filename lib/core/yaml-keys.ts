/** A key that occurs twice in one mapping of a YAML document. */
export interface RepeatedKey {
  /** The position of the second one, in characters from the beginning of the source. */
  readonly offset: number;
  readonly key: string;
}

/** The fields of a node in the YAML library's tree, so that the core needs no library. */
interface YamlNode {
  readonly items?: readonly unknown[] | undefined;
  readonly key?: unknown;
  readonly value?: unknown;
  readonly range?: readonly number[] | null | undefined;
}

/**
 * The first key that occurs twice in a mapping, in linear time. The library's own search (`uniqueKeys`) compares each
 * key with every other: 30,000 of them block a process for seconds.
 * @param contents of a document that was parsed with `uniqueKeys: false`.
 */
export function repeatedYamlKey(contents: unknown): RepeatedKey | undefined {
  let first: RepeatedKey | undefined;
  // It uses its own stack, so that a deep document does not exhaust the stack of the process.
  const nodes: unknown[] = [contents];
  while (nodes.length > 0) {
    const seen = new Set<unknown>();
    for (const item of nodeOf(nodes.pop())?.items ?? []) {
      const { key, value } = pairOf(item);
      nodes.push(key, value);
      const scalar = scalarOf(key);
      if (scalar === undefined) continue;
      const offset = nodeOf(key)?.range?.[0] ?? 0;
      if (seen.has(scalar.value) && (first === undefined || offset < first.offset)) {
        first = { offset, key: String(scalar.value) };
      }
      seen.add(scalar.value);
    }
  }
  return first;
}

function nodeOf(value: unknown): YamlNode | undefined {
  return typeof value === 'object' && value !== null ? value : undefined;
}

/** An item of a list has no key. */
function pairOf(item: unknown): { readonly key?: unknown; readonly value: unknown } {
  const node = nodeOf(item);
  return node !== undefined && 'key' in node ? { key: node.key, value: node.value } : { value: item };
}

/** Undefined for a list, a mapping, an alias, and when there is no key. */
function scalarOf(key: unknown): { readonly value: unknown } | undefined {
  const node = nodeOf(key);
  return node !== undefined && 'value' in node && node.items === undefined ? { value: node.value } : undefined;
}
