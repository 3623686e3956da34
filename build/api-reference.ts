// Writes docs/reference from the doc comments of the package's exports.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { publicExports, referencePages } from './reference/pages.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDER = new URL('../docs/reference/', import.meta.url);

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
for (const [file, text] of referencePages(publicExports(ROOT))) writeFileSync(new URL(file, FOLDER), text);
