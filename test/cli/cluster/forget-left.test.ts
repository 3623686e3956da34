import { beforeEach, describe, expect, it } from 'vitest';
import { checkLeft } from '../../../cli/cluster/forget-left.ts';
import { OpenApiSchemas } from '../../../lib/adapters/kubernetes/open-api-schemas.ts';
import { MemoryClusterUseStore } from '../../../lib/adapters/memory/memory-cluster-use-store.ts';
import { Leases, Namespaces } from '../../../lib/core/resource-type.ts';
import type { ClusterUse } from '../../../lib/ports/cluster-use-store.ts';
import { World } from '../../../lib/testing/world.ts';
import { RecordedTerminal } from '../../deployment/terminal/recorded-terminal.ts';
import { WIDGET_DEFINITION, Widgets, widgetController } from '../../support/widget.ts';

const FINALIZER = 'test.evenkeel.dev/widget';
const KIND = 'widgets.test.evenkeel.dev';
const LEASE = 'evenkeel-widgets';
const ME = 'arn:table/evenkeel-prod';
const USE: ClusterUse = {
  cluster: 'east',
  finalizers: { [KIND]: [FINALIZER] },
  leases: [LEASE],
  schemas: {},
  release: '0.2.0',
  sinceMs: 0,
};
const KEEPER = widgetController({ finalizer: FINALIZER });

let world: World;
let uses: MemoryClusterUseStore;
let terminal: RecordedTerminal;
let outputs: Readonly<Record<string, string>>;

beforeEach(async () => {
  world = new World({ controllers: [] });
  await world.install([WIDGET_DEFINITION]);
  await world.create(Namespaces, { metadata: { name: 'evenkeel-system' } });
  uses = new MemoryClusterUseStore();
  await uses.record(USE, 1);
  terminal = new RecordedTerminal();
  outputs = { Deployment: ME };
  const { metadata } = await world.user.get(Namespaces, { namespace: '', name: 'kube-system' });
  await world.store.pinClusterUid('east', metadata.uid);
});

async function left(name = 'east', controllers = [KEEPER]) {
  const stage = {
    stage: 'prod',
    name,
    uses,
    store: world.store,
    stack: { describe: async () => ({ status: 'UPDATE_COMPLETE', outputs }) },
    [Symbol.asyncDispose]: async () => undefined,
  };
  const cluster = { api: world.user, schemas: new OpenApiSchemas(world.server, world.clock) };
  return await checkLeft(stage, cluster, controllers);
}

async function lease(holderIdentity: string): Promise<void> {
  await world.create(Leases, { metadata: { namespace: 'evenkeel-system', name: LEASE }, spec: { holderIdentity } });
}

describe('evenkeel uninstall of a cluster of a stage', () => {
  it('R-6.8 the record is forgotten when the cluster has neither finalizers nor Leases any more', async () => {
    expect(await (await left()).forget(terminal)).toBe(0);
    expect(await uses.list()).toEqual([]);
    expect(await (await left()).forget(terminal)).toBe(0);
    expect(terminal.outLines).toEqual(Array(2).fill('stage prod has no record of cluster east any more'));
  });

  it("R-6.8 the record is forgotten when another deployment holds the Lease, and stays when the stage's name is not known", async () => {
    await lease('arn:table/other');
    outputs = {};
    expect(await (await left()).forget(terminal)).toBe(1);
    expect(await uses.list()).toHaveLength(1);
    outputs = { Deployment: ME };
    expect(await (await left()).forget(terminal)).toBe(0);
    expect(await uses.list()).toEqual([]);
  });

  it.each<[string, () => Promise<unknown>, string]>([
    [
      'an object has the finalizer',
      () => world.create(Widgets, { metadata: { namespace: 'default', name: 'one', finalizers: [FINALIZER] } }),
      'cluster east still has finalizers of widgets.test.evenkeel.dev, and stage prod keeps its record',
    ],
    ['the stage holds the Lease', () => lease(ME), 'cluster east still has the Lease evenkeel-widgets, and'],
  ])('R-6.8 the record stays when %s', async (_title, make, text) => {
    await make();
    expect(await (await left()).forget(terminal)).toBe(1);
    expect(terminal.errLines.join()).toContain(text);
    expect(await uses.list()).toEqual([USE]);
  });

  it('R-6.8 R-1.17 the record stays when the controllers are not known here', async () => {
    expect(await (await left('east', [])).forget(terminal)).toBe(1);
    expect(terminal.errLines.join()).toContain('Name its own controllers by --controllers');
    expect(await uses.list()).toEqual([USE]);
  });

  it.each([
    ['another cluster answers', 'other'],
    ['the stage has no such cluster', 'west'],
  ])('R-5.16 nothing is changed when %s', async (_title, name) => {
    await world.store.pinClusterUid('other', 'another UID');
    await expect(left(name)).rejects.toMatchObject({ code: 'OTHER_CLUSTER' });
    expect(await uses.list()).toEqual([USE]);
  });
});
