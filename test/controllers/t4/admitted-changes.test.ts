import { beforeEach, describe, expect, it } from 'vitest';
import type { AdmissionRequest } from '../../../lib/apiserver/state/admission.ts';
import { PersistentVolumeClaims, Pods, Services, T4Sessions, T4Workspaces } from '../../../lib/controllers/t4/kinds.ts';
import type { JsonObject, KubeObject } from '../../../lib/core/kube-object.ts';
import type { ResourceType } from '../../../lib/core/resource-type.ts';
import { changing, containersOf, labelsOf, specOf } from './admission.ts';
import { interposed } from './interposed-api.ts';
import { IMAGE, workspaceSpec } from './objects.ts';
import { T4Fixture } from './t4-fixture.ts';

type Operation = AdmissionRequest['operation'];

let t4: T4Fixture;
beforeEach(async () => {
  t4 = await T4Fixture.embedded();
  await t4.prepare();
});

const MIRROR = `mirror.example/${IMAGE}`;
const HASH = 'cluster.t4.dev/pod-spec-hash';

const rewriteImage = (pod: JsonObject) => {
  for (const container of containersOf(pod)) if (container.name === 'runtime') container.image = MIRROR;
};
const injectSidecar = (pod: JsonObject) => {
  containersOf(pod).unshift({ name: 'proxy', image: 'proxy:1' });
};
const addToleration = (pod: JsonObject) => {
  specOf(pod).tolerations = [{ key: 'dedicated', operator: 'Exists', effect: 'NoSchedule' }] as never;
};
const annotationsOf = (object: JsonObject) => (object.metadata as JsonObject).annotations as JsonObject;

/** Changes that admission makes to a child, and how they show. */
const CHANGES: [string, ResourceType, (object: JsonObject) => void][] = [
  ['rewrites the image of the Pod', Pods, rewriteImage],
  ['injects a sidecar before the container of the Pod', Pods, injectSidecar],
  ['adds a toleration to the Pod', Pods, addToleration],
  ['replaces a label of the Pod', Pods, (pod) => Object.assign(labelsOf(pod), { 'cluster.t4.dev/session': 'team' })],
  ['takes the hash annotation off the Pod', Pods, (pod) => delete annotationsOf(pod)[HASH]],
  [
    'takes the managed-by label off the Service',
    Services,
    (service) => delete labelsOf(service)['app.kubernetes.io/managed-by'],
  ],
  [
    'adds a key to the selector of the Service',
    Services,
    (service) => Object.assign(specOf(service).selector as unknown as JsonObject, { mesh: 'on' }),
  ],
  ['exposes the Service', Services, (service) => Object.assign(specOf(service), { type: 'NodePort' })],
  [
    'adds a port to the Service',
    Services,
    (service) => (specOf(service).ports as unknown as JsonObject[]).push({ name: 'metrics', port: 9090 }),
  ],
];
const OPERATIONS: [string, Operation[]][] = [
  ['at creation', ['CREATE']],
  ['at creation and at each update', ['CREATE', 'UPDATE']],
];

/** The fields of a child that a pass may write. */
const shownOf = ({ metadata, spec }: KubeObject) => ({
  uid: metadata.uid,
  labels: metadata.labels,
  annotations: metadata.annotations,
  spec,
});
async function childOf(type: ResourceType, session: KubeObject): Promise<KubeObject> {
  const { pod, service } = await t4.childrenOf(session);
  return type === Pods ? pod : service;
}
const setImage = async (pod: KubeObject, image: string) => {
  const { containers } = pod.spec as { containers: JsonObject[] };
  const edited = containers.map((each) => (each.name === 'runtime' ? { ...each, image } : each));
  await t4.edit(Pods, pod, { spec: { containers: edited } });
};
const imageOf = (pod: KubeObject) =>
  (pod.spec as { containers: { name: string; image: string }[] }).containers.find(({ name }) => name === 'runtime')
    ?.image;

describe.each(OPERATIONS)('an admission that changes objects %s', (_, operations) => {
  it.each(CHANGES)(
    'R-4.13 R-1.3 session leaves its child as created and writes nothing when admission %s',
    async (...args) => {
      const [, type, change] = args;
      t4.world.server.admit(changing(type === Pods ? 'pods' : 'services', operations, change));
      const session = await t4.createSession();
      await t4.pass(T4Sessions, session);
      const created = await childOf(type, session);
      await t4.ready(session);
      await t4.pass(T4Sessions, session);
      expect(await t4.shown(T4Sessions, session)).toMatchObject({ Available: 'True PodReady' });
      t4.forgetRequests();
      for (let pass = 0; pass < 3; pass += 1) await t4.pass(T4Sessions, session);
      expect(t4.writes).toEqual([]);
      expect(shownOf(await childOf(type, session))).toEqual(shownOf(created));
    },
  );

  it.each(['evil', 'evil@sha256:0', `other.example/${IMAGE}`])(
    'R-4.13 R-1.4 session restores the image of its Pod as admission changed it when a user edits it to %s',
    async (image) => {
      t4.world.server.admit(changing('pods', operations, rewriteImage));
      const session = await t4.runningSession();
      await setImage((await t4.childrenOf(session)).pod, image);
      await t4.pass(T4Sessions, session);
      expect(imageOf((await t4.childrenOf(session)).pod)).toBe(MIRROR);
      t4.forgetRequests();
      await t4.pass(T4Sessions, session);
      expect(t4.writes).toEqual([]);
    },
  );

  it('R-4.13 R-1.4 session repairs a field that admission left alone when a user edits it', async () => {
    t4.world.server.admit(changing('pods', operations, rewriteImage));
    const session = await t4.runningSession();
    const { pod } = await t4.childrenOf(session);
    await t4.edit(Pods, pod, { metadata: { labels: { 'cluster.t4.dev/session-uid': 'x' } } });
    await t4.pass(T4Sessions, session);
    const repaired = (await t4.childrenOf(session)).pod;
    expect(repaired.metadata.labels).toEqual(pod.metadata.labels);
    expect(imageOf(repaired)).toBe(MIRROR);
  });

  it('R-4.13 session replaces its Pod when its content changed and admission removes the hash', async () => {
    t4.world.server.admit(changing('pods', operations, (pod) => delete annotationsOf(pod)[HASH]));
    const session = await t4.runningSession();
    const before = (await t4.childrenOf(session)).pod;
    await t4.edit(T4Sessions, session, { spec: { runtimeProfile: 'large' } });
    await t4.pass(T4Sessions, session);
    expect((await t4.childrenOf(session)).pod.metadata.uid).not.toBe(before.metadata.uid);
  });

  it('R-4.13 R-1.3 session keeps its Pod and writes it once more when the answer to the creation was lost', async () => {
    t4.world.server.admit(changing('pods', operations, rewriteImage));
    const session = await t4.createSession();
    const dropped = t4.world.server.inject({
      match: { verb: 'create', resource: 'pods' },
      fault: { dropResponse: true },
    });
    await t4.pass(T4Sessions, session);
    dropped.remove();
    await t4.ready(session);
    const created = await t4.podOf(session);
    await t4.pass(T4Sessions, session);
    const { pod } = await t4.childrenOf(session);
    // A change that only a creation gets is undone: without the response, nobody knows who made it.
    expect(imageOf(pod)).toBe(operations.includes('UPDATE') ? MIRROR : IMAGE);
    expect(pod.metadata.uid).toBe(created?.metadata.uid);
    t4.forgetRequests();
    await t4.pass(T4Sessions, session);
    expect(t4.writes).toEqual([]);
  });

  it("R-4.13 R-1.4 session does not treat an edit as admission's when the answer to the creation was lost", async () => {
    const session = await t4.createSession();
    const dropped = t4.world.server.inject({
      match: { verb: 'create', resource: 'pods' },
      fault: { dropResponse: true },
    });
    await t4.pass(T4Sessions, session);
    dropped.remove();
    await setImage((await t4.childrenOf(session)).pod, 'evil');
    await t4.pass(T4Sessions, session);
    expect(imageOf((await t4.childrenOf(session)).pod)).toBe(IMAGE);
  });

  it('R-4.13 R-5.5 session keeps its Pod and writes it once more when the worker died after the creation', async () => {
    t4.world.server.admit(changing('pods', operations, rewriteImage));
    const session = await t4.createSession();
    // Nothing that the pass learns after the creation reaches the table.
    let created = false;
    const store = interposed(t4.world.store, async (method, _, call) => {
      if (created && ['saveValues', 'commit'].includes(method)) throw new Error('the process is gone');
      return await call();
    });
    const api = interposed(t4.world.api, async (method, args, call) => {
      const answer = await call();
      if (method === 'create' && (args[0] as ResourceType).kind === 'Pod') created = true;
      return answer;
    });
    const clusters = { api: () => api };
    await t4.pass(T4Sessions, session, t4.world.worker('dying', { store, clusters })).catch(() => undefined);
    expect(created).toBe(true);
    const orphan = await t4.podOf(session);
    await t4.world.clock.advance(120_000);
    await t4.ready(session);
    await t4.pass(T4Sessions, session);
    const { pod } = await t4.childrenOf(session);
    expect(imageOf(pod)).toBe(operations.includes('UPDATE') ? MIRROR : IMAGE);
    expect(pod.metadata.uid).toBe(orphan?.metadata.uid);
    t4.forgetRequests();
    await t4.pass(T4Sessions, session);
    expect(t4.writes).toEqual([]);
  });
});

describe('the record of a creation', () => {
  const savesOf = async (type: ResourceType, object: KubeObject) => {
    let saves = 0;
    const store = interposed(t4.world.store, async (method, _, call) => {
      if (method === 'saveValues') saves += 1;
      return await call();
    });
    await t4.pass(type, object, t4.world.worker('counted', { store }));
    return saves;
  };

  it.each([
    ['Pod', Pods],
    ['Service', Services],
  ])(
    'R-4.13 R-5.11 session saves the open creation, and its answer, when it sends the same %s again',
    async (_, type) => {
      const session = await t4.runningSession();
      await t4.erase(type, await childOf(type, session));
      expect(await savesOf(T4Sessions, session)).toBe(2);
    },
  );

  it('R-4.13 R-5.11 session saves the open creation, and its end, when a quota refuses the Pod', async () => {
    const session = await t4.runningSession();
    await t4.erase(Pods, await childOf(Pods, session));
    const message = 'pods "a" is forbidden: exceeded quota: q, requested: pods=1';
    t4.world.server.inject({ match: { verb: 'create', resource: 'pods' }, fault: { status: 403, message } });
    expect(await savesOf(T4Sessions, session)).toBe(2);
  });

  it('R-4.13 R-5.11 session saves the open creation, and its answer, when it sends another Pod', async () => {
    const session = await t4.runningSession();
    await t4.edit(T4Sessions, session, { spec: { runtimeProfile: 'large' } });
    expect(await savesOf(T4Sessions, session)).toBe(2);
  });
});

describe('a user who writes under the name of the controller', () => {
  const asController = (type: ResourceType, object: KubeObject, patch: JsonObject) => {
    const { namespace = '', name } = object.metadata;
    const options = { fieldManager: 'evenkeel-t4-session' };
    return t4.world.user.patch(type, { namespace, name }, { type: 'merge', patch }, options);
  };
  it('R-4.13 R-1.4 session repairs the edit when the answer to the creation arrived', async () => {
    const session = await t4.runningSession();
    const { pod, service } = await t4.childrenOf(session);
    const [container] = containersOf(pod as unknown as JsonObject);
    await asController(Pods, pod, { spec: { containers: [{ ...container, image: 'evil' }] } });
    await asController(Services, service, { spec: { type: 'NodePort' } });
    await t4.pass(T4Sessions, session);
    const after = await t4.childrenOf(session);
    expect(imageOf(after.pod)).toBe(IMAGE);
    expect(after.service.spec).toMatchObject({ type: 'ClusterIP' });
  });
});

describe('an admission that changes claims', () => {
  const claimChanges: [string, (claim: JsonObject) => void, Record<string, unknown>][] = [
    [
      'gives less room than is asked for',
      (claim) => Object.assign(specOf(claim), { resources: { requests: { storage: '5Gi' } } }),
      {},
    ],
    [
      'rounds the room up',
      (claim) => Object.assign(specOf(claim), { resources: { requests: { storage: '16Gi' } } }),
      {},
    ],
    [
      'replaces the managed-by label',
      (claim) => Object.assign(labelsOf(claim), { 'app.kubernetes.io/managed-by': 'storage-team' }),
      { retentionPolicy: 'Delete' },
    ],
  ];
  it.each(claimChanges)(
    'R-4.13 R-1.3 workspace leaves its claim as created and is ready when admission %s',
    async (...args) => {
      const [, change, spec] = args;
      t4.world.server.admit(changing('persistentvolumeclaims', ['CREATE'], change));
      const workspace = await t4.create(T4Workspaces, 'other', { spec: workspaceSpec(spec) });
      await t4.pass(T4Workspaces, workspace);
      const created = shownOf((await t4.claimOf(workspace)) as KubeObject);
      await t4.bind(workspace);
      await t4.pass(T4Workspaces, workspace);
      t4.forgetRequests();
      for (let pass = 0; pass < 3; pass += 1) await t4.pass(T4Workspaces, workspace);
      expect(t4.writes).toEqual([]);
      expect(shownOf((await t4.claimOf(workspace)) as KubeObject)).toEqual(created);
      expect(await t4.shown(T4Workspaces, workspace)).toMatchObject({ Ready: 'True WorkspaceReady' });
    },
  );

  it('R-4.13 workspace grows its claim when more is asked for than admission allowed before', async () => {
    t4.world.server.admit(
      changing('persistentvolumeclaims', ['CREATE'], (claim) =>
        Object.assign(specOf(claim), { resources: { requests: { storage: '5Gi' } } }),
      ),
    );
    const workspace = await t4.createWorkspace('other');
    await t4.edit(T4Workspaces, workspace, { spec: { size: '40Gi' } });
    await t4.pass(T4Workspaces, workspace);
    expect((await t4.claimOf(workspace))?.spec).toMatchObject({ resources: { requests: { storage: '40Gi' } } });
  });

  it('R-4.13 R-1.4 workspace restores the label as admission changed it when a user edits it', async () => {
    const mark = (claim: JsonObject) => Object.assign(labelsOf(claim), { 'app.kubernetes.io/managed-by': 'team' });
    t4.world.server.admit(changing('persistentvolumeclaims', ['CREATE'], mark));
    const workspace = await t4.createWorkspace('other', { retentionPolicy: 'Delete' });
    const claim = (await t4.claimOf(workspace)) as KubeObject;
    await t4.edit(PersistentVolumeClaims, claim, { metadata: { labels: { 'app.kubernetes.io/managed-by': 'x' } } });
    await t4.pass(T4Workspaces, workspace);
    expect((await t4.claimOf(workspace))?.metadata.labels).toMatchObject({ 'app.kubernetes.io/managed-by': 'team' });
  });
});
