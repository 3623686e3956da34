/** Words that CEL reserves (Kubernetes: "Validation rules", escaping). */
const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

/** Whether CEL reserves a word, so that no variable and no field of a rule can have it as its name. */
export function isReserved(word: string): boolean {
  return RESERVED.has(word);
}

/**
 * The name of a field in a CEL rule of a CustomResourceDefinition (Kubernetes: "Validation rules", escaping).
 * @returns undefined for a field that no rule can name.
 */
export function celName(field: string): string | undefined {
  if (RESERVED.has(field)) return `__${field}__`;
  if (!/^[A-Za-z_][A-Za-z0-9_.\-/]*$/.test(field)) return undefined;
  return field
    .replaceAll('__', '__underscores__')
    .replaceAll('.', '__dot__')
    .replaceAll('-', '__dash__')
    .replaceAll('/', '__slash__');
}

/** A text as a CEL literal. */
export function celText(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
