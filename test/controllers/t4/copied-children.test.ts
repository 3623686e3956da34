import { beforeEach, describe, expect, it } from 'vitest';
import { claimName, sessionChildName } from '../../../lib/controllers/t4/child-name.ts';
import { PersistentVolumeClaims, Pods, Services, T4Sessions, T4Workspaces } from '../../../lib/controllers/t4/kinds.ts';
import { t4Controllers } from '../../../lib/controllers/t4/t4-controllers.ts';
import { fieldManagerOf } from '../../../lib/core/field-manager.ts';
import type { DesiredObject, JsonObject, KubeObject } from '../../../lib/core/kube-object.ts';
import type { DurableValues } from '../../../lib/core/reconcile-context.ts';
import { kindId, type ResourceType } from '../../../lib/core/resource-type.ts';
import { changing, containersOf, specOf } from './admission.ts';
import { interposed } from './interposed-api.ts';
import { DIGEST_KEY, IMAGE, SETTINGS } from './objects.ts';
import { T4Fixture } from './t4-fixture.ts';

let t4: T4Fixture;
beforeEach(async () => {
  t4 = await T4Fixture.embedded();
  await t4.prepare();
});

/** Anybody can write under these field manager names. */
const MANAGERS = [...t4Controllers(SETTINGS, DIGEST_KEY).map(({ name }) => fieldManagerOf(name)), 'kubectl'];

const runtimeOf = (pod: JsonObject | KubeObject): JsonObject => {
  const runtime = containersOf(pod as JsonObject).find(({ name }) => name === 'runtime');
  if (runtime === undefined) throw new Error('the Pod has no runtime');
  return runtime;
};

/** Changes that a user makes to a copy. */
const CHANGES: [string, ResourceType, (copy: JsonObject) => void][] = [
  ['Pod with another image', Pods, (pod) => Object.assign(runtimeOf(pod), { image: 'evil' })],
  [
    'Pod with another command on the host',
    Pods,
    (pod) => {
      Object.assign(runtimeOf(pod), { command: ['sh', '-c', 'evil'], securityContext: { privileged: true } });
      const { volumes } = specOf(pod) as unknown as { volumes: JsonObject[] };
      volumes.push({ name: 'host', hostPath: { path: '/' } });
      Object.assign(specOf(pod), { hostNetwork: true });
    },
  ],
  ['Pod with nothing changed', Pods, () => {}],
  [
    'Service open to the outside',
    Services,
    (service) =>
      Object.assign(specOf(service), {
        type: 'LoadBalancer',
        externalIPs: ['203.0.113.7'],
        selector: { app: 'attacker' },
        ports: [{ name: 'host', port: 8787, targetPort: 22 }],
      }),
  ],
  [
    'Service with another selector',
    Services,
    (service) => Object.assign(specOf(service), { selector: { app: 'attacker' } }),
  ],
  ['Service with another type', Services, (service) => Object.assign(specOf(service), { type: 'NodePort' })],
];
const CASES = CHANGES.flatMap(([what, type, change]) => MANAGERS.map((manager) => ({ what, type, change, manager })));

/** Creates an object that equals another one except for one change. */
async function createCopy(
  type: ResourceType,
  { apiVersion, kind, metadata, spec }: KubeObject,
  change: (copy: JsonObject) => void,
  fieldManager: string,
): Promise<KubeObject> {
  const { namespace = '', name, labels = {}, annotations = {}, ownerReferences = [] } = metadata;
  const { clusterIP: _, clusterIPs: __, ...rest } = structuredClone(spec) as JsonObject;
  const copy = {
    apiVersion,
    kind,
    metadata: { namespace, name, labels, annotations, ownerReferences },
    spec: rest,
  };
  change(copy as unknown as JsonObject);
  return await t4.user.create(type, copy as unknown as DesiredObject, { fieldManager });
}

const childOf = async (type: ResourceType, session: KubeObject): Promise<KubeObject> =>
  (await t4.childrenOf(session))[type === Pods ? 'pod' : 'service'];

/** The fields of a child that the session sets. */
const madeOf = (type: ResourceType, { spec }: KubeObject) => {
  if (type === Pods) return spec;
  const { type: serviceType, selector, ports, externalIPs } = spec as JsonObject;
  return { serviceType, selector, ports, externalIPs };
};

async function passes(session: KubeObject, count = 3): Promise<void> {
  for (let pass = 0; pass < count; pass += 1) await t4.pass(T4Sessions, session);
}

/** Expects that a child which only evenkeel wrote has replaced the copy, with the fields of the first creation. */
async function expectReplaced(type: ResourceType, session: KubeObject, original: KubeObject, copy: KubeObject) {
  await passes(session);
  const after = await childOf(type, session);
  expect(after.metadata.uid).not.toBe(copy.metadata.uid);
  expect(madeOf(type, after)).toEqual(madeOf(type, original));
  await t4.ready(session);
  await passes(session, 1);
  expect(await t4.shown(T4Sessions, session)).toMatchObject({ Available: 'True PodReady' });
  t4.forgetRequests();
  await passes(session, 2);
  expect(t4.writes).toEqual([]);
}

/** A session that gets no response to any creation of this kind. */
async function sessionWithLostAnswer(type: ResourceType): Promise<KubeObject> {
  const session = await t4.createSession();
  const dropped = t4.world.server.inject({
    match: { verb: 'create', resource: type.plural, userAgent: 'evenkeel' },
    fault: { dropResponse: true },
    times: 1,
  });
  await t4.pass(T4Sessions, session);
  dropped.remove();
  return session;
}

const valuesOf = async ({ metadata: { uid } }: KubeObject): Promise<DurableValues> =>
  (await t4.world.memory.readTarget({ cluster: 'test', kind: kindId(T4Sessions), uid }))?.values ?? {};

describe('a user who replaces a child of a running session by a copy', () => {
  it.each(CASES)(
    'R-4.13 R-1.4 R-4.2 session replaces the copy when $manager creates a $what',
    async ({ type, change, manager }) => {
      const session = await t4.runningSession();
      const original = await childOf(type, session);
      await t4.erase(type, original);
      const copy = await createCopy(type, original, change, manager);
      await expectReplaced(type, session, original, copy);
    },
  );

  it.each([Pods, Services])(
    'R-1.18 session deletes the copy of $kind by its UID, and creates its own in the same pass',
    async (type) => {
      const session = await t4.runningSession();
      const original = await childOf(type, session);
      await t4.erase(type, original);
      const copy = await createCopy(type, original, () => {}, 'kubectl');
      t4.forgetRequests();
      await passes(session, 1);
      const deletions = t4.requests.filter(({ method }) => method === 'DELETE');
      expect(deletions.map(({ body }) => JSON.stringify(body))).toEqual([expect.stringContaining(copy.metadata.uid)]);
      expect((await childOf(type, session)).metadata.uid).not.toBe(copy.metadata.uid);
    },
  );

  it('R-1.17 R-1.4 session deletes no copy of its Service and restores its selector when a read fails', async () => {
    const session = await t4.runningSession();
    const original = await childOf(Services, session);
    await t4.erase(Services, original);
    const toAttacker = (service: JsonObject) => Object.assign(specOf(service), { selector: { app: 'attacker' } });
    const copy = await createCopy(Services, original, toAttacker, 'evenkeel-t4-session');
    const injected = t4.world.server.inject({
      match: { verb: 'get', resource: 't4clusterhosts', userAgent: 'evenkeel' },
      fault: { status: 504 },
    });
    await passes(session);
    const held = await childOf(Services, session);
    expect(held.metadata.uid).toBe(copy.metadata.uid);
    expect(held.spec).toMatchObject({ selector: (original.spec as JsonObject).selector });
    injected.remove();
    await expectReplaced(Services, session, original, copy);
  });
});

describe('a creation whose answer was lost', () => {
  it.each([Pods, Services])(
    'R-5.6 session keeps its $kind and writes nothing more when nobody edits it',
    async (type) => {
      const session = await sessionWithLostAnswer(type);
      const created = await t4.find(type, sessionChildName(session.metadata));
      await passes(session, 2);
      expect((await childOf(type, session)).metadata.uid).toBe(created?.metadata.uid);
      t4.forgetRequests();
      await passes(session, 2);
      expect(t4.writes).toEqual([]);
    },
  );

  it.each(MANAGERS)('R-4.13 R-1.4 session puts the image back when %s edits it', async (fieldManager) => {
    const session = await sessionWithLostAnswer(Pods);
    const pod = (await t4.podOf(session)) as KubeObject;
    const { namespace = '', name } = pod.metadata;
    const patch = { spec: { containers: [{ ...runtimeOf(pod), image: 'evil' }] } };
    await t4.user.patch(Pods, { namespace, name }, { type: 'merge', patch }, { fieldManager });
    await passes(session);
    const after = await childOf(Pods, session);
    expect([runtimeOf(after).image, after.metadata.uid]).toEqual([IMAGE, pod.metadata.uid]);
  });

  it.each(MANAGERS)('R-4.13 R-1.4 session closes its Service again when %s exposes it', async (fieldManager) => {
    const session = await sessionWithLostAnswer(Services);
    const { namespace = '', name } = ((await t4.serviceOf(session)) as KubeObject).metadata;
    const patch = { spec: { type: 'NodePort', selector: { app: 'attacker' } } };
    await t4.user.patch(Services, { namespace, name }, { type: 'merge', patch }, { fieldManager });
    await passes(session);
    const { spec } = await childOf(Services, session);
    expect(spec).toMatchObject({ type: 'ClusterIP' });
    expect(JSON.stringify(spec)).not.toContain('attacker');
  });

  it.each([Pods, Services])('R-4.13 session replaces a copy of its $kind when a pass saw the own one', async (type) => {
    const session = await sessionWithLostAnswer(type);
    await passes(session, 2);
    const original = await childOf(type, session);
    await t4.erase(type, original);
    const copy = await createCopy(type, original, () => {}, 'evenkeel-t4-session');
    await expectReplaced(type, session, original, copy);
  });

  it.each([
    ['rewrites the image at creation', ['CREATE'], Pods, { image: 'mirror/x' }],
    ['rewrites the image at each write', ['CREATE', 'UPDATE'], Pods, { image: 'mirror/x' }],
    ['rewrites it otherwise at each write', ['CREATE', 'UPDATE'], Pods, { image: 'other.example/y@sha256:0' }],
  ] as const)('R-4.13 R-1.3 session writes its Pod at most once more when admission %s', async (...args) => {
    const [, operations, , change] = args;
    t4.world.server.admit(changing('pods', operations, (pod) => Object.assign(runtimeOf(pod), change)));
    const session = await sessionWithLostAnswer(Pods);
    const created = (await t4.podOf(session)) as KubeObject;
    t4.forgetRequests();
    await passes(session);
    const writes = t4.writes.filter((write) => write.includes('/pods'));
    expect(writes).toEqual([expect.stringMatching(/^PATCH /)]);
    t4.forgetRequests();
    await passes(session);
    expect(t4.writes).toEqual([]);
    expect((await childOf(Pods, session)).metadata.uid).toBe(created.metadata.uid);
  });
});

describe('a creation that made nothing', () => {
  it.each([
    { type: Pods, status: 403 },
    { type: Services, status: 403 },
    { type: Pods, status: 422 },
    { type: Services, status: 429 },
  ])('R-4.13 session replaces a copy of $type.kind when its own creation was refused with $status', async (row) => {
    const { type, status } = row;
    const session = await t4.runningSession();
    const original = await childOf(type, session);
    await t4.erase(type, original);
    const refused = t4.world.server.inject({
      match: { verb: 'create', resource: type.plural, userAgent: 'evenkeel' },
      fault: { status },
    });
    await passes(session, 2);
    refused.remove();
    expect(await t4.find(type, original.metadata.name)).toBeUndefined();
    const copy = await createCopy(type, original, () => {}, 'evenkeel-t4-session');
    await expectReplaced(type, session, original, copy);
  });

  it.each([Pods, Services])(
    'R-4.13 R-1.21 session replaces a copy of $kind when it came just before its own creation',
    async (type) => {
      const session = await t4.runningSession();
      const original = await childOf(type, session);
      await t4.erase(type, original);
      let copy: KubeObject | undefined;
      const api = interposed(t4.world.api, async (method, args, call) => {
        if (method === 'create' && (args[0] as ResourceType).kind === type.kind)
          copy ??= await createCopy(type, original, () => {}, 'evenkeel-t4-session');
        return await call();
      });
      await t4.pass(T4Sessions, session, t4.world.worker('late', { clusters: { api: () => api } }));
      if (copy === undefined) throw new Error('nothing was created');
      await expectReplaced(type, session, original, copy);
    },
  );

  it('R-4.13 session replaces a copy of its Pod when its own creation was cancelled because of its claim', async () => {
    const session = await t4.runningSession();
    const original = await childOf(Pods, session);
    await t4.erase(Pods, original);
    // Everything is correct until the last read of the claim before the creation.
    let reads = 0;
    const injected = t4.world.server.inject({
      match: ({ verb, resource, userAgent }) =>
        verb === 'get' && resource === 'persistentvolumeclaims' && userAgent === 'evenkeel' && ++reads > 2,
      fault: { status: 504 },
    });
    await passes(session, 1);
    injected.remove();
    expect(reads).toBeGreaterThan(2);
    expect(await t4.podOf(session)).toBeUndefined();
    const copy = await createCopy(Pods, original, () => {}, 'evenkeel-t4-session');
    await expectReplaced(Pods, session, original, copy);
  });
});

describe('an item of an older release', () => {
  it.each([
    ['knows nothing of its children', {}],
    ['was to create both', { admittedPod: '{"sent":"x"}', admittedService: '{"sent":"x"}' }],
    ['holds what cannot be read', { admittedPod: '{', admittedService: '[]' }],
  ])('R-6.8 session keeps its children and replaces a later copy when its item %s', async (_, values) => {
    const session = await t4.runningSession();
    const { pod, service } = await t4.childrenOf(session);
    await t4.passThatLeaves(T4Sessions, session, values);
    t4.forgetRequests();
    await passes(session, 2);
    expect(t4.writes).toEqual([]);
    const after = await t4.childrenOf(session);
    expect([after.pod.metadata.uid, after.service.metadata.uid]).toEqual([pod.metadata.uid, service.metadata.uid]);
    await t4.erase(Services, service);
    const copy = await createCopy(Services, service, () => {}, 'evenkeel-t4-session');
    await expectReplaced(Services, session, service, copy);
  });

  it('R-6.8 the previous release reads the record of each child', async () => {
    const values = await valuesOf(await t4.runningSession());
    const records = [values.admittedPod, values.admittedService].map((text) => JSON.parse(String(text)));
    expect(records).toEqual([
      expect.objectContaining({ sent: expect.any(String), uid: expect.any(String) }),
      expect.objectContaining({ sent: expect.any(String), uid: expect.any(String) }),
    ]);
  });
});

describe('a claim that somebody created in place of the own one', () => {
  it.each([
    ['Delete', 'DataMissing'],
    ['Retain', 'PVCOwnershipConflict'],
  ])(
    'R-4.12 workspace under %s deletes no claim and reports %s when it created another one',
    async (policy, reason) => {
      const workspace = await t4.createWorkspace('other', { retentionPolicy: policy });
      const original = (await t4.claimOf(workspace)) as KubeObject;
      await t4.erase(PersistentVolumeClaims, original);
      const copy = await createCopy(PersistentVolumeClaims, original, () => {}, 'evenkeel-t4-workspace');
      await t4.bindClaim(copy);
      t4.forgetRequests();
      for (let pass = 0; pass < 3; pass += 1) await t4.pass(T4Workspaces, workspace);
      expect(t4.requests.filter(({ method }) => method === 'DELETE')).toEqual([]);
      expect((await t4.find(PersistentVolumeClaims, claimName(workspace.metadata)))?.metadata.uid).toBe(
        copy.metadata.uid,
      );
      expect(await t4.shown(T4Workspaces, workspace)).toMatchObject({ Ready: `False ${reason}` });
    },
  );
});
