import { describe, expect, it } from 'vitest';
import type { Controller } from '../../../../lib/core/controller.ts';
import { Progress } from '../../../../lib/testing/simulation/invariants/progress.ts';
import type { Violation } from '../../../../lib/testing/simulation/invariants/violation.ts';

const TARGET = { cluster: 'c', kind: 'widgets.example.com', namespace: 'default', name: 'one', uid: 'u1' };
const type = { group: 'example.com', version: 'v1', plural: 'widgets', kind: 'Widget', namespaced: true };
/** Parts of a checker's input. The checker does not read the rest. */
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
    ['Available', '1 Available Stalled', /^I13 .* shows Available and Stalled$/],
    ['Available', '1 Available Reconciling', /^I13 .* shows Available and Reconciling$/],
    ['Ready Available', '1 Ready Reconciling', /^I13 .* shows Ready and Reconciling$/],
  ])('R-6.13 a kind whose main condition is the first of %j has a status %j reported', (mains, after, message) => {
    expect(found('1', after, [...mains.split(' '), 'Reconciling', 'Stalled'])).toEqual([
      expect.stringMatching(message),
    ]);
  });

  it('R-6.13 a kind with Ready may show Available True while it is not Ready', () => {
    expect(found('1', '1 Available Reconciling', ['Available', 'Ready', 'Reconciling', 'Stalled'])).toEqual([]);
  });

  it('R-6.13 a kind whose controller declares neither condition is not checked', () => {
    expect(found('1', '1 Ready Stalled', ['Ready'])).toEqual([]);
  });
});
