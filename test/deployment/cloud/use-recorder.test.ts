import { beforeEach, describe, expect, it } from 'vitest';
import { OpenApiSchemas } from '../../../lib/adapters/kubernetes/open-api-schemas.ts';
import { MemoryClusterUseStore } from '../../../lib/adapters/memory/memory-cluster-use-store.ts';
import type { Controller } from '../../../lib/core/controller.ts';
import type { JsonObject } from '../../../lib/core/kube-object.ts';
import { apiVersion, type KindId, Leases, Namespaces } from '../../../lib/core/resource-type.ts';
import { UseRecorder } from '../../../lib/deployment/cloud/use-recorder.ts';
import { isInUse, useText } from '../../../lib/deployment/kubernetes/cluster-use.ts';
import { ApiError, type ClusterApi } from '../../../lib/ports/cluster-api.ts';
import { TEST_CLUSTER, World } from '../../../lib/testing/world.ts';
import { WIDGET_DEFINITION, Widgets, widgetController } from '../../support/widget.ts';

const FINALIZER = 'test.evenkeel.dev/widget';
const KIND: KindId = 'widgets.test.evenkeel.dev';
const LEASE = 'evenkeel-widgets';
const ME = 'arn:table/evenkeel-prod';
const OWNER = 'relay-1';

let world: World;
let uses: MemoryClusterUseStore;
let records: number;
/** What the identity may not read. */
let forbidden: Set<string>;
let scope: { namespaces?: readonly string[] };

beforeEach(async () => {
  world = new World({ controllers: [] });
  await world.install([WIDGET_DEFINITION]);
  await world.create(Namespaces, { metadata: { name: 'evenkeel-system' } });
  uses = new MemoryClusterUseStore();
  records = 0;
  forbidden = new Set();
  scope = {};
  const write = uses.record.bind(uses);
  uses.record = (use, epoch) => {
    records += 1;
    return write(use, epoch);
  };
  await world.store.holdRelay(TEST_CLUSTER, OWNER, world.clock.now(), world.clock.now() + 60_000);
});

async function record(controllers: readonly Partial<Controller>[] = [{ finalizer: FINALIZER }], owner = OWNER) {
  const refuse = (plural: string) => {
    if (forbidden.has(plural)) throw new ApiError('Forbidden', 'it is forbidden');
  };
  const api = {
    ...world.user,
    list: (type, options) => {
      refuse(type.plural);
      return world.user.list(type, options);
    },
    get: (type, name, options) => {
      refuse(type.plural);
      return world.user.get(type, name, options);
    },
  } as ClusterApi;
  const registry = { controllers: controllers.map(widgetController) };
  const installation = { api, registry, settings: { scope }, deployment: ME } as never;
  const schemas = new OpenApiSchemas(world.server, world.clock);
  const { clock, store, logger } = world;
  const recorder = new UseRecorder({ uses, store, clock, logger, release: '0.2.0' });
  return await recorder.record(TEST_CLUSTER, { installation, schemas }, owner, new AbortController().signal);
}

async function widget(name: string, finalizers: readonly string[], namespace = 'default'): Promise<void> {
  await world.create(Widgets, { metadata: { namespace, name, finalizers: [...finalizers] }, spec: {} });
}

async function lease(holderIdentity: string): Promise<void> {
  const metadata = { namespace: 'evenkeel-system', name: LEASE };
  await world.create(Leases, { apiVersion: apiVersion(Leases), kind: 'Lease', metadata, spec: { holderIdentity } });
}

async function removeAll(): Promise<void> {
  for (const { metadata } of (await world.user.list(Widgets)).items) {
    const name = { namespace: metadata.namespace ?? '', name: metadata.name };
    await world.user.patch(
      Widgets,
      name,
      { type: 'merge', patch: { metadata: { finalizers: null } } },
      { fieldManager: 'test' },
    );
    await world.user.delete(Widgets, name, { preconditions: { uid: metadata.uid } });
  }
}

const seen = () => uses.read(TEST_CLUSTER);

describe('UseRecorder', () => {
  it('R-6.8 the relay records finalizers, Leases and digests of schemas, and writes only when they change', async () => {
    await widget('one', ['other.dev/a', FINALIZER]);
    await lease(ME);
    expect(await record()).toBe(true);
    expect(await seen()).toEqual({
      cluster: TEST_CLUSTER,
      finalizers: { [KIND]: [FINALIZER] },
      leases: [LEASE],
      schemas: { 'test.evenkeel.dev/v1': expect.stringMatching(/^[0-9A-F]{64}$/) },
      release: '0.2.0',
      sinceMs: world.clock.now(),
    });
    await world.clock.advance(60_000);
    await widget('two', [FINALIZER]);
    await record();
    expect(records).toBe(1);
    await removeAll();
    await record();
    expect(records).toBe(2);
    expect(await seen()).toMatchObject({ finalizers: {}, leases: [LEASE], sinceMs: world.clock.now() });
  });

  it('R-6.8 the digest changes when a CRD changes', async () => {
    await record();
    const before = (await seen())?.schemas;
    const patch = { spec: { names: { shortNames: ['wd'] }, versions: [changedVersion()] } };
    const crd = {
      group: 'apiextensions.k8s.io',
      version: 'v1',
      plural: 'customresourcedefinitions',
      kind: 'CustomResourceDefinition',
      namespaced: false,
    };
    await world.user.patch(crd, { namespace: '', name: KIND }, { type: 'merge', patch }, { fieldManager: 'test' });
    await record();
    expect((await seen())?.schemas).not.toEqual(before);
    expect(Object.keys((await seen())?.schemas ?? {})).toEqual(['test.evenkeel.dev/v1']);
  });

  it.each([
    ['nothing of the deployment is there', [], undefined, false],
    ["only others' finalizers are there", ['other.dev/a'], undefined, false],
    ['another deployment holds the Lease', [], 'arn:table/other', false],
    ['the deployment holds the Lease', [], ME, true],
    ['an object has the finalizer', [FINALIZER], 'arn:table/other', true],
  ])('R-6.8 R-1.10 whether a cluster is in use is right when %s', async (_title, finalizers, holder, used) => {
    await widget('one', finalizers);
    if (holder !== undefined) await lease(holder);
    await record();
    const use = await seen();
    expect(use !== undefined && isInUse(use)).toBe(used);
  });

  it('R-6.8 an object on a later page counts when the first page has none with the finalizer', async () => {
    for (let index = 0; index < 501; index += 1) await widget(`free-${String(index).padStart(3, '0')}`, []);
    await widget('last', [FINALIZER]);
    await record();
    expect(await seen()).toMatchObject({ finalizers: { [KIND]: [FINALIZER] } });
  });

  it('R-6.8 R-1.17 what was recorded stays when the identity may not read it any more', async () => {
    await widget('one', [FINALIZER]);
    await lease(ME);
    await record();
    await removeAll();
    forbidden = new Set([Widgets.plural, Leases.plural]);
    await record();
    expect(await seen()).toMatchObject({ finalizers: { [KIND]: [FINALIZER] }, leases: [LEASE] });
    expect(records).toBe(1);
  });

  it('R-6.8 what was recorded stays when the controller group is not installed any more', async () => {
    await widget('one', [FINALIZER]);
    await lease(ME);
    await record();
    await record([]);
    expect(await seen()).toMatchObject({ finalizers: { [KIND]: [FINALIZER] }, leases: [LEASE], schemas: {} });
  });

  it('R-6.7 an installation that is limited to namespaces looks in these', async () => {
    await world.create(Namespaces, { metadata: { name: 'other' } });
    await widget('one', [FINALIZER], 'other');
    scope = { namespaces: ['default'] };
    await record();
    expect(await seen()).toMatchObject({ finalizers: {} });
    scope = { namespaces: ['default', 'other'] };
    await record();
    expect(await seen()).toMatchObject({ finalizers: { [KIND]: [FINALIZER] } });
  });

  it('R-6.8 nothing is recorded by a relay that does not hold the cluster', async () => {
    await widget('one', [FINALIZER]);
    expect(await record(undefined, 'relay-2')).toBe(false);
    expect(await seen()).toBeUndefined();
  });

  it('R-1.17 what was recorded stays when the cluster does not answer', async () => {
    await widget('one', [FINALIZER]);
    await record();
    const list = world.user.list.bind(world.user);
    world.user.list = async () => {
      throw new ApiError('Timeout', 'no answer');
    };
    expect(await record()).toBe(true);
    world.user.list = list;
    expect(await seen()).toMatchObject({ finalizers: { [KIND]: [FINALIZER] } });
  });
});

describe('useText', () => {
  it.each([
    [{ finalizers: { b: ['x'], a: ['y'] }, leases: ['evenkeel-t4'] }, 'finalizers of a, b, and the Lease evenkeel-t4'],
    [{ finalizers: {}, leases: ['evenkeel-a', 'evenkeel-b'] }, 'the Leases evenkeel-a, evenkeel-b'],
    [{ finalizers: { a: ['y'] }, leases: [] }, 'finalizers of a'],
  ])('R-6.8 a use is shown to people in one line (%#)', (use, text) => {
    expect(useText(use)).toBe(text);
  });
});

function changedVersion(): JsonObject {
  const [version] = WIDGET_DEFINITION.spec.versions;
  const status = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const schema = {
    openAPIV3Schema: { type: 'object', properties: { spec: status, status, novelty: { type: 'string' } } },
  };
  return { ...version, schema } as unknown as JsonObject;
}
