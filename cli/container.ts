import { resolve } from 'node:path';
import { EvenkeelError } from '../lib/core/errors.ts';
import { ownControllers } from '../lib/deployment/author/own-controllers.ts';
import { settingsOf } from '../lib/deployment/settings/load-settings.ts';
import type { RunCommand } from './command.ts';
import { UsageError } from './usage-error.ts';
import { guardAuthorExit } from './wiring-exit.ts';

/** `evenkeel container --out DIR [--controllers FILE]` */
export const container: RunCommand = async (invocation, terminal) => {
  const modules = invocation.list('controllers').map((file) => resolve(file));
  const out = invocation.text('out');
  if (out === undefined) throw new UsageError('give --out DIR.');
  const { definitions } = await checked(modules, terminal);
  const { writeContainerTree } = await bundler();
  await writeContainerTree(resolve(out), { modules, definitions });
  terminal.out(`${out} written. Build the image with: docker build --build-arg NODE=IMAGE@sha256:DIGEST -t TAG ${out}`);
  return 0;
};

/** Refuses modules that a start would refuse, before anything is written. */
async function checked(modules: readonly string[], terminal: Parameters<RunCommand>[1]) {
  if (modules.length === 0) return { definitions: [] };
  using _exit = guardAuthorExit(modules, terminal);
  return await ownControllers(settingsOf(undefined, modules), { wholeErrors: true, isConfigured: false });
}

/** Loaded only when an image is written: esbuild is a development dependency, of this package and of an author's. */
async function bundler() {
  try {
    return await import('../lib/deployment/package/container-tree.ts');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new EvenkeelError(
      'NO_BUNDLER',
      'esbuild, which bundles the image, is not installed. Install it with npm install --save-dev --save-exact esbuild.',
      { cause: error },
    );
  }
}
