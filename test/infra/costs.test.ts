import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { withCosts } from '../../bench/cost-page.ts';

describe('docs/operations.md', () => {
  it('R-5.11 shows the costs that are computed from counted requests and list prices: node bench/write-costs.ts', async () => {
    const page = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
    expect(page).toBe(await withCosts(page));
    expect(page.match(/<!-- costs: \w+ -->[^<]*\d/g)).toHaveLength(3);
  });
});
