import type { Inspection } from '../../../cli/inspection/inspection.ts';
import { knownKinds } from '../../../cli/inspection/known-kinds.ts';
import type { Controller } from '../../../lib/core/controller.ts';
import { checkAt, type Outcome, retry, settled, terminal } from '../../../lib/core/outcome.ts';
import type { DurableValues } from '../../../lib/core/reconcile-context.ts';
import { ConfigMaps, Deployments, Secrets } from '../../../lib/core/resource-type.ts';
import { settingsSchema } from '../../../lib/deployment/settings/settings-schema.ts';
import { ApiError } from '../../../lib/ports/cluster-api.ts';
import { TEST_CLUSTER, World } from '../../../lib/testing/world.ts';

/**
 * Reconciles ConfigMaps: reads a Secret of the same name, lists Deployments, saves the values of the annotation `saves`
 * (JSON), and ends with the outcome in the annotation `ends`.
 */
const mirror: Controller = {
  name: 'mirror',
  group: 'mirror',
  type: ConfigMaps,
  owns: [],
  reads: [
    { type: Secrets, mode: 'poll', pollIntervalMs: 30_000 },
    { type: Deployments, mode: 'watch' },
  ],
  version: '7',
  shownValues: ['visits', 'isOpen', 'note'],
  async reconcile(object, context) {
    const { saves } = object.metadata.annotations ?? {};
    if (saves !== undefined) await context.saveValues(JSON.parse(saves) as DurableValues);
    const namespace = object.metadata.namespace ?? '';
    await context.get(Secrets, { namespace, name: object.metadata.name });
    await context.list(Deployments, { namespace });
    return { outcome: outcomeOf(object.metadata.annotations?.ends, context.nowMs) };
  },
};

function outcomeOf(ends: string | undefined, nowMs: number): Outcome {
  switch (ends) {
    case 'retry':
      return retry(new ApiError('Forbidden', 'the API server refused to read secrets'));
    case 'terminal':
      return terminal('InvalidSpec', 'spec.keys is empty');
    case 'checkAt':
      return checkAt(nowMs + 3_600_000);
    default:
      return settled();
  }
}

export interface InspectedWorld {
  readonly world: World;
  readonly inspection: Inspection;
  /** Creates a ConfigMap with this outcome, and runs its first pass. */
  reconcile(name: string, ends?: string, saves?: DurableValues): Promise<string>;
}

export function inspectedWorld(
  options: { api?: boolean; paused?: boolean; targetResync?: string } = {},
): InspectedWorld {
  const world = new World({ controllers: [mirror] });
  const settings = settingsSchema.parse({ intervals: { targetResync: options.targetResync ?? '6h' } });
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'configmaps' },
    spec: { names: { singular: 'configmap', shortNames: ['cm'] } },
  };
  return {
    world,
    inspection: {
      cluster: TEST_CLUSTER,
      registry: world.registry,
      settings: { ...settings, paused: options.paused ?? false },
      kinds: knownKinds([ConfigMaps], [definition]),
      store: world.store,
      sender: async () => world.sender,
      api: options.api === false ? undefined : world.user,
      clock: world.clock,
      by: 'ann@laptop',
      [Symbol.asyncDispose]: async () => {},
    },
    async reconcile(name, ends, saves) {
      const annotations = {
        ...(ends === undefined ? {} : { ends }),
        ...(saves === undefined ? {} : { saves: JSON.stringify(saves) }),
      };
      const object = await world.create(ConfigMaps, { metadata: { name, namespace: 'default', annotations } });
      await world.sender.sendAll('events', [world.event(ConfigMaps, object, { cause: 'created' })]);
      await world.drain();
      return object.metadata.uid;
    },
  };
}
