import type { RunCommand } from './command.ts';
import { consoleSource } from './console/console-source.ts';
import { pageFiles } from './console/page-files.ts';
import { exitSignal } from './local/exit-signal.ts';
import { UsageError } from './usage-error.ts';
import { npmShellPid, openInspection } from './wiring.ts';
import { serveConsole } from './wiring-console.ts';

/** `evenkeel console`: serves the console until Ctrl-C or SIGTERM. */
export const console: RunCommand = async (invocation, terminal) => {
  const port = portOf(invocation.text('console-port'));
  await using inspection = await openInspection(invocation);
  const source = consoleSource(inspection, invocation.has('read-only'));
  const ended = Promise.withResolvers<void>();
  using _exit = exitSignal(() => ended.resolve(), npmShellPid);
  const served = await serveConsole(source, await pageFiles(), port);
  terminal.out(`ready: console ${served.url}`);
  await ended.promise;
  await served.close();
  return 0;
};

function portOf(text: string | undefined): number {
  if (text === undefined) return 0;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new UsageError(`--console-port cannot be "${text}". It takes a number from 0 to 65535; 0 selects a free port.`);
}
