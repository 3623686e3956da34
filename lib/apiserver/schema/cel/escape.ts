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
function escapeName(name: string): string | undefined {
  if (RESERVED.has(name)) return `__${name}__`;
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined;
  return name.replace(/__|[./-]/g, (piece) => ESCAPES[piece] ?? piece);
}

/** Literals and operators of CEL. A rule cannot have them as the name of a field. */
const NO_FIELDS = new Set(['true', 'false', 'null', 'in']);

/**
 * The names by which rules can read a property: its escaped name, and the other reserved words by themselves too
 * (Kubernetes, DeclTypeProvider.FindStructFieldType).
 */
export function fieldNames(property: string): string[] {
  const escaped = escapeName(property);
  if (escaped === undefined) return [];
  return RESERVED.has(property) && !NO_FIELDS.has(property) ? [escaped, property] : [escaped];
}
