const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

const ESCAPES: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};

/**
 * A property name as CEL rules write it, or undefined when rules cannot write it. `__`, `.`, `-` and `/` are replaced
 * by words, and reserved words get underscores (Kubernetes documentation, "CRD validation rules", escaping).
 */
export function escapeName(name: string): string | undefined {
  if (RESERVED.has(name)) return `__${name}__`;
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined;
  return name.replace(/__|[./-]/g, (piece) => ESCAPES[piece] ?? piece);
}
