import { describe, expect, it } from 'vitest';
import { printReport } from '../../../cli/uninstall.ts';
import type { Controller } from '../../../lib/core/controller.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { settled } from '../../../lib/core/outcome.ts';
import {
  ConfigMaps,
  CustomResourceDefinitions,
  Deployments,
  Leases,
  Namespaces,
  Secrets,
} from '../../../lib/core/resource-type.ts';
import { GROUPS } from '../../../lib/deployment/groups/registered-groups.ts';
import { bundledControllers } from '../../../lib/deployment/installation/bundled-controllers.ts';
import { type LeaveOptions, leaveCluster } from '../../../lib/deployment/kubernetes/leave-cluster.ts';
import { settingsOf } from '../../../lib/deployment/settings/load-settings.ts';
import { ApiError, type ClusterApi } from '../../../lib/ports/cluster-api.ts';
import { World } from '../../../lib/testing/world.ts';
import { RecordedTerminal } from '../terminal/recorded-terminal.ts';

const HOUR = 3_600_000;
const FINALIZER = 'test.evenkeel.dev/keeper';

const keeper: Controller = {
  name: 'keeper',
  group: 'keeper',
  type: ConfigMaps,
  owns: [Secrets],
  reads: [],
  version: '1',
  finalizer: FINALIZER,
  reconcile: async () => ({ outcome: settled() }),
  finalize: async () => ({ done: true }),
};

/** Namespaces are not ours, but for those with our label. */
const cleaner: Controller = {
  name: 'cleaner',
  group: 'keeper',
  type: Namespaces,
  onlyManaged: true,
  owns: [],
  reads: [],
  version: '1',
  reconcile: async () => ({ outcome: settled() }),
};

async function cluster() {
  const world = new World({ controllers: [keeper] });
  const kept = await world.create(ConfigMaps, {
    metadata: { name: 'kept', namespace: 'default', finalizers: ['other.dev/a', FINALIZER, 'other.dev/b'] },
  });
  await world.create(ConfigMaps, { metadata: { name: 'free', namespace: 'default', finalizers: ['other.dev/a'] } });
  await world.create(Secrets, {
    metadata: { name: 'owned', namespace: 'default', labels: { 'app.kubernetes.io/managed-by': 'evenkeel' } },
  });
  await world.create(Secrets, { metadata: { name: 'foreign', namespace: 'default' } });
  await world.create(CustomResourceDefinitions, {
    metadata: { name: 'keepers.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'keepers', kind: 'Keeper' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  });
  await world.create(Namespaces, { metadata: { name: 'evenkeel-system' } });
  await world.create(Leases, { metadata: { name: 'evenkeel-relay', namespace: 'evenkeel-system' }, spec: {} });
  await world.create(Leases, { metadata: { name: 'another', namespace: 'evenkeel-system' }, spec: {} });
  const run = (options: Partial<LeaveOptions>, api: ClusterApi = world.user) =>
    leaveCluster(
      api,
      { controllers: [keeper, cleaner], definitions: ['keepers.example.com', 'absent.example.com'] },
      { forgoCleanup: false, dryRun: false, ...options },
      world.clock,
      () => {},
    );
  const everything = async () => {
    const lists = await Promise.all(
      [ConfigMaps, Secrets, Deployments, Leases, Namespaces].map((type) => world.user.list(type)),
    );
    return lists.flatMap(({ items }) => items);
  };
  /** @param renewedMs before now. */
  const leaseOf = (group: string, holderIdentity: string | null, renewedMs = 0) =>
    world.create(Leases, {
      metadata: { name: `evenkeel-${group}`, namespace: 'evenkeel-system' },
      spec: {
        holderIdentity,
        renewTime: new Date(world.clock.now() - renewedMs).toISOString(),
        leaseDurationSeconds: 900,
      },
    });
  return { world, kept, run, everything, leaseOf };
}

const named = (objects: KubeObject[], name: string) => objects.find(({ metadata }) => metadata.name === name);

describe('evenkeel uninstall', () => {
  it('R-6.8 without consent no finalizer goes, nothing is written, and it says which are kept', async () => {
    const { run, everything } = await cluster();
    const before = await everything();
    const report = await run({});
    expect(report).toEqual({
      refusals: [],
      definitions: ['keepers.example.com'],
      finalizersRemoved: [],
      finalizersKept: ['ConfigMap default/kept'],
      leasesRemoved: [],
      left: [
        { kind: 'configmaps', count: expect.any(Number), what: 'resources' },
        { kind: 'secrets', count: 1, what: 'owned' },
      ],
    });
    expect(await everything()).toEqual(before);
  });

  it.each(['NotFound', 'KindMissing'] as const)(
    'R-1.17 R-6.8 refuses a server that answers %s for kube-system, since its other 404s say nothing',
    async (reason) => {
      const { world, run } = await cluster();
      const api = new Proxy(world.user, {
        get: (target, property) => {
          if (property === 'get' || property === 'list')
            return async () => {
              throw new ApiError(reason, 'GET namespaces kube-system: 404');
            };
          return Reflect.get(target, property);
        },
      });
      await expect(run({ forgoCleanup: true }, api)).rejects.toMatchObject({ code: 'NO_CLUSTER' });
    },
  );

  it('R-6.8 with cleanup forgone our finalizer and our Lease go, and nothing else is touched', async () => {
    const { run, everything } = await cluster();
    const before = await everything();
    const report = await run({ forgoCleanup: true });
    expect(report.finalizersRemoved).toEqual(['ConfigMap default/kept']);
    expect(report.leasesRemoved).toEqual(['evenkeel-system/evenkeel-relay']);
    const after = await everything();
    expect(named(after, 'kept')?.metadata.finalizers).toEqual(['other.dev/a', 'other.dev/b']);
    expect(named(after, 'evenkeel-relay')).toBeUndefined();
    const untouched = (objects: KubeObject[]) =>
      objects.filter(({ metadata }) => !['kept', 'evenkeel-relay'].includes(metadata.name));
    expect(untouched(after)).toEqual(untouched(before));
  });

  it('R-6.8 --dry-run reports the same and writes nothing', async () => {
    const { run, everything } = await cluster();
    const before = await everything();
    const planned = await run({ forgoCleanup: true, dryRun: true });
    expect(await everything()).toEqual(before);
    expect(await run({ forgoCleanup: true })).toEqual(planned);
  });

  it.each([
    ['a live deployment holds, of a known group', 'keeper', 'prod', 0, /keeper is driven by deployment prod/],
    ['a live deployment holds, of another group', 'banner', 'prod', 0, /banner is driven by deployment prod/],
    // It was renewed five minutes ago, by a clock that is ten minutes behind this one.
    [
      'a live deployment may hold',
      'keeper',
      'prod',
      HOUR / 4 + 1,
      /keeper is driven by deployment prod.*counts as gone 25m/,
    ],
    [
      'a dead deployment held, of another group',
      'banner',
      'prod',
      HOUR,
      /group banner, by which deployment prod drove/,
    ],
    ['was given back, of another group', 'banner', null, HOUR, /group banner, by which a deployment drove.*--settings/],
  ])('R-6.8 while there is a Lease that %s, nothing is touched', async (_title, group, holder, renewedMs, message) => {
    const { run, everything, leaseOf } = await cluster();
    await leaseOf(group, holder, renewedMs);
    const before = await everything();
    await expect(run({ forgoCleanup: true })).rejects.toThrow(message);
    await expect(run({})).rejects.toThrow(message);
    const { refusals } = await run({ forgoCleanup: true, dryRun: true });
    expect(refusals).toEqual([expect.stringMatching(message)]);
    expect(await everything()).toEqual(before);
  });

  it.each([
    ['was given back', null, 0],
    ['ended', 'prod', HOUR],
  ])("R-6.8 a known group's Lease that %s goes, and the relay's behind it", async (_title, holder, renewedMs) => {
    const { run, leaseOf } = await cluster();
    await leaseOf('keeper', holder, renewedMs);
    const { leasesRemoved } = await run({ forgoCleanup: true });
    expect(leasesRemoved).toEqual(['evenkeel-system/evenkeel-keeper', 'evenkeel-system/evenkeel-relay']);
  });

  it('R-6.8 groups that other deployments drive continue when only some groups leave', async () => {
    const { world, run, leaseOf, everything } = await cluster();
    const other: Controller = { ...keeper, name: 'other', group: 'other', type: Secrets, finalizer: 'other.dev/a' };
    const secret = await world.create(Secrets, {
      metadata: { name: 'theirs', namespace: 'default', finalizers: ['other.dev/a'] },
    });
    await leaseOf('keeper', null);
    await leaseOf('other', 'prod');
    const leaving = { controllers: [keeper, other], definitions: [] };
    const options = { forgoCleanup: true, dryRun: false, groups: ['keeper'] };
    const report = await leaveCluster(world.user, leaving, options, world.clock, () => {});
    expect(report.leasesRemoved).toEqual(['evenkeel-system/evenkeel-keeper']);
    expect(report.finalizersRemoved).toEqual(['ConfigMap default/kept']);
    expect((await world.read(Secrets, secret)).metadata.finalizers).toEqual(['other.dev/a']);
    expect(named(await everything(), 'evenkeel-relay')).toBeDefined();
    await expect(run({ forgoCleanup: true, groups: ['other'] })).rejects.toThrow(/other is driven by deployment prod/);
  });

  it("R-6.8 a Lease that a deployment takes meanwhile stays, and the relay's with it", async () => {
    const { world, run, leaseOf, everything } = await cluster();
    const lease = await leaseOf('keeper', null);
    const { user } = world;
    const racing: ClusterApi = {
      get: user.get.bind(user),
      list: user.list.bind(user),
      watch: user.watch.bind(user),
      create: user.create.bind(user),
      patch: user.patch.bind(user),
      delete: async (...call) => {
        await world.edit(Leases, lease, { spec: { holderIdentity: 'prod' } });
        await user.delete(...call);
      },
    };
    expect((await run({ forgoCleanup: true }, racing)).leasesRemoved).toEqual([]);
    const after = await everything();
    expect(named(after, 'evenkeel-keeper')?.spec).toMatchObject({ holderIdentity: 'prod' });
    expect(named(after, 'evenkeel-relay')).toBeDefined();
  });

  it('R-6.8 finalizers of every group of this release are removed, with any settings', () => {
    const controllers = bundledControllers();
    expect([...new Set(controllers.map(({ group }) => group))].sort()).toEqual(GROUPS.map(({ name }) => name));
    const installed = settingsOf(undefined).groups;
    expect(Object.keys(installed).length).toBeLessThan(GROUPS.length);
  });

  it('an object that changes meanwhile is read again, and only our finalizer goes', async () => {
    const { world, kept, run } = await cluster();
    let edits = 0;
    const { user } = world;
    const racing: ClusterApi = {
      get: user.get.bind(user),
      list: user.list.bind(user),
      watch: user.watch.bind(user),
      create: user.create.bind(user),
      delete: user.delete.bind(user),
      patch: async (...call) => {
        if (edits++ < 2) await world.edit(ConfigMaps, kept, { data: { edit: String(edits) } });
        return await user.patch(...call);
      },
    };
    expect((await run({ forgoCleanup: true }, racing)).finalizersRemoved).toEqual(['ConfigMap default/kept']);
    const after = await world.read(ConfigMaps, kept);
    expect(after.metadata.finalizers).toEqual(['other.dev/a', 'other.dev/b']);
    expect(after.data).toEqual({ edit: '2' });
  });

  it('a deleting object whose cleanup is forgone vanishes', async () => {
    const { world, run } = await cluster();
    const object = await world.create(ConfigMaps, {
      metadata: { name: 'deleting', namespace: 'default', finalizers: [FINALIZER] },
    });
    await world.remove(ConfigMaps, object);
    await run({ forgoCleanup: true });
    await expect(world.read(ConfigMaps, object)).rejects.toMatchObject({ reason: 'NotFound' });
  });

  it('says what it leaves, and ends with 1 while finalizers are left', async () => {
    const terminal = new RecordedTerminal();
    const report = {
      refusals: [],
      definitions: ['secretcontracts.evenkeel.dev'],
      finalizersRemoved: ['A b/c'],
      finalizersKept: ['D e/f'],
      leasesRemoved: ['evenkeel-system/evenkeel-relay'],
      left: [{ kind: 'secrets', count: 2, what: 'owned' as const }],
    };
    expect(printReport(report, false, 'kubectl --context here', terminal)).toBe(1);
    expect(terminal.outLines.slice(0, 4)).toEqual([
      'finalizer of A b/c removed without its cleanup',
      'finalizer of D e/f kept: its cleanup is not done',
      'Lease evenkeel-system/evenkeel-relay removed',
      'left as they are: 2 secrets that evenkeel created',
    ]);
    expect(terminal.outLines.join()).toContain('secretcontracts.evenkeel.dev');
    expect(terminal.outLines.join()).toContain('kubectl --context here delete crd NAME');
    expect(terminal.errLines.join()).toContain('--forgo-cleanup');
    expect(printReport({ ...report, finalizersKept: [] }, true, 'kubectl', new RecordedTerminal())).toBe(0);
  });

  it('R-6.8 a dry run ends with 1 and says what would be refused; CRDs that are not there are not told of', () => {
    const terminal = new RecordedTerminal();
    const nothing = { definitions: [], finalizersRemoved: [], finalizersKept: [], leasesRemoved: [], left: [] };
    expect(
      printReport(
        { ...nothing, refusals: ['group a is driven by prod.'], leasesRemoved: ['a'] },
        true,
        'kubectl',
        terminal,
      ),
    ).toBe(1);
    expect(terminal.outLines[0]).toBe('Lease a would be removed, if nothing refused it');
    expect(terminal.errLines).toEqual(['evenkeel: without --dry-run this is refused now: group a is driven by prod.']);
    expect(terminal.outLines.join()).not.toContain('CRD');
  });
});
