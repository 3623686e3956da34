import { dirname, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ExitGuard } from '../../lib/adapters/system/exit-guard.ts';
import type { Terminal } from '../../lib/deployment/terminal/terminal.ts';

/** The folders of the code of the command line itself, which has reported why it ends. */
const OWN = [
  `${dirname(dirname(fileURLToPath(import.meta.url)))}${sep}`,
  `${fileURLToPath(new URL('../../lib', import.meta.url))}${sep}`,
];

/**
 * Until it is disposed, an exit of code of an author ends the process with 1 and a message: the command has not finished.
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
