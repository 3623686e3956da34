import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { GENERATED } from '../lib/deployment/kubernetes/author-manifests.ts';

/** One difference between a folder and the files that would be written there. */
export interface ManifestDifference {
  /** `foreign`: a file with a wanted name that a person or another tool wrote. */
  readonly type: 'missing' | 'changed' | 'obsolete' | 'foreign';
  /** Its path in the folder. */
  readonly file: string;
}

/** @param files the wanted texts by path. Files of a person are ignored, unless they have a wanted name. */
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

/** Compares with any line ends, because git may have changed them. */
function isGenerated(text: string): boolean {
  return text.startsWith(GENERATED.trimEnd());
}

/** The paths that evenkeel writes. Other projects may have their own folders in the same folder. */
const WRITTEN = /^(crds\/[^/]+|roles\/[^/]+\/[^/]+|argocd\/[^/]+|flux\/[^/]+)\.yaml$/;
const FOLDERS = ['argocd', 'crds', 'flux', 'roles'];

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
