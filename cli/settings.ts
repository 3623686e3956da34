import { resolve } from 'node:path';
import { withAuthorGroups } from '../lib/deployment/author/author-groups.ts';
import { ownControllers } from '../lib/deployment/author/own-controllers.ts';
import { settingsOf } from '../lib/deployment/settings/load-settings.ts';
import { settingsReference } from '../lib/deployment/settings/settings-reference.ts';
import type { RunCommand } from './command.ts';
import { guardAuthorExit } from './wiring-exit.ts';

/** `evenkeel settings [--controllers FILE]` */
export const settings: RunCommand = async (invocation, terminal) => {
  const modules = invocation.list('controllers').map((file) => resolve(file));
  using _exit = guardAuthorExit(modules, terminal);
  const own = await ownControllers(settingsOf(undefined, modules), { wholeErrors: true, isConfigured: false });
  terminal.out(settingsReference(withAuthorGroups(own.controllers, own.definitions), 'printed').trimEnd());
  return 0;
};
