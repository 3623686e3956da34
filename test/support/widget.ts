import type { Controller, ReconcileResult } from '../../lib/core/controller.ts';
import type { KubeObject } from '../../lib/core/kube-object.ts';
import { settled } from '../../lib/core/outcome.ts';
import type { ReconcileContext } from '../../lib/core/reconcile-context.ts';
import { ConfigMaps, type ResourceType, Secrets } from '../../lib/core/resource-type.ts';
import { World } from '../../lib/testing/world.ts';

export const Widgets: ResourceType = {
  group: 'test.evenkeel.dev',
  version: 'v1',
  plural: 'widgets',
  kind: 'Widget',
  namespaced: true,
};

export const WIDGET_DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.test.evenkeel.dev' },
  spec: {
    group: 'test.evenkeel.dev',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
    ],
  },
};

/** A controller of Widgets whose functions a test sets. By default it publishes the generation that it saw. */
export function widgetController(parts: Partial<Controller> = {}): Controller {
  return {
    name: 'widget',
    group: 'widgets',
    type: Widgets,
    owns: [ConfigMaps],
    reads: [{ type: Secrets, mode: 'watch' }],
    version: '1',
    reconcile: async (widget) => sawGeneration(widget),
    ...parts,
  };
}

/** A world with that controller and its kind. */
export async function widgetWorld(parts: Partial<Controller> = {}): Promise<World> {
  const world = new World({ controllers: [widgetController(parts)] });
  await world.install([WIDGET_DEFINITION]);
  return world;
}

export function sawGeneration(widget: KubeObject): ReconcileResult {
  return { outcome: settled(), status: { seen: widget.metadata.generation ?? 0 } };
}

export async function createWidget(world: World, name = 'one', spec: object = { size: 1 }): Promise<KubeObject> {
  return await world.create(Widgets, { metadata: { namespace: 'default', name }, spec });
}

/** Does the same as `reconcile`, and calls `before` first: for changes in the middle of a pass. */
export function interrupting(
  before: (widget: KubeObject, context: ReconcileContext) => Promise<void>,
  reconcile: Controller['reconcile'] = async (widget) => sawGeneration(widget),
): Controller['reconcile'] {
  return async (widget, context) => {
    await before(widget, context);
    return await reconcile(widget, context);
  };
}
