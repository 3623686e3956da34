import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { durations, laneRate, partUses } from '../../bench/scaling/limits.ts';
import { QUOTAS } from '../../bench/scaling/quotas.ts';
import { FLEETS, pageInputs, withScaling } from '../../bench/scaling/scaling-page.ts';

describe('docs/scaling.md', () => {
  it('R-5.13 shows the limits that are computed from counted requests, the stage and quotas: node bench/write-scaling.ts', async () => {
    const page = readFileSync(new URL('../../docs/scaling.md', import.meta.url), 'utf8');
    expect(page).toBe(await withScaling(page));
    expect(page.match(/<!-- scaling: \w+ -->[^<]*\d/g)).toHaveLength(4);
  });

  it('R-5.13 says for every part with a limit what to change when it is full', async () => {
    const page = readFileSync(new URL('../../docs/scaling.md', import.meta.url), 'utf8');
    const advice = page.slice(page.indexOf('What to change'), page.indexOf('## What takes all'));
    const [fleet] = FLEETS;
    if (fleet === undefined) throw new Error('there is no fleet');
    for (const { part } of partUses(fleet, await pageInputs())) {
      expect(advice, part).toContain(
        `| ${part.replace(/,.*/, '').replace(/: (reads|writes) at once/, ': reads and writes at once')} |`,
      );
    }
  });

  it('R-5.13 names the page of its vendor for each quota', () => {
    for (const { page } of Object.values(QUOTAS))
      expect(page).toMatch(/^https:\/\/(docs\.aws\.amazon\.com|kubernetes\.io)\//);
  });
});

describe('the limits of a fleet', () => {
  it('R-5.17 a lane does as many passes at once as its setting says, rounded down to whole batches', () => {
    expect(laneRate(200, 0.1)).toBe(2_000);
    expect(laneRate(20, 0.1)).toBe(200);
    expect(laneRate(25, 0.1)).toBe(200);
  });

  it('R-5.13 the list of clusters is the first part to be full when there are a thousand of them', async () => {
    const [first] = partUses({ clusters: 1_000, objects: 1_000_000 }, await pageInputs()).filter(
      ({ part }) => !part.includes('without high throughput'),
    );
    // 27 executions list 100 pages of parameters each minute.
    expect(first).toMatchObject({ part: 'Parameter Store: lists of clusters', needed: 45, limit: 40 });
  });

  it('R-5.15 a rollout takes as many runs of resync as the objects of a cluster need, or as long as its lane', async () => {
    const inputs = await pageInputs();
    expect(durations({ clusters: 100, objects: 300_000 }, inputs).rolloutSeconds).toBe(1_500);
    expect(durations({ clusters: 1, objects: 3_000 }, inputs).rolloutSeconds).toBe(900);
  });
});
