/** The module specifiers that a TypeScript source imports, re-exports or loads dynamically by a literal, in order. */
export function importSpecifiers(source: string): string[] {
  const code = withoutComments(source);
  const specifiers: string[] = [];
  const forms = [
    /\b(?:import|export)\b[^'"`;()]*?\bfrom\s*(['"])(?<specifier>[^'"]+)\1/g,
    /\bimport\s*(['"])(?<specifier>[^'"]+)\1/g,
    /\bimport\s*\(\s*(['"`])(?<specifier>[^'"`]+)\1/g,
    /\b(?:require|require\.resolve)\s*\(\s*(['"`])(?<specifier>[^'"`]+)\1/g,
  ];
  for (const form of forms) {
    for (const match of code.matchAll(form)) {
      const specifier = match.groups?.specifier;
      if (specifier !== undefined) specifiers.push(specifier);
    }
  }
  return specifiers;
}

/**
 * Replaces comments by blanks and keeps strings, so that neither `//` in a string nor a commented import is misread.
 */
export function withoutComments(source: string): string {
  return source.replace(
    /(?<kept>'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`)|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g,
    (match, kept: string | undefined) => (kept === undefined ? match.replace(/[^\n]/g, ' ') : match),
  );
}
