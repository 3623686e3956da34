import { describe, expect, it } from 'vitest';
import { type ConditionInput, mergeConditions, readConditions } from '../../../lib/core/conditions.ts';
import type { Controller } from '../../../lib/core/controller.ts';
import { controllerOwner, type DesiredObject, type KubeObject } from '../../../lib/core/kube-object.ts';
import { settled, terminal } from '../../../lib/core/outcome.ts';
import { isOwnedBy } from '../../../lib/core/ownership.ts';
import { ConfigMaps, Secrets } from '../../../lib/core/resource-type.ts';
import { World } from '../../../lib/testing/world.ts';
import { createWidget, WIDGET_DEFINITION, Widgets, widgetController } from '../../support/widget.ts';

const COPY = { namespace: 'default', name: 'copy-one' };
const SOURCE = { namespace: 'default', name: 'source' };

/**
 * A controller that validates a Secret, then keeps a ConfigMap. With `adoption: IfUnowned` it may adopt a ConfigMap
 * without an owner.
 */
const keeper: Controller = widgetController({
  async reconcile(widget, context) {
    const source = await context.get(Secrets, SOURCE);
    const valid: ConditionInput = {
      type: 'SourceValid',
      status: source === undefined ? 'False' : 'True',
      reason: source === undefined ? 'SourceMissing' : 'SourceFound',
      message: '',
    };
    const copy = await context.get(ConfigMaps, COPY);
    const { adoption } = widget.spec as { adoption?: string };
    const mayAdopt = adoption === 'IfUnowned' && copy !== undefined && controllerOwner(copy.metadata) === undefined;
    const status = (reason: string) => ({
      conditions: mergeConditions(
        readConditions(widget.status),
        [valid, { type: 'Applied', status: reason === 'Applied' ? 'True' : 'False', reason, message: '' }],
        widget.metadata.generation ?? 0,
        context.nowMs,
      ),
    });
    if (copy === undefined) await context.create(ConfigMaps, desired(widget));
    else if (isOwnedBy(copy, widget.metadata.uid) || mayAdopt) await context.apply(ConfigMaps, copy, desired(widget));
    else return { outcome: terminal('OwnershipConflict', 'copy-one is not ours'), status: status('OwnershipConflict') };
    return { outcome: settled(), status: status('Applied') };
  },
});

function desired(owner: KubeObject): DesiredObject {
  const { name, uid } = owner.metadata;
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      ...COPY,
      labels: { 'app.kubernetes.io/managed-by': 'evenkeel' },
      ownerReferences: [{ apiVersion: owner.apiVersion, kind: owner.kind, name, uid, controller: true }],
    },
    data: { kept: 'by-us' },
  };
}

interface Copy {
  readonly labels?: Record<string, string>;
  readonly ownedByOther?: boolean;
}

/** A widget whose copy belongs to another owner. */
async function conflicted({ labels, ownedByOther }: Copy, spec: object = {}) {
  const world = new World({ controllers: [keeper] });
  await world.install([WIDGET_DEFINITION]);
  const { uid } = (await world.create(Secrets, { metadata: SOURCE })).metadata;
  const other = [{ apiVersion: 'v1', kind: 'Secret', name: SOURCE.name, uid, controller: true }];
  const metadata = { ...COPY, ...(labels && { labels }), ...(ownedByOther && { ownerReferences: other }) };
  const foreign = await world.create(ConfigMaps, { metadata, data: { theirs: '1' } });
  const widget = await createWidget(world, 'one', spec);
  const pass = () => world.worker().handle(world.event(Widgets, widget, { cause: 'requested' }));
  const conditions = async () =>
    readConditions((await world.read(Widgets, widget)).status).map(({ status, reason }) => `${status} ${reason}`);
  const copies = () => world.user.get(ConfigMaps, COPY);
  return { world, foreign, widget, pass, conditions, copies };
}

describe('an object that is not owned', () => {
  it.each([
    ['owned by nobody, without consent to adopt', {}, {}],
    ['owned by nobody, with our label', { labels: { 'app.kubernetes.io/managed-by': 'evenkeel' } }, {}],
    ['owned by another controller, whatever the spec allows', { ownedByOther: true }, { adoption: 'IfUnowned' }],
  ])('R-1.21 %s stays as it is, the conflict is reported, and validated conditions stay', async (_what, copy, spec) => {
    const { world, foreign, pass, conditions, copies } = await conflicted(copy, spec);
    for (let again = 0; again < 3; again += 1) expect(await pass()).toMatchObject({ outcome: 'terminal' });
    expect(await conditions()).toEqual(['True SourceFound', 'False OwnershipConflict']);
    expect(await copies()).toEqual(foreign);
    const written = world.server.requests.writes().filter(({ userAgent }) => userAgent === 'evenkeel');
    expect(written.map(({ resource, subresource }) => `${resource}/${subresource}`)).toEqual(['widgets/status']);
  });

  it('R-1.21 an object without an owner is adopted when the spec permits it, and keeps fields of others', async () => {
    const { widget, pass, conditions, copies } = await conflicted({}, { adoption: 'IfUnowned' });
    expect(await pass()).toMatchObject({ outcome: 'settled' });
    expect(await conditions()).toEqual(['True SourceFound', 'True Applied']);
    expect(await copies()).toMatchObject({
      metadata: { ownerReferences: [{ uid: widget.metadata.uid }] },
      data: { theirs: '1', kept: 'by-us' },
    });
  });

  it('R-1.21 the removal of a foreign object starts a pass, which creates our own', async () => {
    const { world, foreign, widget, pass, conditions, copies } = await conflicted({});
    await pass();
    await world.remove(ConfigMaps, foreign);
    const gone = world.dependencyEvent(
      { type: Widgets, object: widget },
      { type: ConfigMaps, object: foreign, deleted: true },
    );
    expect(await world.worker().handle(gone)).toMatchObject({ outcome: 'settled' });
    expect(await conditions()).toEqual(['True SourceFound', 'True Applied']);
    expect((await copies()).metadata.uid).not.toBe(foreign.metadata.uid);
  });

  it('R-1.21 an object that appears between the read and the create is not overwritten', async () => {
    const world: World = new World({
      controllers: [
        widgetController({
          async reconcile(widget, context) {
            const copy = await context.get(ConfigMaps, COPY);
            if (copy === undefined) {
              await world.create(ConfigMaps, { metadata: COPY, data: { theirs: '1' } });
              await context.create(ConfigMaps, desired(widget));
            }
            return { outcome: settled() };
          },
        }),
      ],
    });
    await world.install([WIDGET_DEFINITION]);
    const widget = await createWidget(world);
    expect(await world.worker().handle(world.event(Widgets, widget))).toMatchObject({
      outcome: 'retry',
      reason: 'ApiAlreadyExists',
    });
    expect((await world.user.get(ConfigMaps, COPY)).data).toEqual({ theirs: '1' });
  });
});
