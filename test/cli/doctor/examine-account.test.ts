import { describe, expect, it } from 'vitest';
import { examineAccount } from '../../../cli/doctor/examine-account.ts';
import { InfrastructureError } from '../../../lib/core/errors.ts';
import type { CloudAccount } from '../../../lib/ports/cloud-account.ts';
import type { DeadLetters } from '../../../lib/ports/dead-letters.ts';

const NAMES = ['t4-events', 't4-resync', 'wakes'].map((name) => `evenkeel-prod-${name}-dead`);

function examine(account: Partial<CloudAccount> = {}, counts: Record<string, number> = {}, names = NAMES) {
  const letters: Pick<DeadLetters, 'queues'> = {
    queues: async () => names.map((name) => ({ name, count: counts[name] ?? 0 })),
  };
  const whole: CloudAccount = {
    table: async () => ({ arn: 'arn:table', status: 'ACTIVE' }),
    clockAheadMs: async () => 100,
    concurrentExecutions: async () => 1_000,
    deleteEmptyTable: async () => false,
    ...account,
  };
  const settings = { concurrency: 200, resyncConcurrency: 20 };
  return examineAccount('prod', ['t4'], whole, letters as DeadLetters, settings);
}

describe('examineAccount', () => {
  it('R-6.4 finds nothing wrong with a table, its queues and a clock', async () => {
    expect((await examine()).map(({ level, text }) => `${level} ${text}`)).toEqual([
      'ok table arn:table',
      'ok 3 queues, no dead letters',
      'ok 1000 concurrent executions are permitted',
      "ok this machine's clock agrees with AWS'",
    ]);
  });

  it.each([
    ['there is no table evenkeel-prod', { table: async () => undefined }, 'evenkeel repair --stage prod'],
    ['is CREATING', { table: async () => ({ arn: 'a', status: 'CREATING' }) }, 'Wait until it is ACTIVE'],
  ])('R-6.4 %s: trouble, with what to do', async (text, account, advice) => {
    const [diagnosis] = await examine(account);
    expect(diagnosis?.level).toBe('trouble');
    expect(diagnosis?.text).toContain(text);
    expect(diagnosis?.advice).toContain(advice);
  });

  it('R-6.4 missing queues and dead letters are trouble', async () => {
    const missing = await examine({}, {}, NAMES.slice(0, 2));
    expect(missing[1]).toMatchObject({ level: 'trouble', text: 'queues are missing: evenkeel-prod-wakes-dead' });
    const full = await examine({}, { 'evenkeel-prod-t4-events-dead': 3 });
    expect(full[1]).toMatchObject({
      level: 'trouble',
      text: 'evenkeel-prod-t4-events-dead holds about 3 dead letters',
    });
    expect(full[1]?.advice).toContain('evenkeel redrive --stage prod --dry-run');
    const others = 'evenkeel-prod-eu-t4-events-dead';
    expect((await examine({}, { [others]: 3 }, [...NAMES, others]))[1]).toMatchObject({ level: 'ok' });
  });

  it('R-6.4 an account that permits fewer concurrent executions than the functions use is trouble', async () => {
    const quota = (permitted: number) => examine({ concurrentExecutions: async () => permitted });
    expect((await quota(10))[2]).toMatchObject({
      level: 'trouble',
      text: 'the account permits 10 concurrent executions, and the functions use up to 27',
      advice: expect.stringContaining('Service Quotas'),
    });
    expect((await quota(26))[2]?.level).toBe('trouble');
    expect((await quota(27))[2]?.level).toBe('ok');
  });

  it('R-6.4 the doctor warns when the concurrent executions cannot be read', async () => {
    const concurrentExecutions = () => Promise.reject(new InfrastructureError('AccessDenied'));
    expect((await examine({ concurrentExecutions }))[2]).toMatchObject({
      level: 'warning',
      advice: expect.stringContaining('servicequotas:GetServiceQuota'),
    });
  });

  it.each([
    [9_000, '9 s behind'],
    [-60_000, '60 s ahead of'],
  ])('R-6.4 a clock that differs by %i ms is noted', async (ahead, text) => {
    const diagnoses = await examine({ clockAheadMs: async () => ahead });
    expect(diagnoses.at(-1)).toMatchObject({ level: 'note', text: `this machine's clock is ${text} AWS'` });
  });
});
