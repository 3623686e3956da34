import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readConditions } from '../../../lib/core/conditions.ts';
import type { Controller } from '../../../lib/core/controller.ts';
import { ConfigMaps, defineController, defineKind, Namespaces, settled } from '../../../lib/index.ts';
import { World } from '../../../lib/testing/world.ts';

const PLACE = { namespace: 'default', name: 'm' };
const COPY = { namespace: 'other', name: 'copy' };
const SOURCE = { namespace: 'default', name: 'source' };

const Mirrors = defineKind({ group: 'example.com', version: 'v1', kind: 'Mirror', spec: z.object({}) });

/** Copies a ConfigMap into another namespace. */
const mirror = (finalizes = true) =>
  defineController({
    kind: Mirrors,
    owns: [ConfigMaps],
    reads: [ConfigMaps],
    async reconcile(_, context) {
      const source = await context.get(ConfigMaps, SOURCE.name);
      await context.ensure(ConfigMaps, COPY, { data: source?.data });
      return settled();
    },
    ...(finalizes && { finalize: async (_, context) => void (await context.absent(ConfigMaps, COPY)) }),
  });

let world: World;

async function start(controller: Controller) {
  world = new World({ controllers: [controller] });
  await world.install([Mirrors.definition]);
  await world.create(Namespaces, { metadata: { name: COPY.namespace } });
  await world.create(ConfigMaps, { metadata: SOURCE, data: { a: '1' } });
}
beforeEach(() => start(mirror()));

const created = async () => {
  const object = await world.create(Mirrors, { metadata: PLACE, spec: {} });
  await world.settle();
  return object;
};
const copy = () => world.user.get(ConfigMaps, COPY);
const remove = async (uid: string) => {
  await world.user.delete(Mirrors, PLACE, { preconditions: { uid } });
  await world.settle();
};

describe('an owned object in another namespace', () => {
  it('R-1.20 carries the UID of its owner as annotation and no owner reference, so that it is not collected', async () => {
    const { metadata } = await created();
    const found = await copy();
    expect(found.metadata.annotations).toMatchObject({ 'evenkeel.dev/owner-uid': metadata.uid });
    expect(found.metadata.labels).toMatchObject({ 'app.kubernetes.io/managed-by': 'evenkeel' });
    expect(found.metadata.ownerReferences).toBeUndefined();
  });

  it('R-1.4 is repaired after an edit by hand, and follows its source', async () => {
    await created();
    await world.edit(ConfigMaps, await copy(), { data: { a: 'by hand' } });
    await world.settle();
    expect((await copy()).data).toEqual({ a: '1' });
    await world.edit(ConfigMaps, await world.user.get(ConfigMaps, SOURCE), { data: { a: '2' } });
    await world.settle();
    expect((await copy()).data).toEqual({ a: '2' });
  });

  it('R-1.3 is written once when a desired field is undefined', async () => {
    const source = await world.user.get(ConfigMaps, SOURCE);
    await world.user.delete(ConfigMaps, SOURCE, { preconditions: { uid: source.metadata.uid } });
    const object = await created();
    expect((await copy()).data).toBeUndefined();
    const again = await world.worker().handle(world.event(Mirrors, object, { cause: 'requested' }));
    expect(again).toMatchObject({ outcome: 'settled', writes: 0 });
  });

  it('R-1.15 is removed by finalize before the finalizer goes', async () => {
    const { metadata } = await created();
    await remove(metadata.uid);
    await expect(copy()).rejects.toMatchObject({ reason: 'NotFound' });
    await expect(world.user.get(Mirrors, PLACE)).rejects.toMatchObject({ reason: 'NotFound' });
  });

  it.each([
    ['nobody owns it', {}],
    ['it is owned by annotation of another object', { annotations: { 'evenkeel.dev/owner-uid': 'another' } }],
    [
      'it has an owner reference',
      { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'x', controller: true }] },
    ],
  ])('R-1.21 stays as it is when %s', async (_, metadata) => {
    world.server.garbageCollector.enabled = false;
    const theirs = await world.create(ConfigMaps, { metadata: { ...COPY, ...metadata }, data: { a: 'theirs' } });
    const { metadata: own } = await created();
    expect(await copy()).toEqual(theirs);
    const [ready] = readConditions((await world.user.get(Mirrors, PLACE)).status);
    expect(ready).toMatchObject({ type: 'Ready', status: 'False', reason: 'OwnershipConflict' });
    await remove(own.uid);
    expect(await copy()).toEqual(theirs);
  });

  it('R-6.4 is refused with what to do when the controller has no finalize', async () => {
    await start(mirror(false));
    const object = await world.create(Mirrors, { metadata: PLACE, spec: {} });
    const report = await world.worker().handle(world.event(Mirrors, object));
    expect(report.message).toContain('write finalize, and remove it there by context.absent');
    await expect(copy()).rejects.toMatchObject({ reason: 'NotFound' });
  });
});

describe('a kind that a controller both owns and reads', () => {
  it('R-1.1 is listed with the objects of others too', async () => {
    let names: string[] = [];
    const controller = defineController({
      kind: Mirrors,
      owns: [ConfigMaps],
      reads: [ConfigMaps],
      async reconcile(_, context) {
        await context.ensure(ConfigMaps, 'ours', { data: {} });
        names = (await context.list(ConfigMaps)).map(({ metadata }) => metadata.name).sort();
        return settled();
      },
    });
    await start(controller);
    await created();
    expect(names).toEqual(['ours', 'source']);
  });
});
