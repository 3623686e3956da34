import { describe, expect, it } from 'vitest';
import { examineUses } from '../../../cli/doctor/examine-uses.ts';

const FREE = { cluster: 'west', finalizers: {}, leases: [], schemas: {}, release: '0.2.0', sinceMs: 0 };

describe('the doctor on clusters that were taken out of a stage', () => {
  it('R-6.8 names those that still have something of it, with the command', () => {
    const found = examineUses('prod', ['east'], [FREE, { ...FREE, cluster: 'gone', leases: ['evenkeel-t4'] }]);
    expect(found).toMatchObject([
      { about: 'gone', level: 'note', text: expect.stringContaining('the Lease evenkeel-t4') },
    ]);
    expect(found[0]?.advice).toContain('evenkeel uninstall --context CONTEXT --stage prod --cluster gone');
  });

  it('R-6.8 names no cluster that is registered', () => {
    expect(examineUses('prod', ['gone'], [{ ...FREE, cluster: 'gone', leases: ['evenkeel-t4'] }])).toEqual([]);
  });
});
