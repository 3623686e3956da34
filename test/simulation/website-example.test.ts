import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { simulate } from '../../lib/testing/index.ts';
import { websiteWorkload } from './website-workload.ts';

describe('examples/website', () => {
  it('R-6.6 R-6.9 a Website is served and its DNS record is removed with it when anything fails in between', async () => {
    const report = await simulate(websiteWorkload, { seeds: 60 });
    expect(report.failure && [report.failure.findings, report.failure.timeline]).toBeUndefined();
  }, 300_000);

  it('R-6.9 its kind and controller take at most 70 lines of 120 characters', () => {
    const lines = readFileSync(new URL('../../examples/website/website.ts', import.meta.url), 'utf8')
      .trimEnd()
      .split('\n');
    expect(lines.length).toBeLessThanOrEqual(70);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(120);
  });
});
