import { describe, expect, it } from 'vitest';
import type { DesiredObject, KubeObject } from '../../../lib/core/kube-object.ts';
import { ownField } from '../../../lib/core/own-field.ts';
import { descend } from '../../../lib/engine/context/field-steps.ts';
import { isTakenUp } from '../../../lib/engine/context/owned-state.ts';
import { applyWouldChangeNothing } from '../../../lib/engine/context/unchanged.ts';

const NAMES = ['constructor', 'toString', '__proto__', 'hasOwnProperty'];

describe('a name that every object inherits', () => {
  it.each(NAMES)('R-1.32 %s is absent when nobody wrote it', (name) => {
    const written = Object.fromEntries([[name, 'value']]);
    expect([ownField({}, name), ownField('text', name), ownField(null, name)]).toEqual(Array(3).fill(undefined));
    expect(ownField(written, name)).toBe('value');
    expect([descend({}, `f:${name}`), descend(written, `f:${name}`)]).toEqual([undefined, 'value']);
    expect([isTakenUp({}, written), isTakenUp(written, written)]).toEqual([false, true]);
  });

  it.each(NAMES)('R-1.32 an apply that empties the absent label %s changes nothing', (name) => {
    const labels = Object.fromEntries([[name, null]]);
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'b' } };
    const desired = { ...object, metadata: { ...object.metadata, labels } } as unknown as DesiredObject;
    const managedFields = [
      { manager: 'me', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:metadata': {} } },
    ];
    const observed = {
      ...object,
      metadata: { ...object.metadata, uid: 'u', resourceVersion: '1', labels: {}, managedFields },
    } as unknown as KubeObject;
    expect(applyWouldChangeNothing(observed, desired, 'me')).toBe(true);
  });
});
