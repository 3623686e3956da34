import { describe, expect, it } from 'vitest';
import type { Controller } from '../../../../lib/core/controller.ts';
import { Progress } from '../../../../lib/testing/simulation/invariants/progress.ts';
import type { Violation } from '../../../../lib/testing/simulation/invariants/violation.ts';

const TARGET = { cluster: 'c', kind: 'widgets.example.com', namespace: 'default', name: 'one', uid: 'u1' };
const type = { group: 'example.com', version: 'v1', plural: 'widgets', kind: 'Widget', namespaced: true };
/** Parts of what a checker is told; the rest is not looked at. */
const given = <Given>(part: unknown): Given => part as Given;

/** A status as `2 Ready Stalled`: its generation, and the conditions that are True. */
function status(text: string) {
  const [generation, ...types] = text.split(' ');
  const conditions = types.map((each) => ({
    type: each,
    status: 'True',
    reason: 'R',
    message: '',
    lastTransitionTime: '',
  }));
  return { status: { observedGeneration: Number(generation), conditions } };
}

function found(before: string, after: string, conditions = ['Ready', 'Reconciling', 'Stalled']): string[] {
  const reports: string[] = [];
  const report = (invariant: Violation['invariant'], what: string) => reports.push(`${invariant} ${what}`);
  const progress = new Progress(report, [given<Controller>({ type, conditions })]);
  const write = { kind: TARGET.kind, before: status(before), after: status(after) };
  progress.wrote(given(write), given({ pass: { target: TARGET } }));
  return reports;
}

describe('Progress', () => {
  it.each([
    ['1', '2 Reconciling Stalled', /^I13 .* shows Reconciling and Stalled$/],
    ['1', '2 Ready Stalled', /^I13 .* shows Ready and Stalled$/],
    ['1', '2 Ready Reconciling', /^I13 .* shows Ready and Reconciling$/],
    ['2', '1 Ready', /^I13 .* goes back from generation 2 to 1$/],
  ])('R-6.13 a status %j that becomes %j is reported', (before, after, message) => {
    expect(found(before, after)).toEqual([expect.stringMatching(message)]);
  });

  it.each([
    ['-1', '1 Reconciling'],
    ['1 Stalled', '1 Ready'],
    ['1', '2'],
  ])('R-6.13 a status %j that becomes %j is accepted', (before, after) => {
    expect(found(before, after)).toEqual([]);
  });

  it.each([
    [['Available', 'Reconciling', 'Stalled'], '1', '2 Available Stalled', /shows Available and Stalled$/],
    [['Available', 'Reconciling', 'Stalled'], '1', '1 Ready', /gets Ready, which its controller does not declare$/],
    [['Ready', 'Reconciling', 'Stalled'], '1', '1 Available', /gets Available, which its controller does not declare$/],
    [['Reconciling', 'Stalled'], '1', '1 Ready Reconciling', /gets Ready, which its controller does not declare$/],
  ])(
    'R-6.13 the checker goes by the declared main condition when a controller declares %j',
    (declared, before, after, message) => {
      expect(found(before, after, declared)).toEqual([expect.stringMatching(message)]);
    },
  );

  it('R-6.13 a main condition of another controller is accepted when it was there before', () => {
    expect(found('1 Ready', '1 Ready Stalled', ['Available', 'Reconciling', 'Stalled'])).toEqual([]);
  });

  it('R-6.13 a kind whose controller declares neither condition is not checked', () => {
    expect(found('1', '1 Ready Stalled', ['Ready'])).toEqual([]);
  });
});

/** What is reported of passes that end so, each with the conditions that it leaves as `Ready=Unknown Retrying`. */
function reportedOf(
  passes: readonly (readonly [outcome: string, conditions: string, isHindered?: boolean])[],
): string[] {
  const reports: string[] = [];
  const report = (invariant: Violation['invariant'], what: string) => reports.push(`${invariant} ${what}`);
  const progress = new Progress(report, [given<Controller>({ type, conditions: ['Ready', 'Reconciling', 'Stalled'] })]);
  for (const [outcome, text, isHindered] of passes) {
    const conditions = text.split(', ').map((each) => {
      const [, of, is, reason] = /^(\w+)=(\w+) (\w+)$/.exec(each) ?? [];
      return { type: of, status: is, reason, message: reason, lastTransitionTime: '' };
    });
    const scope = {};
    if (isHindered) progress.called(given({ scope }), { ok: false, error: new Error('no') });
    const latest = new Map([[`${TARGET.kind}/default/one`, { status: { conditions } }]]);
    progress.committed(
      given({ pass: { target: TARGET, scope }, latest }),
      given({}),
      given({ lastOutcome: { type: outcome } }),
    );
  }
  return reports;
}

describe('Progress, at a commit', () => {
  const failed = ['retry', 'Ready=Unknown Retrying, Reconciling=True Retrying'] as const;

  it.each(['settled', 'checkAt', 'terminal'])(
    'R-6.13 conditions of a failed pass are reported when they are still there after a pass that is %s',
    (outcome) => {
      expect(reportedOf([failed, [outcome, failed[1]]])).toEqual([
        expect.stringMatching(/^I13 .* still shows Reconciling of a failed pass/),
        expect.stringMatching(/^I13 .* still shows Ready of a failed pass/),
      ]);
    },
  );

  it.each([
    ['they are gone', [failed, ['settled', 'Own=True Fine']]],
    ['their reason is another', [failed, ['settled', 'Ready=False Starting, Reconciling=True Starting']]],
    ['the pass failed too', [failed, failed]],
    ['the object is paused', [failed, ['paused', failed[1]]]],
    ['a call of the pass failed', [failed, ['settled', failed[1], true]]],
    ['no pass failed before', [['settled', failed[1]]]],
  ] as const)('R-6.13 conditions of a failed pass are accepted when %s', (_, passes) => {
    expect(reportedOf(passes)).toEqual([]);
  });
});
