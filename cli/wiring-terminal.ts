import { createInterface } from 'node:readline/promises';
import { errorLine } from '../lib/adapters/observability/error-description.ts';
import { HumanLogger } from '../lib/adapters/observability/human-logger.ts';
import { JsonLogger } from '../lib/adapters/observability/json-logger.ts';
import type { LogLevel } from '../lib/adapters/observability/log-level.ts';
import { wholeError } from '../lib/adapters/observability/whole-error.ts';
import { processStrayErrors } from '../lib/adapters/system/process-stray-errors.ts';
import { SystemClock } from '../lib/adapters/system/system-clock.ts';
import type { Terminal } from '../lib/deployment/terminal/terminal.ts';
import type { Logger } from '../lib/ports/logger.ts';

export { wholeError };

const clock = new SystemClock();

/** Logs on standard error, in addition to what a terminal shows. */
export function terminalLogger(terminal: Terminal, format: 'text' | 'json', level: LogLevel): Logger {
  const output = { line: (text: string) => terminal.err(text) };
  return format === 'json' ? new JsonLogger(output, clock, level) : new HumanLogger(output, clock, level);
}

/** Tells of an error that nobody foresaw without its text, which may quote anything. */
export const describeUnforeseen = errorLine;

let reportRejection: ((error: unknown) => void) | undefined;
let showWhole: ((error: unknown) => void) | undefined;

/**
 * Ends the process at an error that reached nobody, with a line that holds none of its text; except one that belongs to the
 * pass of a controller, which fails instead.
 */
export function endAtUnforeseen(terminal: Terminal): void {
  const end = (error: unknown) => {
    showWhole?.(error);
    terminal.err(`evenkeel: internal error: ${errorLine(error)}. Please report it.`);
    process.exit(1);
  };
  process.on('uncaughtException', (error) => {
    if (!processStrayErrors.claim(error)) end(error);
  });
  process.on('unhandledRejection', (error) => {
    if (processStrayErrors.claim(error)) return;
    if (reportRejection === undefined) return end(error);
    showWhole?.(error);
    reportRejection(error);
  });
}

/**
 * From now on an error that reached nobody is shown whole as well, since it may be one of an author's code, of which nothing else
 * tells where it came from. Only on the embedded cluster, and with controllers of other authors.
 */
export function showStrayErrors(terminal: Terminal): void {
  showWhole = (error) => {
    for (const line of wholeError(error)) terminal.err(line);
  };
}

/**
 * From now on a rejected promise that nobody awaits does not end the process any more: one author's controller would end it for
 * everybody else.
 */
export function goOnAtRejections(report: (error: unknown) => void): void {
  reportRejection = report;
}

/** Shows a question and returns the answer. */
export type Ask = (question: string) => Promise<string>;

/** Questions to the person at the terminal; undefined when input or output is no terminal. */
export function terminalQuestions(): (Disposable & { readonly ask: Ask }) | undefined {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) return undefined;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  return { ask: (question) => lines.question(question), [Symbol.dispose]: () => lines.close() };
}
