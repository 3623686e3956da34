import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EvenkeelError } from '../../core/errors.ts';

/** The folder of this package, for its sources and for its bundles. */
export function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) {
      throw new EvenkeelError('BROKEN_PACKAGE', 'the package has no package.json above its code. Install it again.');
    }
    folder = parent;
  }
  return folder;
}

export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { version: string };
  return version;
}
