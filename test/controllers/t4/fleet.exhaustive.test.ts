import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimName, sessionChildName } from '../../../lib/controllers/t4/child-name.ts';
import {
  PersistentVolumeClaims,
  Pods,
  Services,
  T4ClusterHosts,
  T4Sessions,
  T4Workspaces,
} from '../../../lib/controllers/t4/kinds.ts';
import { ConfigMaps, type ResourceType, Secrets, StorageClasses } from '../../../lib/core/resource-type.ts';
import { Fleet, type FleetHost, type FleetSession, type FleetWorkspace, MISSING } from './fleet.ts';

let fleet: Fleet;
beforeAll(async () => {
  fleet = await Fleet.start({ namespaces: 4, hosts: 20, workspaces: 200, sessions: 1_000 });
}, 300_000);
afterAll(async () => {
  await fleet.close();
});

const hostId = ({ namespace, name }: FleetHost) => `t4clusterhosts ${namespace}/${name}`;
const workspaceId = ({ namespace, name }: FleetWorkspace) => `t4workspaces ${namespace}/${name}`;
const sessionId = ({ namespace, name }: FleetSession) => `t4sessions ${namespace}/${name}`;

const workspacesOn = ({ namespace, name }: FleetHost) =>
  fleet.workspaces.filter((workspace) => workspace.namespace === namespace && workspace.host === name);
const sessionsOn = ({ namespace, name }: FleetHost) =>
  fleet.sessions.filter((session) => session.namespace === namespace && session.host === name);
const sessionsIn = ({ namespace, name }: FleetWorkspace) =>
  fleet.sessions.filter((session) => session.namespace === namespace && session.workspace === name);

/** Sessions that pass every check before the OMP objects. */
const reachesOmp = (session: FleetSession) => {
  const workspace = fleet.workspaces.find(
    ({ namespace, name }) => namespace === session.namespace && name === session.workspace,
  );
  return session.isAllowed && session.host !== MISSING && workspace?.host === session.host;
};
const runs = reachesOmp;

const touch = async (type: ResourceType, object: { namespace: string; name: string }) =>
  await fleet.world.edit(type, await fleet.read(type, object), {
    metadata: { annotations: { 'test.example/touched': String(fleet.world.clock.now()) } },
  });

const pickOf = <Item>(items: readonly Item[], holds: (item: Item) => boolean): Item => {
  const found = items.find(holds);
  if (found === undefined) throw new Error('the fleet has none');
  return found;
};

describe('a fleet of 20 hosts, 200 workspaces and 1,000 sessions', { timeout: 120_000 }, () => {
  it('R-4.1 every session that may run is running at the start', async () => {
    const counts = { running: 0, failed: 0 };
    for (const session of fleet.sessions) {
      const { status } = await fleet.read(T4Sessions, session);
      const { phase } = status as { phase: string };
      expect(`${sessionId(session)} ${phase}`).toBe(`${sessionId(session)} ${runs(session) ? 'Running' : 'Failed'}`);
      counts[phase === 'Running' ? 'running' : 'failed'] += 1;
    }
    expect(counts.running).toBeGreaterThan(700);
    expect(counts.failed).toBeGreaterThan(50);
    expect(await fleet.passesAfter(async () => {})).toEqual(new Set());
  });

  it('R-4.1 a host change reaches exactly the workspaces and sessions that refer to the host', async () => {
    for (const host of fleet.hosts) {
      const expected = [hostId(host), ...workspacesOn(host).map(workspaceId), ...sessionsOn(host).map(sessionId)];
      expect(await fleet.passesAfter(() => touch(T4ClusterHosts, host))).toEqual(new Set(expected));
    }
  });

  it('R-4.1 a host change reaches no other objects when it replaces Pods', async () => {
    const [host] = fleet.hosts as [FleetHost];
    const edit = async () =>
      await fleet.world.edit(T4ClusterHosts, await fleet.read(T4ClusterHosts, host), {
        spec: { allowedOrigins: ['https://t4.example'] },
      });
    const expected = [hostId(host), ...workspacesOn(host).map(workspaceId), ...sessionsOn(host).map(sessionId)];
    expect(await fleet.passesAfter(edit, 10_000)).toEqual(new Set(expected));
  });

  it('R-4.1 a workspace change reaches exactly its sessions, also those of another host', async () => {
    for (const workspace of fleet.workspaces.slice(0, 30)) {
      const expected = [workspaceId(workspace), ...sessionsIn(workspace).map(sessionId)];
      expect(await fleet.passesAfter(() => touch(T4Workspaces, workspace))).toEqual(new Set(expected));
    }
  });

  it('R-4.1 a change of a claim reaches its workspace and its sessions, also when others own the claim', async () => {
    for (const workspace of fleet.workspaces.slice(0, 30)) {
      if (workspace.host === MISSING) continue;
      const { metadata } = await fleet.read(T4Workspaces, workspace);
      const claim = { namespace: workspace.namespace, name: claimName(metadata) };
      const expected = [workspaceId(workspace), ...sessionsIn(workspace).map(sessionId)];
      expect(await fleet.passesAfter(() => touch(PersistentVolumeClaims, claim))).toEqual(new Set(expected));
    }
  });

  it('R-4.1 R-4.4 a change of a claim without marks reaches exactly its readers, because the claim is polled', async () => {
    const workspace = pickOf(fleet.workspaces, (each) => each.host !== MISSING && sessionsIn(each).some(runs));
    const { metadata } = await fleet.read(T4Workspaces, workspace);
    const claim = { namespace: workspace.namespace, name: claimName(metadata) };
    const expected = new Set([workspaceId(workspace), ...sessionsIn(workspace).map(sessionId)]);
    const edit = async (changes: object) =>
      await fleet.world.edit(PersistentVolumeClaims, await fleet.read(PersistentVolumeClaims, claim), {
        metadata: changes,
      });
    const { ownerReferences, labels } = (await fleet.read(PersistentVolumeClaims, claim)).metadata;
    const unmarked = { 'app.kubernetes.io/managed-by': null, 'cluster.t4.dev/workspace': null };
    expect(await fleet.passesAfter(() => edit({ ownerReferences: null, labels: unmarked }), 10_000)).toEqual(expected);
    expect(await fleet.passesAfter(() => touch(PersistentVolumeClaims, claim), 45_000)).toEqual(expected);
    // When owner references and labels are restored, every session runs again.
    expect(await fleet.passesAfter(() => edit({ ownerReferences, labels }), 45_000)).toEqual(expected);
    for (const session of sessionsIn(workspace).filter(runs)) {
      expect((await fleet.read(T4Sessions, session)).status).toMatchObject({ phase: 'Running' });
    }
  });

  it('R-4.1 a change of a Pod or a Service reaches only its session', async () => {
    for (const session of fleet.sessions.filter(runs).slice(0, 10)) {
      const { metadata } = await fleet.read(T4Sessions, session);
      const child = { namespace: session.namespace, name: sessionChildName(metadata) };
      for (const type of [Pods, Services]) {
        expect(await fleet.passesAfter(() => touch(type, child))).toEqual(new Set([sessionId(session)]));
      }
    }
  });

  it('R-4.1 a change of a session reaches only the session', async () => {
    for (const session of fleet.sessions.slice(0, 10)) {
      expect(await fleet.passesAfter(() => touch(T4Sessions, session))).toEqual(new Set([sessionId(session)]));
    }
  });

  it('R-4.1 a change of a StorageClass reaches the hosts that name it, and the sessions of these', async () => {
    for (const name of ['shared-a', 'shared-b', 'shared-c']) {
      const hosts = fleet.hosts.filter(({ storageClass }) => storageClass === name);
      const expected = [...hosts.map(hostId), ...hosts.flatMap(sessionsOn).map(sessionId)];
      expect(await fleet.passesAfter(() => touch(StorageClasses, { namespace: '', name }))).toEqual(new Set(expected));
    }
  });

  it('R-4.4 a change of an OMP object reaches, within its interval, the sessions of its namespace that read it', async () => {
    for (const [type, name] of [
      [ConfigMaps, 'omp-config'],
      [Secrets, 'omp-credentials'],
    ] as const) {
      const namespace = fleet.namespaces[1] as string;
      const expected = fleet.sessions.filter((session) => session.namespace === namespace && reachesOmp(session));
      const reached = await fleet.passesAfter(() => touch(type, { namespace, name }), 45_000);
      expect(reached).toEqual(new Set(expected.map(sessionId)));
    }
  });

  it('R-4.1 a change reaches exactly its readers when dependents are new, changed or gone', async () => {
    const host = pickOf(fleet.hosts, (each) => workspacesOn(each).length > 2);
    const [from, to] = workspacesOn(host) as [FleetWorkspace, FleetWorkspace];
    const created: FleetSession = {
      namespace: host.namespace,
      name: 'new',
      host: host.name,
      workspace: from.name,
      isAllowed: true,
    };
    await fleet.createSession(created);
    await fleet.converge(10_000);
    const reachedBy = async (workspace: FleetWorkspace) =>
      (await fleet.passesAfter(() => touch(T4Workspaces, workspace))).has(sessionId(created));
    expect([await reachedBy(from), await reachedBy(to)]).toEqual([true, false]);

    fleet.sessions.splice(fleet.sessions.indexOf(created), 1, { ...created, workspace: to.name });
    await fleet.world.edit(T4Sessions, await fleet.read(T4Sessions, created), { spec: { workspaceRef: to.name } });
    await fleet.converge(10_000);
    expect([await reachedBy(from), await reachedBy(to)]).toEqual([false, true]);

    await fleet.world.remove(T4Sessions, await fleet.read(T4Sessions, created));
    fleet.sessions.splice(
      fleet.sessions.findIndex(({ name }) => name === 'new'),
      1,
    );
    await fleet.converge(10_000);
    const expected = [hostId(host), ...workspacesOn(host).map(workspaceId), ...sessionsOn(host).map(sessionId)];
    expect(await fleet.passesAfter(() => touch(T4ClusterHosts, host))).toEqual(new Set(expected));
    expect([await reachedBy(from), await reachedBy(to)]).toEqual([false, false]);
  });

  it('R-4.1 the creation of a missing object reaches exactly the objects that refer to it', async () => {
    const [namespace] = fleet.namespaces as [string];
    const host: FleetHost = { namespace, name: MISSING, storageClass: 'shared-a' };
    const workspaces = workspacesOn(host);
    // The workspaces get claims, and their sessions get events of these.
    const expected = [
      hostId(host),
      ...workspaces.map(workspaceId),
      ...sessionsOn(host).map(sessionId),
      ...workspaces.flatMap(sessionsIn).map(sessionId),
    ];
    expect(workspaces.length).toBeGreaterThan(0);
    expect(await fleet.passesAfter(() => fleet.createHost(host), 10_000)).toEqual(new Set(expected));

    const workspace: FleetWorkspace = { namespace, name: MISSING, host: host.name };
    expect(sessionsIn(workspace).length).toBeGreaterThan(0);
    const reached = await fleet.passesAfter(() => fleet.createWorkspace(workspace), 10_000);
    expect(reached).toEqual(new Set([workspaceId(workspace), ...sessionsIn(workspace).map(sessionId)]));
  });

  it('R-4.1 R-4.3 the deletion of a host reaches the objects that refer to it, and the sessions of their workspaces', async () => {
    const host = pickOf(fleet.hosts, (each) => sessionsOn(each).some(runs));
    const workspaces = workspacesOn(host);
    const sessions = [...sessionsOn(host), ...workspaces.flatMap(sessionsIn)];
    const remove = async () => await fleet.world.remove(T4ClusterHosts, await fleet.read(T4ClusterHosts, host));
    const expected = [hostId(host), ...workspaces.map(workspaceId), ...sessions.map(sessionId)];
    expect(await fleet.passesAfter(remove, 10_000)).toEqual(new Set(expected));
    for (const session of sessionsOn(host)) {
      const { status } = await fleet.read(T4Sessions, session);
      expect(status).toMatchObject({ phase: 'Failed' });
    }
  });

  it('R-4.1 R-4.5 no change needs a list except the deletion of a workspace', async () => {
    const asked = () => fleet.world.server.requests.find({ verb: 'list', userAgent: 'evenkeel' });
    expect([fleet.lists, asked()]).toEqual([[], []]);
    const workspace: FleetWorkspace = { namespace: fleet.namespaces[2] as string, name: 'unused', host: 'host-0' };
    await fleet.createWorkspace(workspace);
    await fleet.converge(10_000);
    await fleet.world.remove(T4Workspaces, await fleet.read(T4Workspaces, workspace));
    await fleet.converge(10_000);
    expect(asked().length).toBe(fleet.lists.length);
    expect(fleet.lists.length).toBeGreaterThan(0);
    expect(new Set(fleet.lists)).toEqual(new Set([`t4sessions ${workspace.namespace}`]));
  });
});
