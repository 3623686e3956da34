import { describe, expect, it } from 'vitest';
import { ApplyError } from '../../../lib/apiserver/fields/check-applied.ts';
import { conflictCauses, conflictMessage } from '../../../lib/apiserver/fields/conflicts.ts';
import { keepTimes } from '../../../lib/apiserver/fields/fields.ts';
import { clone, type JsonObject, objectAt, objectsAt } from '../../../lib/apiserver/json.ts';
import { applied, entriesOf, owners, t1, t2, times, tryApply, updated, widget } from './widget.ts';

function specOf(object: JsonObject): JsonObject | undefined {
  return objectAt(object, 'spec');
}

describe('what an applier owns', () => {
  it('R-6.2 the first apply records its leaves, in the encoding of the real server', () => {
    const configuration = widget(
      {
        replicas: 1,
        nested: { a: 'x' },
        labels: { k: 'v' },
        whole: { k: 'v' },
        args: ['a'],
        tags: ['t'],
        ports: [{ port: 80, name: 'http' }],
        free: { deep: { n: 1 } },
      },
      { labels: { app: 'w' }, finalizers: ['f/x'], ownerReferences: [{ uid: 'u1', name: 'o' }] },
    );
    const object = applied(undefined, configuration, { manager: 'a' });
    expect(objectAt(object, 'metadata')?.managedFields).toEqual([
      {
        manager: 'a',
        operation: 'Apply',
        apiVersion: 'example.com/v1',
        time: t1,
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:metadata': {
            'f:finalizers': { 'v:"f/x"': {} },
            'f:labels': { 'f:app': {} },
            'f:ownerReferences': { 'k:{"uid":"u1"}': {} },
          },
          'f:spec': {
            'f:args': {},
            'f:free': { 'f:deep': { '.': {}, 'f:n': {} } },
            'f:labels': { 'f:k': {} },
            'f:nested': { 'f:a': {} },
            'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:name': {}, 'f:port': {} } },
            'f:replicas': {},
            'f:tags': { 'v:"t"': {} },
            'f:whole': {},
          },
        },
      },
    ]);
  });

  it('R-6.2 an apply that changes nothing leaves the object as it is, its times included', () => {
    const first = applied(undefined, widget({ replicas: 1 }), { manager: 'a', time: t1 });
    expect(applied(first, widget({ replicas: 1 }), { manager: 'a', time: t2 })).toEqual(first);
  });

  it('R-6.2 an apply that changes something gets its time', () => {
    const first = applied(undefined, widget({ replicas: 1 }), { manager: 'a', time: t1 });
    expect(times(applied(first, widget({ replicas: 2 }), { manager: 'a', time: t2 }))).toEqual({ a: t2 });
  });

  it('R-6.2 times that differ alone are put back after defaults were applied', () => {
    const first = applied(undefined, widget({ replicas: 1, args: [] }), { manager: 'a', time: t1 });
    const same = clone(first);
    const entry = entriesOf(same)[0] ?? {};
    entry.time = t2;
    expect(keepTimes(first, same)).toEqual(first);
    entry.fieldsV1 = { 'f:spec': {} };
    expect(keepTimes(first, same)).toEqual(same);
  });

  it('R-6.2 neither the live object nor the configuration is changed or shared', () => {
    const live = applied(undefined, widget({ nested: { a: 'x' }, free: { k: { v: 1 } } }), { manager: 'a' });
    const [before, configuration] = [clone(live), widget({ nested: { b: 'y' } })];
    const object = applied(live, configuration, { manager: 'b' });
    (objectAt(specOf(object), 'free') as JsonObject).k = 'changed';
    (objectAt(specOf(object), 'nested') as JsonObject).b = 'changed';
    expect(live).toEqual(before);
    expect(configuration).toEqual(widget({ nested: { b: 'y' } }));
  });
});

describe('what an applier drops', () => {
  it('R-6.2 is removed when nobody else owns it', () => {
    const first = applied(undefined, widget({ replicas: 1, nested: { a: 'x', b: 'y' }, labels: { k: 'v', l: 'w' } }), {
      manager: 'a',
    });
    const second = applied(first, widget({ replicas: 1, nested: { a: 'x' }, labels: { l: 'w' } }), { manager: 'a' });
    expect(specOf(second)).toEqual({ replicas: 1, nested: { a: 'x' }, labels: { l: 'w' } });
    expect(specOf(applied(second, widget({}), { manager: 'a' })) ?? {}).toEqual({});
  });

  it('R-6.2 leaves a null where a map of a custom resource was emptied, and nothing in other kinds', () => {
    const first = applied(undefined, widget({ labels: { k: 'v' } }), { manager: 'a' });
    expect(specOf(applied(first, widget({ labels: {} }), { manager: 'a' }))).toEqual({ labels: null });
    expect(specOf(applied(first, widget({ labels: {} }), { manager: 'a', custom: false }))).toEqual({});
  });

  it('R-6.2 stays when another applier or an updater owns it', () => {
    const first = applied(undefined, widget({ replicas: 1, image: 'i' }), { manager: 'a' });
    const shared = applied(first, widget({ replicas: 1 }), { manager: 'b' });
    const second = applied(shared, widget({ image: 'i' }), { manager: 'a' });
    expect(specOf(second)).toEqual({ replicas: 1, image: 'i' });
    expect(owners(second)).toEqual({
      'a/Apply': { 'f:spec': { 'f:image': {} } },
      'b/Apply': { 'f:spec': { 'f:replicas': {} } },
    });
  });

  it('R-6.2 is not what somebody else changed in between', () => {
    const first = applied(undefined, widget({ replicas: 1, image: 'i' }), { manager: 'a' });
    const scaled = updated(first, { ...first, spec: { replicas: 5, image: 'i' } }, { manager: 'scaler' });
    expect(owners(scaled)).toEqual({
      'a/Apply': { 'f:spec': { 'f:image': {} } },
      'scaler/Update': { 'f:spec': { 'f:replicas': {} } },
    });
    expect(specOf(applied(scaled, widget({ image: 'i' }), { manager: 'a' }))).toEqual({ replicas: 5, image: 'i' });
  });

  it('R-6.2 is not what nobody owns', () => {
    const first = applied(widget({ image: 'i' }), widget({ nested: { a: 'x' } }), { manager: 'a' });
    const unowned = { ...first, spec: { ...specOf(first), replicas: 4 } };
    expect(specOf(applied(unowned, widget({}), { manager: 'a' }))).toEqual({ image: 'i', replicas: 4 });
  });

  it('R-6.2 list items go with their keys, those of others stay', () => {
    const first = applied(undefined, widget({ ports: [{ port: 80, name: 'a' }, { port: 81 }], tags: ['x', 'y'] }), {
      manager: 'a',
    });
    const shared = applied(first, widget({ ports: [{ port: 443, name: 'b' }], tags: ['z'] }), { manager: 'b' });
    expect(specOf(shared)).toEqual({
      ports: [{ port: 80, name: 'a' }, { port: 81 }, { port: 443, name: 'b' }],
      tags: ['x', 'y', 'z'],
    });
    const second = applied(shared, widget({ ports: [{ port: 81 }], tags: ['y'] }), { manager: 'a' });
    expect(specOf(second)).toEqual({ ports: [{ port: 81 }, { port: 443, name: 'b' }], tags: ['y', 'z'] });
  });

  it('R-1.19 a finalizer is removed when its applier drops it, and other finalizers stay', () => {
    const live = updated(undefined, widget({}, { finalizers: ['other/x'] }), { manager: 'u' });
    const first = applied(live, widget({}, { finalizers: ['mine/x'] }), { manager: 'a' });
    expect(objectAt(first, 'metadata')?.finalizers).toEqual(['other/x', 'mine/x']);
    const second = applied(first, widget({}), { manager: 'a' });
    expect(objectAt(second, 'metadata')?.finalizers).toEqual(['other/x']);
  });
});

describe('two appliers', () => {
  it('R-6.2 share a field that both give the same value', () => {
    const first = applied(undefined, widget({ replicas: 1 }), { manager: 'a' });
    expect(owners(applied(first, widget({ replicas: 1 }), { manager: 'b' }))).toEqual({
      'a/Apply': { 'f:spec': { 'f:replicas': {} } },
      'b/Apply': { 'f:spec': { 'f:replicas': {} } },
    });
  });

  it('R-6.4 conflict over a field of different values, in the words of the real server', () => {
    const first = applied(undefined, widget({ replicas: 1, ports: [{ port: 80, name: 'a' }] }), { manager: 'a' });
    const scaled = updated(first, { ...first, spec: { ...specOf(first), replicas: 2 } }, { manager: 'scaler' });
    const one = tryApply(scaled, widget({ replicas: 3 }), { manager: 'b' });
    if (one.ok) throw new Error('no conflict');
    expect(one.conflicts).toEqual([
      { manager: 'scaler', operation: 'Update', apiVersion: 'example.com/v1', path: '.spec.replicas' },
    ]);
    expect(conflictMessage(one.conflicts)).toBe(
      'Apply failed with 1 conflict: conflict with "scaler" using example.com/v1: .spec.replicas',
    );
    expect(conflictCauses(one.conflicts)).toEqual([
      {
        reason: 'FieldManagerConflict',
        message: 'conflict with "scaler" using example.com/v1',
        field: '.spec.replicas',
      },
    ]);
    const two = tryApply(scaled, widget({ replicas: 3, ports: [{ port: 80, name: 'b' }] }), { manager: 'b' });
    if (two.ok) throw new Error('no conflict');
    expect(conflictMessage(two.conflicts)).toBe(
      'Apply failed with 2 conflicts: conflicts with "a":\n- .spec.ports[port=80,protocol="TCP"].name\nconflicts with "scaler" using example.com/v1:\n- .spec.replicas',
    );
  });

  it('R-6.2 with force the field changes hands', () => {
    const first = applied(undefined, widget({ replicas: 1, image: 'i' }), { manager: 'a', time: t1 });
    const forced = applied(first, widget({ replicas: 2 }), { manager: 'b', force: true, time: t2 });
    expect(specOf(forced)).toEqual({ replicas: 2, image: 'i' });
    expect(owners(forced)).toEqual({
      'a/Apply': { 'f:spec': { 'f:image': {} } },
      'b/Apply': { 'f:spec': { 'f:replicas': {} } },
    });
    expect(times(forced)).toEqual({ a: t1, b: t2 });
  });

  it('R-6.2 an atomic list or map is one field', () => {
    const first = applied(undefined, widget({ args: ['a', 'b'], whole: { x: '1' } }), { manager: 'a' });
    const result = tryApply(first, widget({ args: ['a'], whole: { y: '2' } }), { manager: 'b' });
    expect(result.ok ? [] : result.conflicts.map((each) => each.path)).toEqual(['.spec.args', '.spec.whole']);
    const forced = applied(first, widget({ args: ['a'], whole: { y: '2' } }), { manager: 'b', force: true });
    expect(specOf(forced)).toEqual({ args: ['a'], whole: { y: '2' } });
  });

  it('R-6.2 an applier does not conflict with itself, in any version of its apply', () => {
    const first = applied(undefined, widget({ replicas: 1 }), { manager: 'a' });
    const entry = entriesOf(first)[0] ?? {};
    entry.apiVersion = 'example.com/v1alpha1';
    const second = applied(first, widget({ replicas: 2 }), { manager: 'a' });
    expect(objectAt(second, 'metadata')?.managedFields).toHaveLength(1);
  });
});

describe('the order of a merged list', () => {
  const order = (live: readonly number[], configuration: readonly number[]): number[] => {
    const ports = (numbers: readonly number[]): JsonObject => ({ ports: numbers.map((port) => ({ port })) });
    const object = applied(widget(ports(live)), widget(ports(configuration)), { manager: 'a' });
    return objectsAt(specOf(object), 'ports').map((each) => Number(each.port));
  };
  const rows: [live: number[], configuration: number[], merged: number[]][] = [
    [[1, 2, 3], [4], [1, 2, 3, 4]],
    [
      [1, 2, 3],
      [3, 1],
      [2, 3, 1],
    ],
    [[1, 2, 3], [2], [1, 2, 3]],
    [
      [1, 2, 3],
      [2, 9],
      [1, 2, 3, 9],
    ],
    [
      [1, 2, 3],
      [9, 2],
      [1, 9, 2, 3],
    ],
    [[], [2, 1], [2, 1]],
  ];
  it.each(rows)('R-6.2 %j with %j applied is %j', (live, configuration, merged) => {
    expect(order(live, configuration)).toEqual(merged);
  });
});

describe('objects that were there before', () => {
  it('R-6.2 what they had belongs to before-first-apply', () => {
    const object = applied(widget({ replicas: 1, image: 'i' }), widget({ image: 'i' }), { manager: 'a' });
    expect(owners(object)).toEqual({
      'a/Apply': { 'f:spec': { 'f:image': {} } },
      'before-first-apply/Update': { 'f:spec': { '.': {}, 'f:image': {}, 'f:replicas': {} } },
    });
    const conflict = tryApply(widget({ replicas: 1 }), widget({ replicas: 2 }), { manager: 'a' });
    expect(conflict.ok ? [] : conflict.conflicts.map((each) => each.manager)).toEqual(['before-first-apply']);
  });

  it('R-6.2 kubectl takes over the fields of its client-side apply and keeps its annotation', () => {
    const key = 'kubectl.kubernetes.io/last-applied-configuration';
    const last = JSON.stringify(widget({ replicas: 1, image: 'old' }));
    const live = updated(undefined, widget({ replicas: 1, image: 'other' }, { annotations: { [key]: last } }), {
      manager: 'kubectl-client-side-apply',
    });
    expect(tryApply(live, widget({ replicas: 2 }), { manager: 'a' }).ok).toBe(false);
    const taken = applied(live, widget({ replicas: 2 }), { manager: 'kubectl' });
    expect(specOf(taken)?.replicas).toBe(2);
    const annotation = objectAt(objectAt(taken, 'metadata'), 'annotations')?.[key];
    expect(JSON.parse(String(annotation))).toEqual(widget({ replicas: 2 }, { annotations: {} }));
    const conflict = tryApply(live, widget({ image: 'mine' }), { manager: 'kubectl' });
    expect(conflict.ok ? [] : conflict.conflicts.map((each) => each.path)).toEqual(['.spec.image']);
  });
});

describe('subresources', () => {
  it('R-6.2 an apply of the status owns the status alone, under an entry of its own', () => {
    const live = applied(undefined, widget({ replicas: 1 }), { manager: 'a', resetFields: ['status'] });
    const status = { ...widget({ replicas: 9 }), status: { ready: true } };
    const object = applied(live, status, { manager: 'a', subresource: 'status', resetFields: ['metadata', 'spec'] });
    expect(owners(object)).toEqual({
      'a/Apply': { 'f:spec': { 'f:replicas': {} } },
      'a/Apply/status': { 'f:status': { 'f:ready': {} } },
    });
  });

  it('R-6.2 a status in an apply of the object is owned by nobody and conflicts with nobody', () => {
    const live = updated(
      widget({}),
      { ...widget({}), status: { ready: true } },
      { manager: 'c', subresource: 'status' },
    );
    const tracked = updated(undefined, { ...live, status: { ready: true } }, { manager: 'c', subresource: 'status' });
    const object = applied(
      tracked,
      { ...widget({ replicas: 1 }), status: { ready: false } },
      { manager: 'a', resetFields: ['status'] },
    );
    expect(owners(object)['a/Apply']).toEqual({ 'f:spec': { 'f:replicas': {} } });
  });
});

describe('configurations that are refused', () => {
  const refusal = (configuration: JsonObject): ApplyError => {
    try {
      tryApply(undefined, configuration, { manager: 'a' });
    } catch (error) {
      if (error instanceof ApplyError) return error;
      throw error;
    }
    throw new Error('not refused');
  };
  const rows: [what: string, configuration: JsonObject, code: number, message: string][] = [
    ['managedFields', widget({}, { managedFields: [] }), 400, 'metadata.managedFields must be nil'],
    [
      'an undeclared field',
      widget({ nope: 1 }),
      500,
      'failed to create typed patch object (/w; example.com/v1, Kind=Widget): .spec.nope: field not declared in schema',
    ],
    [
      'two items under one key',
      widget({ ports: [{ port: 80 }, { port: 80, protocol: 'TCP' }] }),
      500,
      'failed to create typed patch object (/w; example.com/v1, Kind=Widget): .spec.ports: duplicate entries for key [port=80,protocol="TCP"]',
    ],
    [
      'another type',
      widget({ replicas: '1' }),
      500,
      'failed to create typed patch object (/w; example.com/v1, Kind=Widget): .spec.replicas: expected numeric (int or float), got "1"',
    ],
    [
      'several faults',
      widget({ nope: 1, image: 1 }),
      500,
      'failed to create typed patch object (/w; example.com/v1, Kind=Widget): errors:\n  .spec.nope: field not declared in schema\n  .spec.image: expected string, got 1',
    ],
  ];
  it.each(rows)('R-6.4 %s', (_what, configuration, code, message) => {
    const error = refusal(configuration);
    expect([error.code, error.message]).toEqual([code, message]);
  });
});
