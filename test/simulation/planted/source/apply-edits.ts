import type { Declaration, SourceTree } from './source-tree.ts';
import { placesOf, tokensOf } from './tokens.ts';

/** A text in one function, and the text that replaces it. */
export interface Edit {
  /**
   * The name of the function: `coverOf`, `FanoutRunner.run`. A constant, or a whole class, when the text is in no
   * function.
   */
  readonly inside: string;
  /** The folder or file in lib that contains it. Required when lib has several functions with the name. */
  readonly folder?: string;
  /** Tokens that occur exactly once in it. White space, comments and the spelling of literals do not matter. */
  readonly find: string;
  readonly replace: string;
}

/**
 * The files that the edits change, with their new texts, by their path from the root of the repository.
 * @throws Error that names the function or the tokens that are missing, or that occur more than once.
 */
export function applyEdits(tree: SourceTree, edits: readonly Edit[]): ReadonlyMap<string, string> {
  const changes = edits.map((edit) => ({ ...placeOf(tree, edit), replace: edit.replace }));
  return new Map(
    [...Map.groupBy(changes, ({ file }) => file)].map(([file, inFile]) => {
      const fromTheEnd = inFile.sort((one, other) => other.start - one.start);
      const text = fromTheEnd.reduce((before, { start, end, replace }) => {
        return before.slice(0, start) + replace + before.slice(end);
      }, tree.text(file));
      return [file, text];
    }),
  );
}

function placeOf(tree: SourceTree, edit: Edit): Omit<Declaration, 'name'> {
  const { inside, find } = edit;
  const { file, start, end } = declarationOf(tree, edit);
  const places = placesOf(tokensOf(find), tokensOf(tree.text(file), start, end));
  const [place] = places;
  if (place === undefined) throw new Error(`${inside} in ${file} has no tokens \`${find}\``);
  if (places.length > 1)
    throw new Error(`${inside} in ${file} has the tokens \`${find}\` ${places.length} times, and must have them once`);
  return { file, ...place };
}

function declarationOf(tree: SourceTree, { inside, folder = 'lib' }: Edit): Declaration {
  const found = tree.named(inside, folder);
  const [declaration] = found;
  if (declaration === undefined) throw new Error(`${inside} no longer exists in ${folder}`);
  if (found.length > 1)
    throw new Error(
      `${inside} exists ${found.length} times, and a folder must tell which one is meant: ${filesOf(found)}`,
    );
  return declaration;
}

function filesOf(declarations: readonly Declaration[]): string {
  return declarations.map(({ file }) => file).join(', ');
}
