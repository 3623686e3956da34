import { describe, expect, it } from 'vitest';
import { isRoutine, passLine } from '../../cli/pass-line.ts';
import type { PassReport } from '../../lib/engine/pass/pass-report.ts';

const AT = Date.UTC(2026, 0, 1, 9, 8, 7);
const REPORT: PassReport = {
  target: { cluster: 'local', kind: 'secretcontracts.evenkeel.dev', uid: 'u', namespace: 'default', name: 'web' },
  cause: 'updated',
  changed: undefined,
  end: 'committed',
  outcome: 'settled',
  reason: '',
  message: '',
  condition: '',
  dueAtMs: undefined,
  failures: 0,
  attempts: 1,
  writes: 1,
  startedAtMs: AT,
  durationMs: 12,
  passId: 'p',
};

const line = (report: Partial<PassReport>) => passLine({ ...REPORT, ...report }, () => 'SecretContract');

describe('passLine', () => {
  it.each<[Partial<PassReport>, string]>([
    [{}, 'updated: settled (12 ms, 1 write); next on a change'],
    [
      { condition: 'Ready False KeyMissing' },
      'updated: settled, Ready False KeyMissing (12 ms, 1 write); next on a change',
    ],
    [{ writes: 0, attempts: 2 }, 'updated: settled (12 ms, no write, 2 attempts); next on a change'],
    [
      { cause: 'dependency', changed: 'secrets default/web-tls', dueAtMs: AT + 3_600_012 },
      'secrets default/web-tls changed: settled (12 ms, 1 write); next on a change or in 1h',
    ],
    [
      {
        outcome: 'retry',
        reason: 'ApiForbidden',
        message: 'not allowed',
        failures: 3,
        dueAtMs: AT + 4_012,
        cause: 'due',
      },
      'its timer is due: retry, ApiForbidden: not allowed (12 ms, 1 write); failure 3, next in 4s',
    ],
    [
      { outcome: 'terminal', reason: 'InvalidRule' },
      'updated: terminal, InvalidRule (12 ms, 1 write); next on a change',
    ],
    [{ end: 'forgotten', outcome: '', cause: 'deleted' }, 'deleted: gone, its item is removed (12 ms)'],
    [{ end: 'covered', outcome: '' }, 'updated: already observed by an earlier pass'],
    [{ end: 'held', outcome: '' }, 'updated: a pass is running and will see it'],
    [
      { end: 'deferred', outcome: 'rateLimited', message: 'too many', dueAtMs: AT + 1_012 },
      'updated: put off, too many; next in 1s',
    ],
    [{ end: 'lost', outcome: '' }, 'updated: dropped, another worker took over (12 ms)'],
    [
      { cause: 'resync', changed: 'secrets a/b' },
      'secrets a/b found changed by resync: settled (12 ms, 1 write); next on a change',
    ],
    [{ dueAtMs: AT }, 'updated: settled (12 ms, 1 write); next on a change or at once'],
  ])('says what, why, outcome and next: %#', (report, expected) => {
    expect(line(report)).toBe(`09:08:07  SecretContract default/web  ${expected}`);
  });

  it('a cluster-scoped object has no namespace', () => {
    expect(line({ target: { ...REPORT.target, namespace: '' } })).toContain('SecretContract web  ');
  });

  it('only events that needed no pass are routine', () => {
    const ends = ['committed', 'covered', 'held', 'forgotten', 'deferred', 'lost'] as const;
    expect(ends.filter((end) => isRoutine({ ...REPORT, end }))).toEqual(['covered', 'held']);
  });
});
