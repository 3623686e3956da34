import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { CaughtInHistory } from './planted-worker.ts';

const FILE = fileURLToPath(new URL('./caught.json', import.meta.url));

/** How a fault was caught: in a history, or by the test that holds it, which fails with the fault in place. */
export type Caught = CaughtInHistory | { readonly seed: 'test' };

/** How each planted fault was caught in the last measurement (`npm run sim:planted`), by its name. */
export type CaughtFaults = Readonly<Record<string, Caught>>;

export function readCaughtFaults(): CaughtFaults {
  return existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as CaughtFaults) : {};
}

export function writeCaughtFaults(caught: CaughtFaults): void {
  writeFileSync(FILE, `${JSON.stringify(caught, undefined, 2)}\n`);
}
