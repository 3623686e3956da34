import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Condition } from '../../../lib/core/conditions.ts';
import { readConditions } from '../../../lib/core/conditions.ts';
import type { Controller } from '../../../lib/core/controller.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { ConfigMaps, Deployments, defineKind, Secrets, settled } from '../../../lib/index.ts';
import { World } from '../../../lib/testing/world.ts';
import { Websites, websiteController } from './websites.ts';

const NAME = { namespace: 'default', name: 'shop' };

async function newWorld(controller: Controller, definition: object = Websites.definition): Promise<World> {
  const world = new World({ controllers: [controller] });
  await world.install([definition]);
  return world;
}

function createWebsite(world: World, spec: object, finalizers: string[] = []): Promise<KubeObject> {
  return world.create(Websites, { metadata: { ...NAME, finalizers }, spec });
}

const pass = async (world: World, object: KubeObject) =>
  await world.worker().handle(world.event(Websites, object, { cause: 'requested' }));

const read = (world: World) => world.user.get(Websites, NAME);

/** Each condition as `Ready=True Reconciled`. */
const shown = ({ status }: KubeObject) =>
  readConditions(status).map(({ type, status: is, reason }: Condition) => `${type}=${is} ${reason}`);

describe('defineController', () => {
  it('R-6.9 a controller of a defined kind creates what it owns and publishes its status when an object appears', async () => {
    const world = await newWorld(websiteController());
    const created = await createWebsite(world, { host: 'shop.example.com' });
    expect(await read(world)).toMatchObject({ spec: { replicas: 1 }, status: { observedGeneration: -1 } });

    await pass(world, created);
    const { uid } = created.metadata;
    const owner = { apiVersion: 'example.com/v1', kind: 'Website', name: 'shop', uid, controller: true };
    for (const type of [ConfigMaps, Deployments]) {
      expect((await world.user.get(type, NAME)).metadata.ownerReferences).toEqual([owner]);
    }
    const website = await read(world);
    expect(website.status).toMatchObject({ observedGeneration: 1, url: 'https://shop.example.com', replicas: 0 });
    expect(shown(website)).toEqual(['Ready=False DeploymentProgressing', 'Reconciling=True DeploymentProgressing']);

    const deployment = await world.user.get(Deployments, NAME);
    await world.edit(Deployments, deployment, { status: { replicas: 1, readyReplicas: 1 } }, 'status');
    await pass(world, created);
    expect(shown(await read(world))).toEqual(['Ready=True Reconciled']);
  });

  it('R-6.13 an object shows Reconciling at its new generation when the passes fail, and recovers', async () => {
    let isBroken = true;
    const reconcile = async () => {
      if (isBroken) throw new Error('secret text');
      return settled();
    };
    const world = await newWorld(websiteController({ reconcile }));
    const created = await createWebsite(world, { host: 'shop.example.com' });
    expect((await pass(world, created)).writes).toBe(1);
    const failing = await read(world);
    expect(failing.status).toMatchObject({ observedGeneration: 1 });
    expect(shown(failing)).toEqual(['Ready=Unknown Retrying', 'Reconciling=True Retrying']);
    expect(JSON.stringify(failing)).not.toContain('secret text');
    expect((await pass(world, created)).writes).toBe(0);
    isBroken = false;
    await pass(world, created);
    expect(shown(await read(world))).toEqual(['Ready=True Reconciled']);
  });

  it('R-1.3 a second pass of a defined kind sends no write when nothing changed', async () => {
    const world = await newWorld(websiteController());
    const created = await createWebsite(world, { host: 'shop.example.com' });
    await pass(world, created);
    const before = await read(world);
    expect((await pass(world, created)).writes).toBe(0);
    expect(await read(world)).toEqual(before);
  });

  it('R-1.4 a pass restores an owned object when somebody edited it', async () => {
    const world = await newWorld(websiteController());
    const created = await createWebsite(world, { host: 'shop.example.com' });
    await pass(world, created);
    await world.edit(ConfigMaps, await world.user.get(ConfigMaps, NAME), { data: { host: 'other' } });
    await pass(world, created);
    expect((await world.user.get(ConfigMaps, NAME)).data).toEqual({ host: 'shop.example.com', style: '' });
  });

  it('R-1.30 an object shows InvalidSpec and reconcile is not called when its spec slipped past the API server', async () => {
    let calls = 0;
    const reconcile = async () => {
      calls += 1;
      return settled();
    };
    // The definition of an older release accepts every spec.
    const spec = z.object({ host: z.any(), replicas: z.any() });
    const { definition } = defineKind({ group: 'example.com', version: 'v1', kind: 'Website', spec });
    const world = await newWorld(websiteController({ reconcile }), definition);
    const created = await createWebsite(world, { host: 7, replicas: 11 });
    const report = await pass(world, created);
    expect(report).toMatchObject({ outcome: 'terminal', reason: 'InvalidSpec' });
    expect(calls).toBe(0);
    const ready = readConditions((await read(world)).status).find(({ type }) => type === 'Ready');
    expect(ready).toMatchObject({ status: 'False', reason: 'InvalidSpec' });
    expect(ready?.message).toMatch(/spec\.host .*spec\.replicas /);
  });

  it('R-1.21 an object shows OwnershipConflict when what it wants to own exists and is not owned', async () => {
    const world = await newWorld(websiteController());
    const created = await createWebsite(world, { host: 'shop.example.com' });
    await world.create(ConfigMaps, { metadata: NAME, data: { mine: 'yes' } });
    await pass(world, created);
    expect((await world.user.get(ConfigMaps, NAME)).data).toEqual({ mine: 'yes' });
    expect(shown(await read(world))).toEqual(['Ready=False OwnershipConflict', 'Stalled=True OwnershipConflict']);
  });

  it('R-1.15 a deletion waits until what finalize removes is absent, and then ends', async () => {
    const controller = websiteController({
      async finalize({ metadata }, context) {
        await context.absent(Deployments, metadata.name);
      },
    });
    expect(controller.finalizer).toBe('example.com/website');
    const world = await newWorld(controller);
    const created = await createWebsite(world, { host: 'shop.example.com' });
    await pass(world, created);
    const deployment = await world.user.get(Deployments, NAME);
    await world.edit(Deployments, deployment, { metadata: { finalizers: ['example.com/other'] } });
    await world.remove(Websites, created);
    await pass(world, created);
    const waiting = await read(world);
    expect(shown(waiting)).toContain('Ready=False Terminating');
    expect(JSON.stringify(waiting.status)).toContain('Waits until these are gone: Deployment default/shop.');

    await world.edit(Deployments, await world.user.get(Deployments, NAME), { metadata: { finalizers: null } });
    await pass(world, created);
    await expect(read(world)).rejects.toMatchObject({ reason: 'NotFound' });
  });

  it('R-1.8 a pass reads a Secret by its plain name in the namespace of the object', async () => {
    const world = await newWorld(websiteController());
    await world.create(Secrets, { metadata: { namespace: 'default', name: 'style' }, stringData: { style: 'loud' } });
    const created = await createWebsite(world, { host: 'shop.example.com', secret: 'style' });
    await pass(world, created);
    const { data } = await world.user.get(ConfigMaps, NAME);
    expect(data).toEqual({ host: 'shop.example.com', style: Buffer.from('loud').toString('base64') });
  });

  it.each([
    ['a finalizer without finalize', { finalizer: true as const }, /it has a finalizer: write finalize as well/],
    ['a condition that the engine computes', { conditions: ['Stalled'] }, /the engine computes Stalled/],
    [
      'a kind in no namespace among those that it owns',
      { owns: [{ group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', namespaced: false }] },
      /owns namespaces: an object in a namespace cannot own one in none/,
    ],
    [
      'lists: false for a kind that it lists over all namespaces',
      { reads: [{ type: Secrets, mode: 'watch' as const, lists: false, listsAllNamespaces: true }] },
      /reads secrets: lists: false contradicts listsAllNamespaces: true; leave one/,
    ],
    [
      'lists: false for a kind that it owns',
      { reads: [{ type: ConfigMaps, mode: 'watch' as const, lists: false }] },
      /reads configmaps: lists: false contradicts its place in owns/,
    ],
  ])('R-6.4 defineController refuses %s', (_, changes, message) => {
    expect(() => websiteController(changes)).toThrow(message);
  });

  it.each([
    ['an unknown field', { nothing: 1 }],
    ['a wrong value', { url: 7 }],
  ])('R-1.27 a pass fails with INVALID_STATUS when reconcile returns a status with %s', async (_, status) => {
    const world = await newWorld(
      websiteController({ reconcile: async () => ({ outcome: settled(), status: status as never }) }),
    );
    const created = await createWebsite(world, { host: 'shop.example.com' });
    expect(await pass(world, created)).toMatchObject({ outcome: 'retry' });
    expect(world.reports.at(-1)?.thrown).toMatchObject({ code: 'INVALID_STATUS' });
  });
});
