import { describe, expect, it } from 'vitest';
import { builtinNode } from '../../../lib/apiserver/fields/builtin.ts';
import { updateManagedFields } from '../../../lib/apiserver/fields/fields.ts';
import { type JsonObject, objectAt } from '../../../lib/apiserver/json.ts';
import { applied, entriesOf, owners, t1, t2, times, updated, widget } from './widget.ts';

function withSpec(object: JsonObject, spec: JsonObject): JsonObject {
  return { ...object, spec };
}

describe('what updates own', () => {
  it('R-6.2 a create owns all its fields, except those that the server maintains', () => {
    const metadata = {
      namespace: 'n',
      uid: 'u',
      generation: 1,
      resourceVersion: '1',
      creationTimestamp: t1,
      labels: { a: 'b' },
    };
    const object = updated(undefined, widget({ replicas: 1, ports: [{ port: 80 }], tags: ['x'] }, metadata), {
      manager: 'curl',
    });
    expect(objectAt(object, 'metadata')?.managedFields).toEqual([
      {
        manager: 'curl',
        operation: 'Update',
        apiVersion: 'example.com/v1',
        time: t1,
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } },
          'f:spec': {
            '.': {},
            'f:ports': { '.': {}, 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {} } },
            'f:replicas': {},
            'f:tags': { '.': {}, 'v:"x"': {} },
          },
        },
      },
    ]);
  });

  it('R-6.2 an update owns the fields that it changed, and other managers lose them', () => {
    const first = updated(undefined, widget({ replicas: 1, image: 'i' }), { manager: 'a', time: t1 });
    const second = updated(first, withSpec(first, { replicas: 2, image: 'i' }), { manager: 'b', time: t2 });
    expect(owners(second)).toEqual({
      'a/Update': { 'f:spec': { '.': {}, 'f:image': {} } },
      'b/Update': { 'f:spec': { 'f:replicas': {} } },
    });
    expect(times(second)).toEqual({ a: t1, b: t2 });
  });

  it('R-6.2 what went is owned by nobody, and whoever owns nothing is gone', () => {
    const first = updated(undefined, widget({ image: 'i' }), { manager: 'a' });
    const second = updated(first, withSpec(first, { image: 'i', replicas: 1 }), { manager: 'b' });
    const third = updated(second, withSpec(second, { image: 'i' }), { manager: 'c' });
    expect(owners(third)).toEqual({ 'a/Update': { 'f:spec': { '.': {}, 'f:image': {} } } });
  });

  it('R-6.2 an update that changes nothing leaves the entries as they were', () => {
    const first = updated(undefined, widget({ replicas: 1 }), { manager: 'a', time: t1 });
    expect(updated(first, { ...first }, { manager: 'b', time: t2 })).toEqual(first);
    const bumped = { ...first, metadata: { ...objectAt(first, 'metadata'), resourceVersion: '2', generation: 3 } };
    expect(owners(updated(first, bumped, { manager: 'b', time: t2 }))).toEqual(owners(first));
  });

  it('R-6.2 a second update of a manager adds to its fields', () => {
    const first = updated(undefined, widget({ replicas: 1 }), { manager: 'a', time: t1 });
    const second = updated(first, withSpec(first, { replicas: 2, image: 'i' }), { manager: 'a', time: t2 });
    expect(owners(second)).toEqual({ 'a/Update': { 'f:spec': { '.': {}, 'f:image': {}, 'f:replicas': {} } } });
    expect(times(second)).toEqual({ a: t2 });
  });

  it('R-6.2 status writes have an entry of their own and do not read entries from the request', () => {
    const first = updated(undefined, widget({ replicas: 1 }), { manager: 'a', resetFields: ['status'] });
    const request = {
      ...first,
      status: { ready: true },
      metadata: { ...objectAt(first, 'metadata'), managedFields: [] },
    };
    const second = updated(first, request, { manager: 'a', subresource: 'status', resetFields: ['metadata', 'spec'] });
    expect(owners(second)).toEqual({
      'a/Update': { 'f:spec': { '.': {}, 'f:replicas': {} } },
      'a/Update/status': { 'f:status': { '.': {}, 'f:ready': {} } },
    });
  });

  it('R-6.2 a status that the main endpoint is going to drop is owned by nobody', () => {
    const object = updated(
      undefined,
      { ...widget({ replicas: 1 }), status: { ready: true } },
      { manager: 'a', resetFields: ['status'] },
    );
    expect(owners(object)).toEqual({ 'a/Update': { 'f:spec': { '.': {}, 'f:replicas': {} } } });
  });

  it('R-6.2 a field that turns into another kind of value is owned as a whole and in its parts', () => {
    const first = updated(undefined, widget({ free: { x: 1 } }), { manager: 'a' });
    const second = updated(first, withSpec(first, { free: { x: { y: 1 } } }), { manager: 'b' });
    expect(owners(second)['b/Update']).toEqual({ 'f:spec': { 'f:free': { 'f:x': { '.': {}, 'f:y': {} } } } });
  });
});

describe('managedFields of the request', () => {
  const first = updated(undefined, widget({ replicas: 1 }), { manager: 'a' });

  it('R-6.2 absent or malformed ones are replaced by those of the present object', () => {
    const { managedFields: _dropped, ...metadata } = objectAt(first, 'metadata') ?? {};
    expect(owners(updated(first, { ...first, metadata }, { manager: 'b' }))).toEqual(owners(first));
    const odd = { ...first, metadata: { ...metadata, managedFields: [{ manager: 'x', operation: 'Own' }] } };
    expect(owners(updated(first, odd, { manager: 'b' }))).toEqual(owners(first));
  });

  it('R-6.2 an empty list ends the tracking until the next apply', () => {
    const cleared = updated(
      first,
      { ...first, metadata: { ...objectAt(first, 'metadata'), uid: 'u', managedFields: [{}] } },
      { manager: 'b' },
    );
    expect(objectAt(cleared, 'metadata')).toEqual({ name: 'w', uid: 'u' });
    const changed = updated(cleared, withSpec(cleared, { replicas: 2 }), { manager: 'b' });
    expect(objectAt(changed, 'metadata')).toEqual({ name: 'w', uid: 'u' });
    expect(Object.keys(owners(applied(changed, widget({ image: 'i' }), { manager: 'c' })))).toEqual([
      'c/Apply',
      'before-first-apply/Update',
    ]);
  });

  it('R-6.2 a client can move its fields to an entry of another manager', () => {
    const entries = entriesOf(first).map((entry) => ({
      ...entry,
      manager: 'z',
    }));
    const moved = updated(
      first,
      { ...first, metadata: { ...objectAt(first, 'metadata'), managedFields: entries } },
      { manager: 'a' },
    );
    expect(Object.keys(owners(moved))).toEqual(['z/Update']);
  });
});

describe('kinds with a declared Go type', () => {
  it('R-6.2 a create does not own the structs that every object has, only the fields that it set in them', () => {
    const spec = { selector: { matchLabels: { a: 'b' } }, template: { spec: { containers: [{ name: 'c' }] } } };
    const object = updateManagedFields({
      before: undefined,
      after: { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' }, spec },
      manager: 'a',
      node: builtinNode('apps/v1', 'Deployment'),
      apiVersion: 'apps/v1',
      time: t1,
    });
    expect(owners(object)).toEqual({
      'a/Update': {
        'f:spec': {
          'f:selector': {},
          'f:template': { 'f:spec': { 'f:containers': { 'k:{"name":"c"}': { '.': {}, 'f:name': {} } } } },
        },
      },
    });
  });
});

describe('the order of entries', () => {
  it('R-6.2 appliers come before updaters, then the older before the newer', () => {
    const created = updated(undefined, widget({ image: 'i' }), { manager: 'z', time: t1 });
    const scaled = updated(created, withSpec(created, { image: 'i', replicas: 1 }), { manager: 'a', time: t2 });
    const object = applied(scaled, widget({ nested: { a: 'x' } }), { manager: 'q', time: t2 });
    expect(Object.keys(owners(object))).toEqual(['q/Apply', 'z/Update', 'a/Update']);
  });
});

describe('many updaters', () => {
  it('R-6.2 the oldest are folded into one so that at most ten remain', () => {
    let object = updated(undefined, widget({ labels: { m0: '0' } }), { manager: 'm0', time: '2026-01-01T00:00:00Z' });
    for (let index = 1; index < 14; index += 1) {
      const labels = { ...objectAt(objectAt(object, 'spec'), 'labels'), [`m${index}`]: String(index) };
      object = updated(object, withSpec(object, { labels }), {
        manager: `m${index}`,
        time: `2026-01-01T00:00:${String(index).padStart(2, '0')}Z`,
      });
    }
    const names = Object.keys(owners(object));
    expect(names).toHaveLength(10);
    expect(names).toContain('ancient-changes/Update');
    expect(owners(object)['ancient-changes/Update']).toEqual({
      'f:spec': { '.': {}, 'f:labels': { '.': {}, 'f:m0': {}, 'f:m1': {}, 'f:m2': {}, 'f:m3': {}, 'f:m4': {} } },
    });
  });
});
