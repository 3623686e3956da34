import { globSync, readFileSync } from 'node:fs';
import { type ESTree, parseSync } from 'vite';

/** A named declaration at the top level of a file, or a member of a class there. */
export interface Declaration {
  /** `coverOf`, `FanoutRunner`, `FanoutRunner.run`, `FanoutRunner.#rest`. */
  readonly name: string;
  /** The path from the root of the repository. */
  readonly file: string;
  /** The positions in the file's text: of the first character, and after the last one. */
  readonly start: number;
  readonly end: number;
}

/** The root of the repository. */
export const ROOT = new URL('../../../../', import.meta.url);

/**
 * Sources in which declarations are found by name. Each file is parsed at most once, and only when a name is searched
 * in it.
 */
export class SourceTree {
  readonly #texts: ReadonlyMap<string, string>;
  readonly #declared = new Map<string, readonly Declaration[]>();

  /** @param texts the text of each file, by its path from the root of the repository. */
  constructor(texts: ReadonlyMap<string, string>) {
    this.#texts = texts;
  }

  text(file: string): string {
    const text = this.#texts.get(file);
    if (text === undefined) throw new Error(`there is no file ${file}`);
    return text;
  }

  /** The declarations with this name in the folder or file, and below. */
  named(name: string, folder: string): readonly Declaration[] {
    const last = name.slice(name.lastIndexOf('.') + 1);
    return [...this.#texts]
      .filter(([file, text]) => (file === folder || file.startsWith(`${folder}/`)) && text.includes(last))
      .flatMap(([file, text]) => this.#declaredIn(file, text).filter((each) => each.name === name));
  }

  #declaredIn(file: string, text: string): readonly Declaration[] {
    const known = this.#declared.get(file) ?? declarations(text, file);
    this.#declared.set(file, known);
    return known;
  }
}

let lib: SourceTree | undefined;

/** The sources of lib, as they were at the first call. */
export function libSources(): SourceTree {
  lib ??= new SourceTree(
    new Map(globSync('lib/**/*.ts', { cwd: ROOT }).map((file) => [file, readFileSync(new URL(file, ROOT), 'utf8')])),
  );
  return lib;
}

function declarations(text: string, file: string): readonly Declaration[] {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`);
  return program.body.flatMap((statement) =>
    declaredBy(statement).flatMap(({ name, node }) => [
      { name, file, start: statement.start, end: statement.end },
      ...(node.type === 'ClassDeclaration' ? members(node, name, file) : []),
    ]),
  );
}

/** A statement declares a constant with all around it: `export const A = 1;`. */
function declaredBy(statement: ESTree.Statement): { name: string; node: ESTree.Node }[] {
  const isExport = statement.type === 'ExportNamedDeclaration' || statement.type === 'ExportDefaultDeclaration';
  const node = isExport ? statement.declaration : statement;
  if (node?.type === 'VariableDeclaration')
    return node.declarations.flatMap((each) =>
      each.id.type === 'Identifier' ? [{ name: each.id.name, node: each }] : [],
    );
  if (node?.type === 'FunctionDeclaration' || node?.type === 'ClassDeclaration')
    return node.id === null ? [] : [{ name: node.id.name, node }];
  return [];
}

function members(node: ESTree.Class, className: string, file: string): Declaration[] {
  return node.body.body.flatMap((member) => {
    if (member.type !== 'MethodDefinition' && member.type !== 'PropertyDefinition') return [];
    const { key, start, end } = member;
    if (key.type === 'PrivateIdentifier') return [{ name: `${className}.#${key.name}`, file, start, end }];
    return key.type === 'Identifier' ? [{ name: `${className}.${key.name}`, file, start, end }] : [];
  });
}
