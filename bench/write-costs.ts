// Writes the figures of costs into docs/operations.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { withCosts } from './cost-page.ts';

const page = new URL('../docs/operations.md', import.meta.url);
writeFileSync(page, await withCosts(readFileSync(page, 'utf8')));
