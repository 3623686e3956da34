import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EvenkeelError } from '../../lib/core/errors.ts';
import { packageRoot } from '../../lib/deployment/package/package-root.ts';

/** The files of the page, as the server sends them. */
export interface PageFiles {
  readonly script: string;
  readonly style: string;
  /** The id of these files. With another id, the page is from another process. */
  readonly build: string;
}

/**
 * The page's files: the ones that `npm run build` wrote, or in a clone, built now from the sources.
 * @throws EvenkeelError CONSOLE_PAGE when there are neither.
 */
export async function pageFiles(): Promise<PageFiles> {
  const [script, style] = (await built()) ?? (await buildNow());
  const build = createHash('sha256').update(script).update(style).digest('hex').slice(0, 16);
  return { script, style, build };
}

async function built(): Promise<[string, string] | undefined> {
  const folder = join(packageRoot(), 'dist', 'console');
  try {
    return [await readFile(join(folder, 'main.js'), 'utf8'), await readFile(join(folder, 'main.css'), 'utf8')];
  } catch {
    return undefined;
  }
}

async function buildNow(): Promise<[string, string]> {
  try {
    // The bundler is a development dependency, so only a clone has it.
    const { buildConsolePage } = await import('../../lib/deployment/package/console-page.ts');
    return await buildConsolePage(packageRoot());
  } catch (error) {
    throw new EvenkeelError(
      'CONSOLE_PAGE',
      'the page of the console is not built, and cannot be built here. Run npm ci and npm run build in the clone.',
      { cause: error },
    );
  }
}
