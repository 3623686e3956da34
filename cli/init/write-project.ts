import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { EvenkeelError } from '../../lib/core/errors.ts';
import { fileFault } from '../../lib/deployment/files/file-fault.ts';
import { packageRoot } from '../../lib/deployment/package/package-root.ts';
import { controllerFiles } from './controller-files.ts';
import { projectFiles, type Versions } from './project-files.ts';
import type { ProjectNames } from './project-names.ts';

/** Files that git and the tools of a system create in an empty folder. */
const HARMLESS = new Set(['.git', '.cache', '.DS_Store']);

/**
 * Refuses a folder that is not empty, because its files would be mixed with those of the project.
 * @throws EvenkeelError NOT_EMPTY or CANNOT_WRITE
 */
export function refuseUsedFolder(folder: string): void {
  const found = entriesOf(folder).filter((name) => !HARMLESS.has(name));
  if (found.length === 0) return;
  const shown = found.slice(0, 3).join(', ');
  throw new EvenkeelError(
    'NOT_EMPTY',
    `${folder} is not empty: it holds ${shown}${found.length > 3 ? ' and more' : ''}. Name a new or empty folder.`,
  );
}

/** @returns the paths of the written files, relative to the folder. @throws EvenkeelError CANNOT_WRITE */
export function writeProject(folder: string, names: ProjectNames): string[] {
  const files = { ...projectFiles(names, packageVersions()), ...controllerFiles(names) };
  for (const [file, text] of Object.entries(files)) {
    const path = join(folder, file);
    try {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text, { flag: 'wx' });
    } catch (error) {
      throw cannotWrite(path, error);
    }
  }
  return Object.keys(files);
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw cannotWrite(folder, error);
  }
}

function cannotWrite(path: string, error: unknown): EvenkeelError {
  const { why, advice } = fileFault(error);
  return new EvenkeelError('CANNOT_WRITE', `${path} cannot be written: ${why}. ${advice}, or name another folder.`, {
    cause: error,
  });
}

/** The versions of this package and of the packages that it was tested with. A new project starts with the same. */
function packageVersions(): Versions {
  const manifest = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as {
    readonly version: string;
    readonly dependencies: Versions;
    readonly devDependencies: Versions;
  };
  return { ...manifest.dependencies, ...manifest.devDependencies, evenkeel: manifest.version };
}
