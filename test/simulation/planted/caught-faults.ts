import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Caught } from './planted-worker.ts';

const FILE = fileURLToPath(new URL('./caught.json', import.meta.url));

/** At which seed each planted fault was caught when that was last measured (`npm run sim:planted`), by its name. */
export type CaughtFaults = Readonly<Record<string, NonNullable<Caught>>>;

export function readCaughtFaults(): CaughtFaults {
  return existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as CaughtFaults) : {};
}

export function writeCaughtFaults(caught: CaughtFaults): void {
  writeFileSync(FILE, `${JSON.stringify(caught, undefined, 2)}\n`);
}
