import { join, sep } from 'node:path';
import { ExitGuard } from '../lib/adapters/system/exit-guard.ts';
import { packageRoot } from '../lib/deployment/package/package-root.ts';
import type { Terminal } from '../lib/deployment/terminal/terminal.ts';

/** The folders of evenkeel's own code, which reports by itself why it ends the process. */
const OWN = ['cli', 'lib', 'dist'].map((folder) => `${join(packageRoot(), folder)}${sep}`);

/**
 * Until it is disposed, `process.exit` in an author's code ends the process with 1 and a message, because the command
 * has not finished.
 * @param modules the files of --controllers.
 */
export function guardAuthorExit(modules: readonly string[], terminal: Terminal): Disposable {
  return new ExitGuard((place) => {
    if (place !== undefined && OWN.some((folder) => place.startsWith(folder))) return;
    const where = place ?? `${modules.join(', ')}, or a module that it imports`;
    terminal.err(
      `evenkeel: the command did not finish: ${where} ended the process. Remove the call of process.exit there.`,
    );
  });
}
