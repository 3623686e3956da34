import { isMap, isPair, isScalar, type ParsedNode } from 'yaml';

export type YamlPath = readonly (string | number)[];

/** The position of the key at a path. When it is not in the file, the position of the nearest key above it. */
export function offsetOf(root: ParsedNode | null, path: YamlPath): number {
  for (let length = path.length; length > 0; length--) {
    const parent = nodeAt(root, path.slice(0, length - 1));
    const step = path[length - 1];
    if (isMap(parent)) {
      const pair = parent.items.find((item) => isPair(item) && isScalar(item.key) && String(item.key.value) === step);
      const range = pair !== undefined && isScalar(pair.key) ? pair.key.range : undefined;
      if (range) return range[0];
    }
    const node = nodeAt(root, path.slice(0, length));
    if (node?.range) return node.range[0];
  }
  return root?.range?.[0] ?? 0;
}

export function nodeAt(root: ParsedNode | null, path: YamlPath): ParsedNode | undefined {
  if (root === null) return undefined;
  if (path.length === 0) return root;
  if (!('getIn' in root)) return undefined;
  return root.getIn(path, true) as ParsedNode | undefined;
}
