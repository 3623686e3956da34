import type { Controller } from '../../lib/core/controller.ts';
import type { JsonObject, KubeObject } from '../../lib/core/kube-object.ts';
import { settled } from '../../lib/core/outcome.ts';
import type { ReconcileContext } from '../../lib/core/reconcile-context.ts';
import { apiVersion, ConfigMaps, Secrets } from '../../lib/core/resource-type.ts';
import { Widgets } from '../support/widget.ts';

export const COPIER_FINALIZER = 'test.evenkeel.dev/copier';

/**
 * A test controller that exercises what the engine promises: it reads a Secret by name, lists the Secrets of its
 * namespace, owns a ConfigMap, and has a finalizer that confirms absence. Its status says from which readings it was made.
 */
export const copier: Controller = {
  name: 'copier',
  group: 'widgets',
  type: Widgets,
  owns: [ConfigMaps],
  reads: [{ type: Secrets, mode: 'watch' }],
  version: '1',
  finalizer: COPIER_FINALIZER,
  reconcile: async (widget, context) => {
    const secret = await context.get(Secrets, { namespace: 'default', name: secretName(widget) });
    const listed = (widget.spec as { counts?: boolean }).counts === true ? (await context.list(Secrets, { namespace: 'default' })).length : -1;
    await ensureCopy(widget, secret, context);
    return { outcome: settled(), status: expectedStatus(widget, secret, listed) };
  },
  finalize: async (widget, context) => {
    const name = copyName(widget);
    const copy = await context.get(ConfigMaps, name);
    if (copy === undefined || !isOurs(copy, widget)) return { done: true };
    await context.delete(ConfigMaps, copy);
    const left = await context.getAgain(ConfigMaps, name);
    return left === undefined || !isOurs(left, widget) ? { done: true } : { done: false, outcome: settled() };
  },
};

async function ensureCopy(widget: KubeObject, secret: KubeObject | undefined, context: ReconcileContext): Promise<void> {
  const copy = await context.get(ConfigMaps, copyName(widget));
  const desired = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      ...copyName(widget),
      ownerReferences: [
        { apiVersion: apiVersion(Widgets), kind: Widgets.kind, name: widget.metadata.name, uid: widget.metadata.uid, controller: true },
      ],
    },
    data: { value: valueOf(secret), size: String((widget.spec as { size: number }).size) },
  };
  if (copy === undefined) await context.create(ConfigMaps, desired);
  else if (isOurs(copy, widget)) await context.apply(ConfigMaps, copy, desired);
  else throw new Error('the copy belongs to another');
}

const isOurs = (copy: KubeObject, widget: KubeObject) =>
  copy.metadata.ownerReferences?.some(({ uid, controller }) => controller === true && uid === widget.metadata.uid) === true;

export const copyName = (widget: KubeObject) => ({ namespace: 'default', name: `copy-${widget.metadata.name}` });
export const secretName = (widget: KubeObject) => (widget.spec as { secret: string }).secret;
export const valueOf = (secret: KubeObject | undefined) => (secret?.data as { value?: string } | undefined)?.value ?? 'absent';

export function expectedStatus(widget: KubeObject, secret: KubeObject | undefined, listed: number): JsonObject {
  return { generation: widget.metadata.generation ?? 0, value: valueOf(secret), listed };
}
