import { describe, expect, it } from 'vitest';
import type { DesiredObject, KubeObject } from '../../../lib/core/kube-object.ts';
import { Deployments } from '../../../lib/core/resource-type.ts';
import { World } from '../../../lib/testing/world.ts';
import { createWidget, sawGeneration, WIDGET_DEFINITION, Widgets, widgetController } from '../../support/widget.ts';

const NAME = { namespace: 'default', name: 'one' };

function deployment(widget: KubeObject, annotations: Record<string, string>): DesiredObject {
  const { name, uid } = widget.metadata;
  const labels = { app: 'one' };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      ...NAME,
      annotations,
      ownerReferences: [{ apiVersion: 'test.evenkeel.dev/v1', kind: 'Widget', name, uid, controller: true }],
    },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'one', image: 'one:1' }] } },
    },
  };
}

/** A controller that creates a Deployment and applies it at once. Between the two, another controller writes to it. */
async function worldWhere(meanwhile: (world: World, made: KubeObject) => Promise<unknown>) {
  const world: World = new World({
    controllers: [
      widgetController({
        owns: [Deployments],
        reconcile: async (widget, context) => {
          const wanted = deployment(widget, (widget.spec as { annotations: Record<string, string> }).annotations);
          const present = await context.get(Deployments, NAME);
          const made = present ?? (await context.create(Deployments, wanted));
          if (present === undefined) await meanwhile(world, made);
          await context.apply(Deployments, made, wanted);
          return sawGeneration(widget);
        },
      }),
    ],
  });
  await world.install([WIDGET_DEFINITION]);
  return { world, widget: await createWidget(world, 'one', { annotations: { a: '1', b: '2' } }) };
}

const status = async (world: World, made: KubeObject) =>
  await world.user.patch(
    Deployments,
    NAME,
    { type: 'merge', patch: { status: { observedGeneration: made.metadata.generation ?? 0 } } },
    { fieldManager: 'kube-controller-manager', subresource: 'status' },
  );

describe('an apply of what was just created', () => {
  it('R-1.12 an apply after a create fails no pass when others write the status in between, and the next pass writes nothing', async () => {
    const { world, widget } = await worldWhere(status);
    expect(await world.worker().handle(world.event(Widgets, widget))).toMatchObject({ outcome: 'settled' });

    const made = await world.user.get(Deployments, NAME);
    const woken = world.dependencyEvent({ type: Widgets, object: widget }, { type: Deployments, object: made });
    expect(await world.worker().handle(woken)).toMatchObject({ outcome: 'settled', writes: 0 });
    expect(await world.worker().handle(world.event(Widgets, widget, { cause: 'requested' }))).toMatchObject({
      writes: 0,
    });
  });

  it('R-1.4 R-1.20 an object that is not wanted any more is deleted before its first apply', async () => {
    const { world, widget } = await worldWhere(status);
    await world.worker().handle(world.event(Widgets, widget));
    const edited = await world.edit(Widgets, widget, { spec: { annotations: { b: null } } });
    await world.worker().handle(world.event(Widgets, edited));
    expect((await world.user.get(Deployments, NAME)).metadata.annotations).toEqual({ a: '1' });
  });

  it('R-1.4 the next pass restores a field when others changed it between create and apply', async () => {
    const { world, widget } = await worldWhere((world, made) =>
      world.edit(Deployments, made, { metadata: { annotations: { a: 'edited' } } }),
    );
    await world.worker().handle(world.event(Widgets, widget));
    const made = await world.user.get(Deployments, NAME);
    const woken = world.dependencyEvent({ type: Widgets, object: widget }, { type: Deployments, object: made });
    expect(await world.worker().handle(woken)).toMatchObject({ end: 'committed', outcome: 'settled' });
    expect((await world.user.get(Deployments, NAME)).metadata.annotations).toMatchObject({ a: '1', b: '2' });
  });
});
