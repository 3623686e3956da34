import { expect, it } from 'vitest';
import { simulate } from '../../lib/testing/index.ts';
import { websiteWorkload } from './website-workload.ts';

/** The 240 that follow the 60 of website-example.test.ts, a few at a time, so that a failure is reported soon. */
it.each([61, 121, 181, 241])(
  'R-6.6 R-6.9 a Website is served and its DNS record is removed with it when anything fails in seeds from %i on',
  async (firstSeed) => {
    const report = await simulate(websiteWorkload, { firstSeed, seeds: 60 });
    expect(report.failure && [report.failure.findings, report.failure.timeline]).toBeUndefined();
  },
);
