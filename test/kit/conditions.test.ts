import { describe, expect, it } from 'vitest';
import type { ConditionInput } from '../../lib/core/conditions.ts';
import {
  baseStatus,
  conditionFalse,
  conditionOfAll,
  conditionTrue,
  conditionUnknown,
  notEvaluated,
  statusFields,
} from '../../lib/kit/conditions.ts';

const TRUE = conditionTrue('A', 'Fine', 'It is fine.');
const FALSE = conditionFalse('B', 'Broken', 'It is broken.');
const UNKNOWN = conditionUnknown('C', 'Unread', 'It could not be read.');
const READY = { type: 'Ready', reason: 'AllSatisfied', message: 'All is well.' };

describe('a condition of all others', () => {
  it.each<[string, ConditionInput[], Partial<ConditionInput>]>([
    ['True when all are True', [TRUE, TRUE], { status: 'True', ...READY }],
    ['True when there are none', [], { status: 'True', ...READY }],
    [
      'False like the one that is False',
      [TRUE, FALSE],
      { status: 'False', reason: 'Broken', message: 'It is broken.' },
    ],
    ['False when an Unknown one comes before the False one', [UNKNOWN, FALSE], { status: 'False', reason: 'Broken' }],
    ['Unknown like the one that is Unknown', [TRUE, UNKNOWN], { status: 'Unknown', reason: 'Unread' }],
    ['like the first of two', [FALSE, { ...FALSE, reason: 'Second' }], { status: 'False', reason: 'Broken' }],
    ['Unknown when one was not evaluated', [TRUE, notEvaluated('D')], { status: 'Unknown', reason: 'NotEvaluated' }],
  ])('R-1.22 Ready is %s', (_, conditions, expected) => {
    const ready = conditionOfAll(conditions, READY);
    expect(ready).toMatchObject(expected);
    expect(ready.type).toBe('Ready');
  });
});

describe('the status that every status begins with', () => {
  const metadata = { name: 'a', uid: 'uid', resourceVersion: '1', generation: 3 };
  const object = { apiVersion: 'v1', kind: 'A', metadata };

  it('R-1.14 baseStatus names the generation that the inputs are about', () => {
    const status = baseStatus(object, [TRUE], 1_000);
    expect(status).toEqual({
      observedGeneration: 3,
      conditions: [{ ...TRUE, observedGeneration: 3, lastTransitionTime: '1970-01-01T00:00:01Z' }],
    });
  });

  it('R-1.23 baseStatus keeps the transition time of a condition when only its reason and message change', () => {
    const before = { ...object, status: baseStatus(object, [TRUE, FALSE], 1_000) };
    const changed = { ...TRUE, reason: 'Finer', message: 'It is finer.' };
    const { conditions } = baseStatus(before, [changed, { ...FALSE, status: 'True' }], 9_000);
    expect(conditions.map(({ lastTransitionTime }) => lastTransitionTime)).toEqual([
      '1970-01-01T00:00:01Z',
      '1970-01-01T00:00:09Z',
    ]);
  });

  it('baseStatus drops conditions that are no longer computed', () => {
    const before = { ...object, status: baseStatus(object, [TRUE, FALSE], 1_000) };
    expect(baseStatus(before, [FALSE], 9_000).conditions.map(({ type }) => type)).toEqual(['B']);
  });

  it.each([undefined, null, 'text', 7, ['a']])('statusFields has no fields when the status is %j', (status) => {
    expect(statusFields(status)).toEqual({});
  });

  it('statusFields returns the fields when the status is an object', () => {
    expect(statusFields({ phase: 'Ready' })).toEqual({ phase: 'Ready' });
  });
});
