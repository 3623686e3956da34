import { expect } from 'vitest';
import { Gateways } from '../../../lib/controllers/control-plane/kinds.ts';
import { gatewayNamespace } from '../../../lib/controllers/control-plane/names.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { Events, Namespaces } from '../../../lib/core/resource-type.ts';
import { type ControlPlaneWorld, passOf, runningGateway, settle } from './control-plane-world.ts';
import { describeEveryCall, type Scenario } from './every-call.suite.ts';

const GRACE_MS = 600_000;

/** The namespace of a Gateway that somebody removed by force. */
async function orphan(control: ControlPlaneWorld): Promise<KubeObject> {
  const { gateway } = await runningGateway(control, { gateway: { route: null, identity: null } });
  await control.world.edit(Gateways, gateway, { metadata: { finalizers: null } });
  await control.world.remove(Gateways, gateway);
  return await control.user.get(Namespaces, { namespace: '', name: gatewayNamespace(gateway.metadata.uid) });
}

async function orphans(control: ControlPlaneWorld): Promise<KubeObject[]> {
  const { items } = await control.user.list(Namespaces);
  return items.filter(({ metadata }) => /^hs-(?!db-)/.test(metadata.name));
}

const SCENARIOS: readonly Scenario[] = [
  {
    name: 'marking an orphaned namespace',
    prepare: async (control) => ({ type: Namespaces, object: await orphan(control) }),
    check: async (control) => {
      const [marked, ...others] = await orphans(control);
      expect(others).toEqual([]);
      expect(marked?.metadata.annotations).toHaveProperty('evenkeel.dev/orphaned-since');
      expect(marked?.metadata.deletionTimestamp).toBeUndefined();
      await control.world.clock.advance(GRACE_MS);
      await settle(control);
      expect(await orphans(control)).toEqual([]);
    },
  },
  {
    name: 'collecting an orphaned namespace',
    prepare: async (control) => {
      const object = await orphan(control);
      await passOf(control, Namespaces, object);
      await control.world.clock.advance(GRACE_MS);
      return { type: Namespaces, object };
    },
    check: async (control) => {
      expect(await orphans(control)).toEqual([]);
      // One Event, however many attempts there were.
      const told = (await control.user.list(Events)).items.filter(
        ({ reason }) => reason === 'OrphanedNamespaceDeleted',
      );
      expect(told).toHaveLength(1);
    },
  },
];

for (const scenario of SCENARIOS) describeEveryCall(scenario);
