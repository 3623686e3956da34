import { describe, expect, it } from 'vitest';
import { type Condition, readConditions } from '../../../lib/core/conditions.ts';
import type { Controller } from '../../../lib/core/controller.ts';
import type { JsonObject, KubeObject } from '../../../lib/core/kube-object.ts';
import { checkAt, type Outcome, retry, settled, terminal } from '../../../lib/core/outcome.ts';
import { type PassCourse, withProgress } from '../../../lib/engine/pass/progress-conditions.ts';
import { ApiError } from '../../../lib/ports/cluster-api.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const CONTROLLER = { conditions: ['Ready', 'Reconciling', 'Stalled'] } as unknown as Controller;

const condition = (type: string, status: Condition['status'], reason: string, observedGeneration = 2): Condition => ({
  type,
  status,
  reason,
  message: `${reason}.`,
  observedGeneration,
  lastTransitionTime: '2025-01-01T00:00:00Z',
});

function object(conditions: readonly Condition[], observedGeneration = 2): KubeObject {
  const metadata = { name: 'a', namespace: 'b', uid: 'c', resourceVersion: '1', generation: 2 };
  return { apiVersion: 'example.com/v1', kind: 'A', metadata, status: { observedGeneration, conditions } };
}

/** Each condition of the plan as `Ready=True Reconciled`; undefined for no plan. */
function shown(
  found: KubeObject,
  course: Partial<PassCourse> & { outcome: Outcome },
  status: JsonObject | undefined,
  controller = CONTROLLER,
): string[] | undefined {
  const whole = {
    mode: 'reconciled',
    progressing: undefined,
    failedBefore: false,
    madeByEngine: [],
    ...course,
  } as const;
  const input = { controller, object: found, owned: new Set<string>(), nowMs: NOW };
  const plan = withProgress(input, whole, status && { status, byEngine: [], asFound: false });
  return plan && readConditions(plan.status).map((each) => `${each.type}=${each.status} ${each.reason}`);
}

const given = (...conditions: Condition[]): JsonObject => ({ observedGeneration: 2, conditions });
const ready = condition('Ready', 'True', 'Reconciled');
const notReady = condition('Ready', 'False', 'Starting');
const unavailable = retry(new ApiError('Timeout', 'no'));

describe('withProgress', () => {
  it.each<[string, Partial<PassCourse> & { outcome: Outcome }, JsonObject, string[]]>([
    ['is Ready', { outcome: settled() }, given(ready), []],
    ['is Ready and has a timer', { outcome: checkAt(NOW) }, given(ready), []],
    [
      'waits for something on its way',
      { outcome: settled(), progressing: true },
      given(notReady),
      ['Reconciling=True Starting'],
    ],
    ['is not Ready and has a timer', { outcome: checkAt(NOW) }, given(notReady), ['Reconciling=True Starting']],
    ['is not Ready and waits for others', { outcome: settled() }, given(notReady), ['Stalled=True Starting']],
    ['needs an edit', { outcome: terminal('Bad', '') }, given(notReady), ['Stalled=True Starting']],
    ['failed with a status', { outcome: unavailable }, given(notReady), ['Reconciling=True Retrying']],
    ['failed, and is Ready by what it read', { outcome: unavailable }, given(ready), []],
    ['is being cleaned up', { outcome: settled(), mode: 'finalizing' }, given(notReady), ['Reconciling=True Starting']],
  ])('R-6.13 an object that %s shows what the engine will do', (_, course, status, expected) => {
    const [main, ...rest] = shown(object([]), course, status) ?? [];
    expect(main).toMatch(/^Ready=/);
    expect(rest).toEqual(expected);
  });

  it.each<[string, Outcome, string]>([
    ['Reconciling', terminal('Bad', ''), 'Stalled'],
    ['Stalled', checkAt(NOW), 'Reconciling'],
  ])('R-6.13 %s is removed when the other one appears', (old, outcome, next) => {
    const found = object([notReady, condition(old, 'True', 'Starting')]);
    const status = given(notReady, condition(old, 'True', 'Starting'));
    expect(shown(found, { outcome }, status)).toEqual(['Ready=False Starting', `${next}=True Starting`]);
  });

  it('R-6.13 both are removed when the object is Ready', () => {
    const old = condition('Stalled', 'True', 'Starting');
    expect(shown(object([notReady, old]), { outcome: settled() }, given(ready, old))).toEqual([
      'Ready=True Reconciled',
    ]);
  });

  it('R-6.13 R-1.14 a failed pass moves observedGeneration and sets Ready Unknown when the generation is new', () => {
    const found = object([condition('Ready', 'True', 'Reconciled', 1), condition('Own', 'True', 'Fine', 1)], 1);
    expect(shown(found, { outcome: unavailable }, undefined)).toEqual([
      'Ready=Unknown Retrying',
      'Own=True Fine',
      'Reconciling=True Retrying',
    ]);
  });

  it('R-6.13 a failed pass writes nothing when the generation was reconciled and the pass before succeeded', () => {
    expect(shown(object([ready]), { outcome: unavailable }, undefined)).toBeUndefined();
  });

  it('R-6.13 R-1.22 the second failure in a row sets Ready Unknown', () => {
    expect(shown(object([ready]), { outcome: unavailable, failedBefore: true }, undefined)).toEqual([
      'Ready=Unknown Retrying',
      'Reconciling=True Retrying',
    ]);
  });

  it('R-1.3 a further failure changes nothing', () => {
    const text = { message: 'The pass failed (ApiTimeout). It is retried.' };
    const found = object([
      { ...condition('Ready', 'Unknown', 'Retrying'), ...text },
      { ...condition('Reconciling', 'True', 'Retrying'), ...text },
    ]);
    const course = { mode: 'reconciled', progressing: false, failedBefore: true, madeByEngine: [] } as const;
    const input = { controller: CONTROLLER, object: found, owned: new Set<string>(), nowMs: NOW };
    expect(withProgress(input, { ...course, outcome: unavailable }, undefined)?.status).toEqual(found.status);
  });

  it.each<[string, Outcome, string, string]>([
    ['a pass gives no status', settled(), 'Stalled', 'Starting'],
    ['a further pass fails', unavailable, 'Reconciling', 'Retrying'],
  ])('R-1.3 the conditions keep their places when %s', (_, outcome, type, reason) => {
    const found = object([notReady, condition(type, 'True', reason), condition('Own', 'True', 'Fine')]);
    expect(shown(found, { outcome, failedBefore: true }, undefined)).toEqual([
      'Ready=False Starting',
      `${type}=True ${reason}`,
      'Own=True Fine',
    ]);
  });

  it('R-6.13 a Ready of another controller does not count when the kind has Available', () => {
    const controller = { conditions: ['Available', 'Reconciling', 'Stalled'] } as unknown as Controller;
    const found = object([
      ready,
      condition('Available', 'False', 'Starting'),
      condition('Stalled', 'True', 'Starting'),
    ]);
    expect(shown(found, { outcome: checkAt(NOW) }, undefined, controller)).toEqual([
      'Ready=True Reconciled',
      'Available=False Starting',
      'Reconciling=True Starting',
    ]);
  });

  it('R-6.13 a status of a release without the two is not written for them alone, and has them with its next change', () => {
    const before = object([notReady]);
    expect(shown(before, { outcome: settled() }, undefined)).toBeUndefined();
    expect(shown(before, { outcome: unavailable, failedBefore: true }, undefined)).toBeUndefined();
    expect(shown(before, { outcome: settled() }, given(notReady))).toEqual(['Ready=False Starting']);
    expect(shown(before, { outcome: settled() }, given(condition('Ready', 'False', 'Other')))).toEqual([
      'Ready=False Other',
      'Stalled=True Other',
    ]);
    // A new generation is always written.
    const older = object([condition('Ready', 'False', 'Starting', 1)], 1);
    expect(shown(older, { outcome: settled() }, given(notReady))).toContain('Stalled=True Starting');
  });

  it.each([
    [undefined, 'Reconciling'],
    [true, 'Reconciling'],
    [false, 'Stalled'],
  ])('R-6.13 with a timer due and progressing %s the object shows %s', (progressing, type) => {
    expect(shown(object([]), { outcome: checkAt(NOW), progressing }, given(notReady))).toEqual([
      'Ready=False Starting',
      `${type}=True Starting`,
    ]);
  });

  it('R-6.13 a kind whose controller does not declare both conditions is not changed', () => {
    const other = { conditions: ['Ready'] } as unknown as Controller;
    expect(shown(object([]), { outcome: settled() }, given(notReady), other)).toEqual(['Ready=False Starting']);
    expect(shown(object([], 1), { outcome: unavailable }, undefined, other)).toBeUndefined();
  });
});
