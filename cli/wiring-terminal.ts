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

/** A logger to standard error, in addition to the lines on the terminal. */
export function terminalLogger(terminal: Terminal, format: 'text' | 'json', level: LogLevel): Logger {
  const output = { line: (text: string) => terminal.err(text) };
  return format === 'json' ? new JsonLogger(output, clock, level) : new HumanLogger(output, clock, level);
}

/** Describes an unexpected error without its text, which may quote anything. */
export const describeUnforeseen = errorLine;

let reportRejection: ((error: unknown) => void) | undefined;
let showWhole: ((error: unknown) => void) | undefined;

/**
 * Ends the process at an uncaught error, with a line without the error's text. An error that belongs to a controller's
 * pass fails that pass only.
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
 * After this call, an uncaught error is also printed with its text and stack, because it may come from an author's
 * code, and nothing else shows its place. Only for the embedded cluster with controllers of other authors.
 */
export function showStrayErrors(terminal: Terminal): void {
  showWhole = (error) => {
    for (const line of wholeError(error)) terminal.err(line);
  };
}

/**
 * After this call, a rejected promise that nobody awaits does not end the process: one author's controller would end it
 * for all others.
 */
export function goOnAtRejections(report: (error: unknown) => void): void {
  reportRejection = report;
}

/** Prints a question and returns the answer. */
export type Ask = (question: string) => Promise<string>;

/** Asks the person at the terminal; undefined when input or output is not a terminal. */
export function terminalQuestions(): (Disposable & { readonly ask: Ask }) | undefined {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) return undefined;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  return { ask: (question) => lines.question(question), [Symbol.dispose]: () => lines.close() };
}
