import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { GENERATED } from '../lib/deployment/kubernetes/author-manifests.ts';

/** How a folder differs from what would be written there. */
export interface ManifestDifference {
  /** A foreign file has a wanted name and was written by a person or another tool. */
  readonly type: 'missing' | 'changed' | 'obsolete' | 'foreign';
  /** Its path in the folder. */
  readonly file: string;
}

/** @param files the wanted texts by path. Files that a person wrote are not looked at, unless they have a wanted name. */
export function manifestDifferences(folder: string, files: Readonly<Record<string, string>>): ManifestDifference[] {
  const wanted = Object.entries(files).flatMap(([file, text]): ManifestDifference[] => {
    const found = textOf(join(folder, file));
    if (found === text) return [];
    if (found === undefined) return [{ type: 'missing', file }];
    return [{ type: isGenerated(found) ? 'changed' : 'foreign', file }];
  });
  const obsolete = filesOf(folder)
    .filter((file) => !(file in files) && isGenerated(textOf(join(folder, file)) ?? ''))
    .map((file) => ({ type: 'obsolete', file }) as const);
  return [...wanted, ...obsolete];
}

/** What evenkeel writes. Other projects may have folders of their own below the same folder. */
const WRITTEN = /^(crds\/[^/]+|roles\/[^/]+\/[^/]+|argocd\/[^/]+)\.yaml$/;
const FOLDERS = ['argocd', 'crds', 'roles'];

/** Git may have changed the line ends. */
function isGenerated(text: string): boolean {
  return text.startsWith(GENERATED.trimEnd());
}

function filesOf(folder: string): string[] {
  return FOLDERS.flatMap((part) => entriesOf(join(folder, part)).map((file) => `${part}/${file.replaceAll(sep, '/')}`))
    .filter((file) => WRITTEN.test(file))
    .sort();
}

function entriesOf(folder: string): string[] {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' });
}

function textOf(path: string): string | undefined {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true ? readFileSync(path, 'utf8') : undefined;
}
