import type { Terminal } from '../lib/deployment/terminal/terminal.ts';

/** Prints a value as JSON with line breaks. Line breaks inside strings are escaped. */
export function printJson(value: unknown, terminal: Terminal): void {
  for (const line of JSON.stringify(value, null, 2).split('\n')) terminal.out(line);
}
