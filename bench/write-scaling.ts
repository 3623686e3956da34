// Writes the figures of scaling into docs/scaling.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { withScaling } from './scaling/scaling-page.ts';

const page = new URL('../docs/scaling.md', import.meta.url);
writeFileSync(page, await withScaling(readFileSync(page, 'utf8')));
