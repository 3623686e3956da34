import { describe, expect, it } from 'vitest';
import { Clusters, Gateways, ManagedDatabases } from '../../../lib/controllers/control-plane/kinds.ts';
import { listKey } from '../../../lib/core/observation.ts';
import { kindId, Namespaces } from '../../../lib/core/resource-type.ts';
import {
  conditionOf,
  controlPlaneWorld,
  createDatabase,
  createGateway,
  databaseObjects,
  find,
  leftovers,
  passOf,
  phaseOf,
  runningGateway,
  settle,
  shown,
} from './control-plane-world.ts';

describe('a ManagedDatabase', () => {
  it('R-3.4 a ManagedDatabase goes from created to Ready, with its Cluster in its own namespace', async () => {
    const control = await controlPlaneWorld();
    const database = await createDatabase(control, { instances: 3 });
    control.operators.options = { idle: [Clusters] };
    await settle(control);
    expect(phaseOf(await control.world.read(ManagedDatabases, database))).toBe('Provisioning');
    control.operators.options = {};
    await settle(control);
    const now = await control.world.read(ManagedDatabases, database);
    expect(shown(now)).toEqual({
      Provisioned: 'True ClusterApplied',
      Ready: 'True ClusterReady',
      InUse: 'False NotReferenced',
    });
    const [namespace, cluster] = databaseObjects(database.metadata.uid);
    const [foundNamespace, foundCluster] = [await find(control, namespace!), await find(control, cluster!)];
    expect(foundCluster?.spec).toMatchObject({ instances: 3, storage: { size: '10Gi' } });
    expect(now.status).toMatchObject({
      phase: 'Ready',
      heldData: true,
      namespace: { uid: foundNamespace?.metadata.uid },
      cluster: { uid: foundCluster?.metadata.uid },
    });
  });

  it('R-1.3 a ManagedDatabase writes nothing in three more passes', async () => {
    const control = await controlPlaneWorld();
    const database = await createDatabase(control);
    await settle(control);
    const before = await control.world.read(ManagedDatabases, database);
    control.world.server.requests.clear();
    for (let repetition = 0; repetition < 3; repetition += 1) await passOf(control, ManagedDatabases, database);
    expect(control.world.server.requests.writes({ userAgent: 'evenkeel' })).toEqual([]);
    expect(await control.world.read(ManagedDatabases, database)).toEqual(before);
  });

  it.each([
    ['the Cluster edited', Clusters, { spec: { instances: 5 } }],
    ['the Cluster without its label', Clusters, { metadata: { labels: { 'app.kubernetes.io/managed-by': null } } }],
    ['the namespace edited', Namespaces, { metadata: { annotations: { 'evenkeel.dev/owner-name': 'x' } } }],
  ])('R-1.4 R-3.2 a ManagedDatabase restores %s, ready or not', async (_, type, patch) => {
    for (const ready of [true, false]) {
      const control = await controlPlaneWorld();
      const database = await createDatabase(control);
      if (!ready) control.operators.options = { idle: [Clusters] };
      await settle(control);
      const object = databaseObjects(database.metadata.uid).find((each) => each.type === type)!;
      const before = await find(control, object);
      await control.world.edit(type, before!, patch);
      await settle(control);
      const after = await find(control, object);
      expect(after?.spec).toEqual(before?.spec);
      expect(after?.metadata.annotations).toEqual(before?.metadata.annotations);
      expect(after?.metadata.labels).toEqual(before?.metadata.labels);
    }
  });

  it('R-3.4 a ManagedDatabase creates its Cluster again when it is gone and never had data', async () => {
    const control = await controlPlaneWorld();
    control.operators.options = { idle: [Clusters] };
    const database = await createDatabase(control);
    await settle(control);
    const cluster = databaseObjects(database.metadata.uid)[1]!;
    const before = await find(control, cluster);
    await control.world.remove(Clusters, before!);
    await settle(control);
    expect((await find(control, cluster))?.metadata.uid).not.toBe(before?.metadata.uid);
  });

  it('R-3.4 a ManagedDatabase reports DataMissing and creates no other Cluster with data until the spec says rebuild', async () => {
    const control = await controlPlaneWorld();
    const { database } = await runningGateway(control);
    const { world } = control;
    const [namespace, cluster] = databaseObjects(database.metadata.uid);
    await world.remove(Namespaces, (await find(control, namespace!))!);
    await world.server.idle();
    await settle(control);
    expect(await find(control, cluster!)).toBeUndefined();
    const missing = await world.read(ManagedDatabases, database);
    expect(shown(missing)).toMatchObject({ Provisioned: 'False DataMissing', Ready: 'False DataMissing' });
    expect(phaseOf(missing)).toBe('Failed');
    await world.edit(ManagedDatabases, database, { spec: { rebuild: true } });
    await settle(control);
    expect(await find(control, cluster!)).toBeDefined();
    expect(shown(await world.read(ManagedDatabases, database)).Ready).toBe('True ClusterReady');
  });

  it('R-3.4 a ManagedDatabase grows its storage, and never asks for less when admission did not refuse it', async () => {
    const control = await controlPlaneWorld();
    const { world } = control;
    const database = await createDatabase(control);
    await settle(control);
    await expect(world.edit(ManagedDatabases, database, { spec: { storage: '5Gi' } })).rejects.toMatchObject({
      reason: 'Invalid',
    });
    await world.edit(ManagedDatabases, database, { spec: { storage: '20Gi' } });
    await settle(control);
    const cluster = databaseObjects(database.metadata.uid)[1]!;
    expect((await find(control, cluster))?.spec).toMatchObject({ storage: { size: '20Gi' } });
    // As if admission had accepted it: the Cluster has more than the specification.
    await world.edit(Clusters, (await find(control, cluster))!, { spec: { storage: { size: '40Gi' } } });
    await settle(control);
    expect((await find(control, cluster))?.spec).toMatchObject({ storage: { size: '40Gi' } });
    expect(shown(await world.read(ManagedDatabases, database)).Provisioned).toBe('False StorageMayNotShrink');
  });

  it('R-3.4 a ManagedDatabase shows that its deletion waits for Gateways, and continues after the last one without polling', async () => {
    const control = await controlPlaneWorld();
    const { gateway, database } = await runningGateway(control);
    const { world } = control;
    const second = await createGateway(control, {}, 'second');
    await settle(control);
    await world.remove(ManagedDatabases, database);
    await settle(control);
    const waiting = await world.read(ManagedDatabases, database);
    expect(shown(waiting)).toMatchObject({
      InUse: 'True Referenced',
      Ready: 'False GatewaysRemain',
      CleanupPending: 'True GatewaysRemain',
    });
    expect(conditionOf(waiting, 'Ready')?.message).toContain('edge, second');
    for (const object of databaseObjects(database.metadata.uid)) expect(await find(control, object)).toBeDefined();
    // The Gateways keep working, although their database is being deleted.
    expect(shown(await world.read(Gateways, gateway)).DatabaseReady).toBe('False DatabaseTerminating');
    expect(phaseOf(await world.read(Gateways, gateway))).toBe('Running');

    const report = await passOf(control, ManagedDatabases, database);
    expect(report).toMatchObject({ outcome: 'settled', dueAtMs: undefined });
    const key = listKey(kindId(Gateways), 'team-a');
    expect((await world.memory.readers('test', key)).items.map(({ reader }) => reader.name)).toEqual(['main']);
    await world.remove(Gateways, gateway);
    await settle(control);
    expect(shown(await world.read(ManagedDatabases, database)).Ready).toBe('False GatewaysRemain');
    await world.remove(Gateways, second);
    await settle(control);
    expect(await leftovers(control)).toEqual([]);
  });

  it('R-3.4 a ManagedDatabase with Retain leaves the Cluster and its namespace without our marks, and nobody changes them later', async () => {
    const control = await controlPlaneWorld();
    const { world } = control;
    const database = await createDatabase(control, { deletionPolicy: 'Retain' });
    await settle(control);
    await world.remove(ManagedDatabases, database);
    await settle(control);
    expect((await world.user.list(ManagedDatabases)).items).toEqual([]);
    for (const object of databaseObjects(database.metadata.uid)) {
      const { metadata } = (await find(control, object))!;
      const marks = [...Object.keys(metadata.labels ?? {}), ...Object.keys(metadata.annotations ?? {})];
      expect(marks.filter((mark) => /evenkeel|managed-by/.test(mark))).toEqual([]);
    }
    await world.run(3_600_000, undefined, 60_000);
    expect(await leftovers(control)).toHaveLength(2);
  });

  it('R-1.15 a ManagedDatabase with Delete removes the Cluster, and after it the namespace', async () => {
    const control = await controlPlaneWorld();
    const { world } = control;
    const database = await createDatabase(control);
    await settle(control);
    const [namespace, cluster] = databaseObjects(database.metadata.uid);
    await world.edit(Clusters, (await find(control, cluster!))!, { metadata: { finalizers: ['cnpg.io/backup'] } });
    await world.remove(ManagedDatabases, database);
    await settle(control);
    expect((await find(control, namespace!))!.metadata.deletionTimestamp).toBeUndefined();
    expect(conditionOf(await world.read(ManagedDatabases, database), 'CleanupPending')?.message).toContain(
      'cnpg.io/backup. Remaining: Cluster, Namespace.',
    );
    await world.edit(Clusters, (await find(control, cluster!))!, { metadata: { finalizers: null } });
    await settle(control);
    expect(await leftovers(control)).toEqual([]);
  });
});
