import { API, type Checker, type Symbol as CheckerSymbol, type Project, SymbolFlags } from 'typescript/unstable/sync';
import { codeOf, type DeclarationKind, kindOf } from './code.ts';

/** A tag of a doc comment, such as `@throws`, without the at sign. */
export interface DocTag {
  readonly name: string;
  readonly text: string;
}

/** One export of an entry point, as its author reads it. */
export interface PublicExport {
  readonly name: string;
  readonly kind: DeclarationKind;
  /** The doc comment without its tags; empty when there is none. */
  readonly doc: string;
  readonly tags: readonly DocTag[];
  /** The declaration without bodies, private members and its own doc comment. */
  readonly code: string;
  /** Where it is declared, from the root of the repository. */
  readonly file: string;
}

const PROJECT = 'build/reference/tsconfig.json';

/**
 * The exports of entry points, by TypeScript's own view of them: renamed and re-exported ones are found, and types that the
 * source leaves out are inferred.
 * @param root the folder of the repository, with a slash at its end.
 * @param entryPoints paths from there; `build/reference/tsconfig.json` must include them.
 * @throws Error for an entry point that the project lacks, and for an export of a form that `codeOf` does not know.
 */
export function readExports(root: string, entryPoints: readonly string[]): Map<string, PublicExport[]> {
  const api = new API({ cwd: root });
  try {
    const project = api.updateSnapshot({ openProjects: [`${root}${PROJECT}`] }).getProject(`${root}${PROJECT}`);
    if (project === undefined) throw new Error(`TypeScript does not open ${PROJECT}`);
    return new Map(entryPoints.map((entryPoint) => [entryPoint, exportsOf(project, root, entryPoint)]));
  } finally {
    api.close();
  }
}

function exportsOf(project: Project, root: string, entryPoint: string): PublicExport[] {
  const { checker, program } = project;
  const source = program.getSourceFile(`${root}${entryPoint}`);
  const module = source && checker.getSymbolAtLocation(source);
  if (module === undefined) throw new Error(`${PROJECT} includes no module ${entryPoint}`);
  return checker
    .getExportsOfModule(module)
    .map((exported) => publicExport(project, root, exported.name, declared(checker, exported)))
    .sort((left, right) => order(left.name, right.name));
}

/** What an export stands for, however often it is exported again. */
function declared(checker: Checker, exported: CheckerSymbol): CheckerSymbol {
  return exported.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
}

function publicExport(project: Project, root: string, name: string, symbol: CheckerSymbol): PublicExport {
  const { checker } = project;
  const declarations = symbol.declarations.flatMap((handle) => handle.resolve(project) ?? []);
  const [first] = declarations;
  if (first === undefined) throw new Error(`${name} has no declaration`);
  return {
    name,
    kind: kindOf(first),
    doc: symbol.getDocumentationComment(checker).trim(),
    tags: symbol.getJsDocTags(checker).map((tag) => ({ name: tag.name, text: (tag.text ?? '').trim() })),
    code: codeOf(declarations, checker),
    file: first.getSourceFile().fileName.replace(root, ''),
  };
}

/** By letters, and small before capital where they are the same; independent of the locale of the machine. */
function order(left: string, right: string): number {
  const [a, b] = [left.toLowerCase(), right.toLowerCase()];
  if (a === b) return left > right ? -1 : 1;
  return a < b ? -1 : 1;
}
