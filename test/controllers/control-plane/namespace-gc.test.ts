import { describe, expect, it } from 'vitest';
import { Gateways, ManagedDatabases } from '../../../lib/controllers/control-plane/kinds.ts';
import { databaseNamespace, gatewayNamespace } from '../../../lib/controllers/control-plane/names.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { Events, Namespaces } from '../../../lib/core/resource-type.ts';
import {
  type ControlPlaneWorld,
  controlPlaneWorld,
  createDatabase,
  passOf,
  runningGateway,
  settle,
} from './control-plane-world.ts';

const SINCE = 'evenkeel.dev/orphaned-since';
const GRACE_MS = 600_000;

/** A namespace as a deleted Gateway leaves it, except for the change. */
function marked(change: { labels?: object; annotations?: object } = {}, name = gatewayNamespace('gone')) {
  return {
    metadata: {
      name,
      labels: { 'app.kubernetes.io/managed-by': 'evenkeel', ...change.labels },
      annotations: {
        'evenkeel.dev/owner-uid': 'gone',
        'evenkeel.dev/owner-kind': 'Gateway',
        'evenkeel.dev/owner-namespace': 'team-a',
        'evenkeel.dev/owner-name': 'edge',
        ...change.annotations,
      },
    },
  } as Parameters<ControlPlaneWorld['world']['create']>[1];
}

async function namespaceNow({ world }: ControlPlaneWorld, { metadata }: KubeObject): Promise<KubeObject | undefined> {
  return (await world.user.list(Namespaces)).items.find((each) => each.metadata.uid === metadata.uid);
}

async function expectKept(control: ControlPlaneWorld, namespace: KubeObject): Promise<KubeObject> {
  const now = await namespaceNow(control, namespace);
  if (now === undefined) throw new Error(`namespace ${namespace.metadata.name} is gone`);
  expect(now.metadata.deletionTimestamp).toBeUndefined();
  return now;
}

/** Removes a Gateway by force, so that its objects stay. */
async function orphanedNamespace(control: ControlPlaneWorld): Promise<{ namespace: KubeObject; gateway: KubeObject }> {
  const { world } = control;
  const { gateway } = await runningGateway(control);
  await world.edit(Gateways, gateway, { metadata: { finalizers: null } });
  await world.remove(Gateways, gateway);
  const namespace = await world.user.get(Namespaces, { namespace: '', name: gatewayNamespace(gateway.metadata.uid) });
  return { namespace, gateway };
}

describe('namespace garbage collection', () => {
  it('R-3.5 R-1.26 an orphaned namespace is marked, kept for the grace period, announced, and deleted with preconditions', async () => {
    const control = await controlPlaneWorld();
    const { world } = control;
    const { namespace } = await orphanedNamespace(control);
    const report = await passOf(control, Namespaces, namespace);
    const markedAtMs = world.clock.now();
    expect(report).toMatchObject({ outcome: 'checkAt', dueAtMs: markedAtMs + GRACE_MS });
    expect((await namespaceNow(control, namespace))?.metadata.annotations?.[SINCE]).toBe('2026-01-01T00:00:00Z');
    await world.run(GRACE_MS - 1_000, undefined, 10_000);
    await expectKept(control, namespace);
    await world.run(10_000);
    await world.server.idle();
    expect(await namespaceNow(control, namespace)).toBeUndefined();
    const events = (await world.user.list(Events, { namespace: 'default' })).items;
    expect(events.map(({ reason }) => reason)).toContain('OrphanedNamespaceDeleted');
  });

  it('I5 a mark starts no pass when it is set or removed', async () => {
    const control = await controlPlaneWorld();
    const { world } = control;
    const { namespace, gateway } = await orphanedNamespace(control);
    for (const isMarked of [true, false]) {
      if (!isMarked)
        await world.create(Gateways, { metadata: { namespace: 'team-a', name: 'edge' }, spec: gateway.spec });
      await passOf(control, Namespaces, namespace);
      const now = await expectKept(control, namespace);
      expect(now.metadata.annotations?.[SINCE] !== undefined).toBe(isMarked);
      expect((await world.worker().handle(world.event(Namespaces, now))).end).toBe('covered');
    }
  });

  it('R-3.5 a namespace loses its mark when the owner comes back, with the same UID or another one', async () => {
    const control = await controlPlaneWorld();
    const { world } = control;
    const { namespace } = await orphanedNamespace(control);
    await passOf(control, Namespaces, namespace);
    await world.create(Gateways, {
      metadata: { namespace: 'team-a', name: 'edge' },
      spec: { image: 'registry.example/a/b:1', databaseRef: { name: 'main' } },
    });
    await passOf(control, Namespaces, namespace);
    expect((await expectKept(control, namespace)).metadata.annotations).not.toHaveProperty(SINCE);
    await world.run(2 * GRACE_MS, undefined, 60_000);
    await expectKept(control, namespace);
  });

  const FAILURES = [
    { verb: 'get', resource: 'gateways' },
    { verb: 'list', resource: 'gateways' },
    { verb: 'create', resource: 'events' },
  ].flatMap((match) =>
    [{ status: 403 }, { status: 429 }, { status: 500 }, { resetAfterBytes: 5 }].map((fault) => ({ match, fault })),
  );
  it.each(FAILURES)(
    'R-3.5 R-1.17 a namespace is kept, and collected later, when a read that the deletion depends on fails ($match, $fault)',
    async ({ match, fault }) => {
      const control = await controlPlaneWorld();
      const { world } = control;
      const { namespace } = await orphanedNamespace(control);
      await passOf(control, Namespaces, namespace);
      await world.clock.advance(GRACE_MS + 1_000);
      const injected = world.server.inject({ match: { ...match, userAgent: 'evenkeel' }, fault });
      expect((await passOf(control, Namespaces, namespace)).outcome).toBe('retry');
      expect(injected.hits).toBeGreaterThan(0);
      await expectKept(control, namespace);
      injected.remove();
      await world.clock.advance(60_000);
      await passOf(control, Namespaces, namespace);
      await world.server.idle();
      expect(await namespaceNow(control, namespace)).toBeUndefined();
    },
  );

  it.each([
    ['without the label', marked({ labels: { 'app.kubernetes.io/managed-by': 'another' } })],
    ['without the UID', marked({ annotations: { 'evenkeel.dev/owner-uid': '' } })],
    ['without the name', marked({ annotations: { 'evenkeel.dev/owner-name': '' } })],
    ['of an unknown kind of owner', marked({ annotations: { 'evenkeel.dev/owner-kind': 'Castle' } })],
    ['to be retained', marked({ annotations: { 'evenkeel.dev/retain': 'true' } })],
    ['of the cluster itself', marked({}, 'kube-orphan')],
    ['of a name that such an owner never gives, as of copied marks,', marked({}, 'production')],
    ['of a Gateway, with the name of a database own,', marked({}, databaseNamespace('gone'))],
    ['of an edited UID', marked({ annotations: { 'evenkeel.dev/owner-uid': 'other' } })],
  ])('R-3.5 a namespace %s is never changed', async (_, object) => {
    const control = await controlPlaneWorld();
    const namespace = await control.world.create(Namespaces, object);
    await passOf(control, Namespaces, namespace);
    await control.world.run(2 * GRACE_MS, undefined, 60_000);
    await passOf(control, Namespaces, namespace);
    expect(await namespaceNow(control, namespace)).toEqual(namespace);
  });

  it('R-3.5 a namespace with the same labels is collected when nothing is wrong', async () => {
    const control = await controlPlaneWorld();
    const namespace = await control.world.create(Namespaces, marked());
    await passOf(control, Namespaces, namespace);
    await control.world.run(2 * GRACE_MS, undefined, 60_000);
    await control.world.server.idle();
    expect(await namespaceNow(control, namespace)).toBeUndefined();
  });

  it.each([
    ['owner-name', 'else'],
    ['owner-namespace', 'elsewhere'],
  ])('R-3.5 a namespace with an edited %s is no orphan when an owner with its UID exists', async (mark, value) => {
    const control = await controlPlaneWorld();
    const { world } = control;
    const { gateway } = await runningGateway(control);
    await world.edit(Gateways, gateway, { metadata: { annotations: { 'evenkeel.dev/paused': 'true' } } });
    const name = gatewayNamespace(gateway.metadata.uid);
    const namespace = await world.user.get(Namespaces, { namespace: '', name });
    await world.edit(Namespaces, namespace, { metadata: { annotations: { [`evenkeel.dev/${mark}`]: value } } });
    await passOf(control, Namespaces, namespace);
    await world.run(2 * GRACE_MS, undefined, 60_000);
    await expectKept(control, namespace);
    expect((await expectKept(control, namespace)).metadata.annotations).not.toHaveProperty(SINCE);
  });

  it.each(['2020-01-01T00:00:00Z', '2099-01-01T00:00:00Z', 'long ago'])(
    'R-3.5 R-1.25 a mark that was edited to %s does not shorten the grace period',
    async (since) => {
      const control = await controlPlaneWorld();
      const { world } = control;
      const { namespace } = await orphanedNamespace(control);
      await passOf(control, Namespaces, namespace);
      await world.clock.advance(60_000);
      await world.edit(Namespaces, namespace, { metadata: { annotations: { [SINCE]: since } } });
      await passOf(control, Namespaces, namespace);
      await world.clock.advance(GRACE_MS - 61_000);
      await passOf(control, Namespaces, namespace);
      await expectKept(control, namespace);
      await world.clock.advance(GRACE_MS);
      await passOf(control, Namespaces, namespace);
      await world.server.idle();
      expect(await namespaceNow(control, namespace)).toBeUndefined();
    },
  );

  it.each(['2020-01-01T00:00:00Z', '2025-12-31T23:59:00Z'])(
    'R-3.5 R-1.25 a mark of %s does not shorten the grace period when it existed before, as from a backup',
    async (since) => {
      const control = await controlPlaneWorld();
      const { world } = control;
      const namespace = await world.create(Namespaces, marked({ annotations: { [SINCE]: since } }));
      await passOf(control, Namespaces, namespace);
      await world.run(GRACE_MS - 10_000, undefined, 10_000);
      await expectKept(control, namespace);
      await world.run(20_000);
      await world.server.idle();
      expect(await namespaceNow(control, namespace)).toBeUndefined();
    },
  );

  it('R-1.18 a namespace is not deleted in a pass when it changes during that pass', async () => {
    const control = await controlPlaneWorld();
    const { world } = control;
    const { namespace } = await orphanedNamespace(control);
    await passOf(control, Namespaces, namespace);
    await world.clock.advance(GRACE_MS + 1_000);
    const racing = new Proxy(world.api, {
      get: (api, property) => {
        const value: unknown = Reflect.get(api, property, api);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          if (property === 'delete') await world.edit(Namespaces, namespace, { metadata: { labels: { team: 'b' } } });
          return await value.apply(api, args);
        };
      },
    });
    const worker = world.worker('racing', { clusters: { api: () => racing } });
    expect(await passOf(control, Namespaces, namespace, worker)).toMatchObject({
      outcome: 'retry',
      reason: 'ApiConflict',
    });
    await expectKept(control, namespace);
  });

  it('R-1.16 R-3.5 R-3.6 an event of a deleted owner deletes nothing when the owner lives, or when it comes twice or late', async () => {
    const control = await controlPlaneWorld();
    const { world } = control;
    const { gateway, database } = await runningGateway(control);
    const name = gatewayNamespace(gateway.metadata.uid);
    const namespace = await world.user.get(Namespaces, { namespace: '', name });
    const deleted = world.event(Gateways, gateway, { cause: 'deleted' });
    const old = world.event(Gateways, gateway, { cause: 'updated', resourceVersion: '1' });
    for (const event of [deleted, deleted, old, world.event(ManagedDatabases, database, { cause: 'deleted' })]) {
      await world.worker().handle(event);
    }
    const told = world.dependencyEvent(
      { type: Namespaces, object: namespace },
      { type: Gateways, object: gateway, deleted: true },
    );
    await world.worker().handle(told);
    await world.worker().handle(told);
    expect(await world.user.get(Namespaces, { namespace: '', name })).toEqual(namespace);
    expect((await world.read(Gateways, gateway)).status).toEqual(gateway.status);

    await world.remove(Gateways, gateway);
    // The old update arrives after the deletion.
    await world.worker().handle(deleted);
    await world.worker().handle(old);
    await settle(control);
    expect(await namespaceNow(control, namespace)).toBeUndefined();
  });

  it('R-3.5 the namespace of a database with Retain outlives the database in every case', async () => {
    const control = await controlPlaneWorld();
    const { world } = control;
    const database = await createDatabase(control, { deletionPolicy: 'Retain' });
    await settle(control);
    await world.edit(ManagedDatabases, database, { metadata: { finalizers: null } });
    await world.remove(ManagedDatabases, database);
    await settle(control);
    await world.run(2 * GRACE_MS, undefined, 60_000);
    await settle(control);
    expect(
      (await world.user.list(Namespaces)).items.filter(({ metadata }) => /^hs-db/.test(metadata.name)),
    ).toHaveLength(1);
  });
});
