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

/** Blanks comments out and leaves strings alone, so that `//` inside a string or a commented import misleads nobody. */
export function withoutComments(source: string): string {
  return source.replace(
    /(?<kept>'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`)|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g,
    (match, kept: string | undefined) => (kept === undefined ? match.replace(/[^\n]/g, ' ') : match),
  );
}
