import { describe, expect, it } from 'vitest';
import type { DesiredObject, JsonObject, KubeObject } from '../../../lib/core/kube-object.ts';
import { applyWouldChangeNothing } from '../../../lib/engine/context/unchanged.ts';

const desired: DesiredObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: { containers: [{ name: 'web', image: 'web:1' }], hosts: ['a'], finalizers: ['ours'] },
};
const KEYED: JsonObject = {
  'f:spec': {
    'f:containers': { 'k:{"name":"web"}': { '.': {}, 'f:name': {}, 'f:image': {} } },
    'f:hosts': {},
    'f:finalizers': { 'v:"ours"': {} },
  },
};

function observed(spec: object, fieldsV1: JsonObject = KEYED): KubeObject {
  const managedFields = [{ manager: 'me', operation: 'Apply', fieldsV1 }];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', uid: 'u', resourceVersion: '1', managedFields },
    spec,
  };
}

const SAME = { containers: [{ name: 'web', image: 'web:1', pull: 'Always' }], hosts: ['a'], finalizers: ['ours'] };
const unchanged = (spec: object) => applyWouldChangeNothing(observed(spec), desired, 'me');

describe('whether an apply would change nothing', () => {
  it('R-1.3 R-1.13 additions of others count as unchanged: fields, elements of keyed lists at any position, elements of sets', () => {
    expect(unchanged(SAME)).toBe(true);
    expect(unchanged({ ...SAME, replicas: 3 })).toBe(true);
    const sidecar = { name: 'sidecar', image: 'x' };
    expect(unchanged({ ...SAME, containers: [sidecar, ...SAME.containers] })).toBe(true);
    expect(unchanged({ ...SAME, finalizers: ['theirs', 'ours'] })).toBe(true);
  });

  it('R-1.4 a field of ours counts as changed when it differs or is gone', () => {
    expect(unchanged({ ...SAME, containers: [{ name: 'web', image: 'web:2' }] })).toBe(false);
    expect(unchanged({ ...SAME, containers: [{ name: 'other', image: 'web:1' }] })).toBe(false);
    expect(unchanged({ ...SAME, containers: [] })).toBe(false);
    expect(unchanged({ ...SAME, finalizers: ['theirs'] })).toBe(false);
  });

  it('R-1.4 a list that one manager owns as a whole is compared as a whole', () => {
    expect(unchanged({ ...SAME, hosts: ['a', 'b'] })).toBe(false);
    expect(unchanged({ ...SAME, hosts: [] })).toBe(false);
  });

  it('R-1.4 an apply removes a field that we own and do not want any more', () => {
    const more = { 'f:spec': { ...(KEYED['f:spec'] as JsonObject), 'f:replicas': {} } };
    expect(applyWouldChangeNothing(observed({ ...SAME, replicas: 3 }, more), desired, 'me')).toBe(false);
  });

  it('R-1.13 an apply is needed to own a field with the right value when we own none yet', () => {
    expect(applyWouldChangeNothing(observed(SAME), desired, 'somebody')).toBe(false);
  });

  it.each<[string, JsonObject, object, JsonObject, boolean]>([
    ['null', { a: null }, {}, {}, true],
    ['null in a list', { hosts: [{ a: 1, b: null }] }, { hosts: [{ a: 1 }] }, { 'f:hosts': {} }, true],
    ['an empty map of ours', { a: {} }, {}, { 'f:a': {} }, true],
    ['an empty list of ours', { a: [] }, {}, { 'f:a': {} }, true],
    ['empty text of ours', { a: '' }, {}, { 'f:a': {} }, true],
    ['zero of ours', { a: 0 }, {}, { 'f:a': {} }, true],
    ['false of ours', { a: false }, {}, { 'f:a': {} }, true],
    ['empty text in a list of ours', { hosts: [{ a: '', b: 1 }] }, { hosts: [{ b: 1 }] }, { 'f:hosts': {} }, true],
    [
      'an empty value in an element of ours',
      { c: [{ name: 'x', a: '' }] },
      { c: [{ name: 'x' }] },
      element('f:a'),
      true,
    ],
    ['zero that is not ours', { a: 0 }, {}, { '.': {} }, false],
    ['empty text that is not ours', { c: [{ name: 'x', a: '' }] }, { c: [{ name: 'x' }] }, element('f:name'), false],
    ['one, of ours', { a: 1 }, {}, { 'f:a': {} }, false],
    ['false where there is true', { a: false }, { a: true }, { 'f:a': {} }, false],
    ['null where there is text', { a: null }, { a: 'x' }, { 'f:a': {} }, false],
    ['an empty list where there is one', { a: [] }, { a: ['x'] }, { 'f:a': {} }, false],
  ])('R-1.32 an absent value counts as wanted when it is empty and still ours: %s', (_, spec, shown, owned, same) => {
    const wanted = { ...desired, spec };
    expect(applyWouldChangeNothing(observed(shown, { 'f:spec': owned }), wanted, 'me')).toBe(same);
  });
});

function element(field: string): JsonObject {
  return { 'f:c': { 'k:{"name":"x"}': { '.': {}, 'f:name': {}, [field]: {} } } };
}
