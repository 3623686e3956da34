import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { Gateways, ManagedDatabases } from '../../../lib/controllers/control-plane/kinds.ts';
import { gatewayNamespace, identityClientId } from '../../../lib/controllers/control-plane/names.ts';
import { readConditions } from '../../../lib/core/conditions.ts';
import type { DesiredObject, KubeObject } from '../../../lib/core/kube-object.ts';
import { Namespaces, type ResourceType, Secrets } from '../../../lib/core/resource-type.ts';
import { messageGroupId } from '../../../lib/core/target.ts';
import { isApiError } from '../../../lib/ports/cluster-api.ts';
import { eventually } from '../../e2e/support/eventually.ts';
import { playOperators } from '../../support/play-operators.ts';
import type { CloudWorld, UserCluster } from '../support/cloud-world.ts';
import { isKnown, makePollsDue, queueNames, readItem, setDeadline, targetOf } from '../support/targets.ts';
import { type Deployed, LIMIT_MS } from './deployed.ts';

const EXAMPLES = new URL('../../../examples/control-plane/needs-cloudnative-pg/', import.meta.url);
const WRITE = { fieldManager: 'test' };
const CONTROL_PLANE = queueNames('control-plane');
const GATEWAY = { namespace: 'hypershell', name: 'public' };
const TYPES = new Map([Namespaces, ManagedDatabases, Gateways].map((type) => [type.kind, type]));

/** The group whose controllers call a server outside the cluster. */
export function thirdGroup(deployed: () => Deployed): void {
  it('R-6.3 R-3.7 group control-plane runs a Gateway with a client of the identity server while its function is killed', async () => {
    const { world, east, identity } = deployed();
    await applyExamples(east);
    await eventually('first work', async () => ((await find(east, Gateways))?.metadata.finalizers ? true : undefined));
    world.kill('reconcile-control-plane');
    await eventually(
      'Gateway that is ready',
      async () => {
        await playOperators(east.cluster.user);
        return isReady(await find(east, Gateways)) ? true : undefined;
      },
      2 * LIMIT_MS,
    );
    const gateway = await read(east, Gateways);
    const clients = [...(identity.keycloak.realms.get('demo')?.clients.values() ?? [])].map(({ clientId }) => clientId);
    expect(clients).toEqual([identityClientId(gateway.metadata.uid)]);
    expect(world.emulator.log()).not.toContain(identity.secret);
  });

  it('R-1.25 R-5.4 its timers come by wake and by sweep, and its unreadable messages are dead letters', async () => {
    const { world, east } = deployed();
    const gateway = targetOf(east, Gateways, await read(east, Gateways));
    await world.sendRaw(CONTROL_PLANE.events, 'no JSON', messageGroupId(gateway), 'cp-poison-1');
    await world.sendRaw(CONTROL_PLANE.resync, 'no JSON', messageGroupId(gateway), 'cp-poison-2');
    for (const dead of [CONTROL_PLANE.eventsDead, CONTROL_PLANE.resyncDead]) {
      await eventually(`letter in ${dead}`, async () => ((await world.messagesIn(dead)) === 1 ? true : undefined));
    }
    for (const overMs of [5_000, -60_000]) {
      const { epoch: before } = await readItem(world, gateway);
      await setDeadline(world, gateway, Date.now() + overMs);
      await world.call('sweep', true);
      const isDone = async () => {
        const { epoch, committedEpoch } = await readItem(world, gateway);
        return epoch > before && committedEpoch === epoch ? true : undefined;
      };
      await eventually('pass of the Gateway', isDone, LIMIT_MS);
    }
  });

  it('R-5.12 a Secret that it reads by polls, changed by a user, brings a pass of the Gateway', async () => {
    const { world, east } = deployed();
    const before = await settled(world, east);
    const { metadata } = await read(east, Gateways);
    // The other Gateway of the examples has Secrets too.
    const namespace = gatewayNamespace(metadata.uid);
    const polled = await makePollsDue(world, east, 'control-plane', Secrets);
    const [secret = ''] = polled.filter((one) => one.startsWith(`${namespace}/`));
    expect(secret).not.toBe('');
    const name = secret.slice(namespace.length + 1);
    await east.cluster.user.patch(
      Secrets,
      { namespace, name },
      { type: 'merge', patch: { metadata: { annotations: { 'example.com/seen': 'yes' } } } },
      WRITE,
    );
    const gateway = targetOf(east, Gateways, await read(east, Gateways));
    await eventually('pass of the Gateway', async () => {
      // Again, because a poll that began before the change saw the old version.
      await makePollsDue(world, east, 'control-plane', Secrets);
      await world.call('sweep', true);
      await sleep(2_000);
      return (await readItem(world, gateway)).committedEpoch > before ? true : undefined;
    });
  });

  it('R-3.3 a deleted Gateway is gone only after its client is', async () => {
    const { world, east, identity } = deployed();
    const gateway = await read(east, Gateways);
    await east.cluster.user.delete(Gateways, GATEWAY, { preconditions: { uid: gateway.metadata.uid } });
    await eventually(
      'end of the Gateway',
      async () => {
        const isGone = (await find(east, Gateways)) === undefined;
        return isGone && !(await isKnown(world, targetOf(east, Gateways, gateway))) ? true : undefined;
      },
      2 * LIMIT_MS,
    );
    expect(identity.keycloak.realms.get('demo')?.clients.size).toBe(0);
  });
}

/** The epoch of the Gateway's last pass, once no pass of it has run for two seconds. */
async function settled(world: CloudWorld, east: UserCluster): Promise<number> {
  const gateway = targetOf(east, Gateways, await read(east, Gateways));
  let last = -1;
  return await eventually(
    'Gateway at rest',
    async () => {
      const { epoch, committedEpoch } = await readItem(world, gateway);
      const rests = epoch === last && committedEpoch === epoch;
      last = epoch;
      if (rests) return epoch;
      await sleep(2_000);
      return undefined;
    },
    LIMIT_MS,
  );
}

/** Applies the examples like `kubectl apply`. */
async function applyExamples({ cluster }: UserCluster): Promise<void> {
  for (const file of readdirSync(EXAMPLES).sort()) {
    for (const document of parseAllDocuments(readFileSync(new URL(file, EXAMPLES), 'utf8'))) {
      const object = document.toJS() as DesiredObject;
      const type = TYPES.get(object.kind);
      if (type === undefined) throw new Error(`the examples hold a ${object.kind}`);
      await cluster.user.create(type, object, WRITE);
    }
  }
}

function read({ cluster }: UserCluster, type: ResourceType): Promise<KubeObject> {
  return cluster.user.get(type, GATEWAY);
}

async function find(from: UserCluster, type: ResourceType): Promise<KubeObject | undefined> {
  try {
    return await read(from, type);
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}

function isReady(object: KubeObject | undefined): boolean {
  return readConditions(object?.status).some(({ type, status }) => type === 'Ready' && status === 'True');
}
