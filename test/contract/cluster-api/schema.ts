import { expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../lib/core/kube-object.ts';
import { ConfigMaps } from '../../../lib/core/resource-type.ts';
import { Gadgets, gadgetsPath } from './gadget.ts';
import { area, configMap, gadget, manager, nameOf } from './world.ts';

export const describeValidation = area('R-6.4 an object that its schema does not allow', (world) => {
  it.each<[string, Record<string, JsonValue>, string]>([
    ['a missing required field', { size: null }, 'spec.size'],
    ['a value of another type', { size: '1' }, 'spec.size'],
    ['a fraction for an integer', { size: 1.5 }, 'spec.size'],
    ['a value below the minimum', { size: 0 }, 'spec.size'],
    ['a value above the maximum', { size: 11 }, 'spec.size'],
    ['a value outside the enumeration', { color: 'mauve' }, 'spec.color'],
    ['a text that is too long', { note: 'abcdefghi' }, 'spec.note'],
    ['a text that does not match', { note: 'ABC' }, 'spec.note'],
    ['a time that is none', { when: 'yesterday' }, 'spec.when'],
    ['a list for an object', { options: [] }, 'spec.options'],
    ['an additional property of another type', { options: { a: 1 } }, 'spec.options.a'],
    ['a duplicate in a set', { tags: ['x', 'x'] }, 'spec.tags[1]'],
    ['a duplicate key in a list map', { ports: [{ name: 'a' }, { name: 'a', port: 2 }] }, 'spec.ports[1]'],
    ['a list map entry without its key', { ports: [{ port: 2 }] }, 'spec.ports[0].name'],
    ['a boolean for int-or-string', { amount: true }, 'spec.amount'],
    ['a broken rule', { size: 5, limit: 4 }, 'spec.size'],
  ])('for %s is Invalid, and the answer names the field', async (_, spec, field) => {
    const namespace = await world().namespace();
    const object = gadget(namespace, 'a', { spec });
    await expect(world().api.create(Gadgets, object, manager)).rejects.toMatchObject({
      reason: 'Invalid',
      status: 422,
    });
    const { json } = await world().raw('POST', gadgetsPath(namespace), object);
    expect(json).toMatchObject({
      kind: 'Status',
      reason: 'Invalid',
      details: { name: 'a', group: Gadgets.group, kind: 'Gadget' },
    });
    expect(json.details.causes.map((cause: JsonObject) => cause.field)).toContain(field);
  });

  it('is Invalid in a patch too, and what was stored stays', async () => {
    const created = await world().createGadget(await world().namespace(), 'a', { spec: { origin: 'here' } });
    const patch = (spec: Record<string, JsonValue>) =>
      world().api.patch(Gadgets, nameOf(created), { type: 'merge', patch: { spec } }, manager);
    await expect(patch({ size: 11 })).rejects.toMatchObject({ reason: 'Invalid' });
    await expect(patch({ limit: 0 })).rejects.toMatchObject({ reason: 'Invalid' });
    await expect(patch({ origin: 'there' })).rejects.toMatchObject({ reason: 'Invalid' });
    await expect(world().api.get(Gadgets, nameOf(created))).resolves.toEqual(created);
  });

  it('of a built-in kind is Invalid', async () => {
    const namespace = await world().namespace();
    const object = configMap(namespace, 'a', { data: { 'a key': '1' } });
    await expect(world().api.create(ConfigMaps, object, manager)).rejects.toMatchObject({ reason: 'Invalid' });
  });

  it.each<[string, JsonObject]>([
    ['label value', { labels: { a: 'no spaces' } }],
    ['label key', { labels: { 'a//b': 'c' } }],
    ['annotation key', { annotations: { 'a b': 'c' } }],
    ['finalizer', { finalizers: ['no slash or domain!'] }],
    ['owner reference', { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: '', uid: '' }] }],
    [
      'second controller',
      {
        ownerReferences: ['a', 'b'].map((name) => ({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          name,
          uid: name,
          controller: true,
        })),
      },
    ],
  ])('is Invalid for a malformed %s', async (_, metadata) => {
    const object = gadget(await world().namespace(), 'a', { metadata: metadata as never });
    await expect(world().api.create(Gadgets, object, manager)).rejects.toMatchObject({ reason: 'Invalid' });
  });
});

export const describeDefaulting = area('R-6.2 a default of the schema', (world) => {
  it('is filled in at creation, in list entries too, and where null is not allowed', async () => {
    const created = await world().createGadget(await world().namespace(), 'a', {
      spec: { color: null, nickname: null, ports: [{ name: 'web' }, { name: 'dns', protocol: 'UDP' }] },
    });
    expect(created.spec).toEqual({
      size: 1,
      limit: 10,
      color: 'blue',
      nickname: null,
      ports: [
        { name: 'web', protocol: 'TCP' },
        { name: 'dns', protocol: 'UDP' },
      ],
    });
  });

  it('is filled in again when a patch removes the value', async () => {
    const created = await world().createGadget(await world().namespace(), 'a', { spec: { color: 'red' } });
    const body = { type: 'merge' as const, patch: { spec: { color: null } } };
    const patched = await world().api.patch(Gadgets, nameOf(created), body, manager);
    expect(patched.spec).toMatchObject({ color: 'blue' });
  });
});

export const describePruning = area('R-6.2 a field that the schema does not know', (world) => {
  it('is dropped, at any depth, unless the schema preserves it', async () => {
    const created = await world().createGadget(await world().namespace(), 'a', {
      spec: { unknown: 1, free: { any: { thing: [1, 'x', null] } }, ports: [{ name: 'web', unknown: 1 }] },
    });
    expect(created.spec).toEqual({
      size: 1,
      limit: 10,
      color: 'blue',
      free: { any: { thing: [1, 'x', null] } },
      ports: [{ name: 'web', protocol: 'TCP' }],
    });
  });

  it('is dropped beside spec and status too', async () => {
    const namespace = await world().namespace();
    const { json } = await world().raw('POST', gadgetsPath(namespace), { ...gadget(namespace, 'a'), extra: 1 });
    expect(json).not.toHaveProperty('extra');
  });

  it('is refused under strict field validation, and warned of otherwise', async () => {
    const namespace = await world().namespace();
    const object = gadget(namespace, 'a', { spec: { unknown: 1 } });
    const strict = await world().raw('POST', gadgetsPath(namespace, '?fieldValidation=Strict'), object);
    expect(strict).toMatchObject({ status: 400, json: { reason: 'BadRequest' } });
    const warned = await world().raw('POST', gadgetsPath(namespace), object);
    expect(warned.status).toBe(201);
    expect(warned.headers.warning).toMatch(/^299 - "unknown field \\"spec\.unknown\\""/);
    const ignored = await world().raw('POST', gadgetsPath(namespace, '?fieldValidation=Ignore'), {
      ...object,
      metadata: { namespace, name: 'b' },
    });
    expect(ignored.headers).not.toHaveProperty('warning');
  });
});
