import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DesiredObject, KubeObject } from '../../lib/core/kube-object.ts';
import { settled } from '../../lib/core/outcome.ts';
import type { ReconcileContext } from '../../lib/core/reconcile-context.ts';
import { apiVersion } from '../../lib/core/resource-type.ts';
import type { ClusterApi } from '../../lib/ports/cluster-api.ts';
import { World } from '../../lib/testing/world.ts';
import { type OwnedManifest, ownedManifests } from '../support/owned-manifests.ts';
import { Widgets, widgetController } from '../support/widget.ts';

export interface SecondPassTarget {
  /** A server that serves Widgets, for the controller and for a user. */
  readonly api: ClusterApi;
  readonly user: ClusterApi;
  /** A namespace that no other test uses. */
  namespace(): Promise<string>;
  close(): Promise<void>;
}

/** The ways in which a controller creates the objects that it owns. */
const WAYS = {
  'created and then applied in later passes': async (wanted, present, context, type) => {
    if (present === undefined) await context.create(type, wanted);
    else await context.apply(type, present, wanted);
  },
  'created and applied in the same pass': async (wanted, present, context, type) => {
    await context.apply(type, present ?? (await context.create(type, wanted)), wanted);
  },
  'applied to what somebody else made': async (wanted, present, context, type) => {
    if (present !== undefined) await context.apply(type, present, wanted);
  },
} satisfies Record<
  string,
  (
    wanted: DesiredObject,
    present: KubeObject | undefined,
    context: ReconcileContext,
    type: OwnedManifest['type'],
  ) => Promise<void>
>;

function desired({ type, content, metadata }: OwnedManifest, widget: KubeObject): DesiredObject {
  const { name, namespace = '', uid } = widget.metadata;
  const ownerReferences = [{ apiVersion: apiVersion(Widgets), kind: 'Widget', name, uid, controller: true }];
  return {
    ...structuredClone(content),
    apiVersion: apiVersion(type),
    kind: type.kind,
    metadata: { ...metadata, name: 'owned', namespace, ownerReferences },
  };
}

/**
 * on every API server: a second pass does not repeat the writes of the first, in whatever form the server
 * returns the objects.
 */
export function describeSecondPass(
  name: string,
  setup: () => Promise<SecondPassTarget>,
  manifests: readonly OwnedManifest[] = ownedManifests,
): void {
  describe(name, () => {
    let target: SecondPassTarget;
    beforeAll(async () => {
      target = await setup();
    });
    afterAll(() => target.close());

    describe.each(Object.entries(WAYS))('an object that is %s', (way, make) => {
      it.each(manifests.map((each): [string, OwnedManifest] => [each.title, each]))(
        'R-1.32 the second pass writes nothing for %s',
        async (_, manifest) => {
          const { api, user } = target;
          const namespace = await target.namespace();
          const { type } = manifest;
          const world = new World({
            controllers: [
              widgetController({
                owns: [type],
                reconcile: async (widget, context) => {
                  const present = await context.get(type, { namespace, name: 'owned' });
                  await make(desired(manifest, widget), present, context, type);
                  return { outcome: settled() };
                },
              }),
            ],
          });
          const worker = world.worker('worker-1', { clusters: { api: () => api } });
          const made = { apiVersion: apiVersion(Widgets), kind: 'Widget', metadata: { namespace, name: 'one' } };
          const widget = await user.create(Widgets, { ...made, spec: {} }, { fieldManager: 'test' });
          if (way.startsWith('applied')) await user.create(type, desired(manifest, widget), { fieldManager: 'test' });

          const reports = [];
          for (let pass = 0; pass < 3; pass += 1)
            reports.push(await worker.handle(world.event(Widgets, widget, { cause: 'requested' })));
          const shown = JSON.stringify((await user.get(type, { namespace, name: 'owned' })).metadata.managedFields);
          expect(
            reports.map(({ outcome, reason, writes }) => [outcome, reason, writes]),
            shown,
          ).toEqual([
            ['settled', '', 1],
            ['settled', '', 0],
            ['settled', '', 0],
          ]);
        },
      );
    });
  });
}
