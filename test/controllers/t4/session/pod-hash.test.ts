import { beforeEach, describe, expect, it } from 'vitest';
import { Pods, T4ClusterHosts, T4Sessions } from '../../../../lib/controllers/t4/kinds.ts';
import { t4Controllers } from '../../../../lib/controllers/t4/t4-controllers.ts';
import type { DesiredObject, KubeObject } from '../../../../lib/core/kube-object.ts';
import { ConfigMaps, Secrets } from '../../../../lib/core/resource-type.ts';
import { Registry } from '../../../../lib/engine/registry.ts';
import { MODELS, OMP_SETTINGS, SECRET_VALUES, SETTINGS } from '../objects.ts';
import { T4Fixture } from '../t4-fixture.ts';

const HASH = 'cluster.t4.dev/pod-spec-hash';
/** The form of the first release: a digest over versions. */
const OLD_FORM = 'b'.repeat(64);
const OTHER_KEY = 'f'.repeat(32);

let t4: T4Fixture;
let session: KubeObject;
let pod: KubeObject;
beforeEach(async () => {
  t4 = await T4Fixture.embedded();
  await t4.prepare();
  session = await t4.runningSession();
  ({ pod } = await t4.childrenOf(session));
});

const podNow = async () => (await t4.childrenOf(session)).pod;
const hashOf = ({ metadata }: KubeObject) => metadata.annotations?.[HASH];
const configMap = () => t4.named(ConfigMaps, 'omp-config');
const secret = () => t4.named(Secrets, 'omp-credentials');
const withKey = (key: string) => t4.world.worker('other-key', { registry: new Registry(t4Controllers(SETTINGS, key)) });

async function recreate(
  type: typeof Secrets,
  object: KubeObject,
  body: Omit<DesiredObject, 'apiVersion' | 'kind' | 'metadata'>,
): Promise<void> {
  await t4.erase(type, object);
  await t4.create(type, object.metadata.name, body);
}

const SAME_CONTENT: [string, () => Promise<unknown>][] = [
  [
    'an annotation is put on the OMP ConfigMap',
    async () => t4.edit(ConfigMaps, await configMap(), { metadata: { annotations: { note: 'x' } } }),
  ],
  [
    'a label is put on the OMP Secret',
    async () => t4.edit(Secrets, await secret(), { metadata: { labels: { team: 'x' } } }),
  ],
  [
    'a key that no Pod mounts is added to both',
    async () => {
      await t4.edit(ConfigMaps, await configMap(), { data: { 'other.yml': 'a: 1' } });
      await t4.edit(Secrets, await secret(), { stringData: { other: 'x' } });
    },
  ],
  [
    'the OMP Secret is replaced by an equal one',
    async () => recreate(Secrets, await secret(), { stringData: SECRET_VALUES }),
  ],
  [
    'the OMP ConfigMap is replaced by an equal one',
    async () =>
      recreate(ConfigMaps, await configMap(), { data: { 'settings.yml': OMP_SETTINGS, 'models.yml': MODELS } }),
  ],
];

describe('the hash of a session Pod', () => {
  it.each(SAME_CONTENT)('R-4.13 session keeps its Pod and writes nothing when %s', async (_, change) => {
    await change();
    t4.forgetRequests();
    await t4.pass(T4Sessions, session);
    expect(await podNow()).toEqual(pod);
    expect(t4.writes.filter((write) => write.includes('/pods'))).toEqual([]);
  });

  it('R-4.13 R-1.24 hash differs between sessions that mount the same Secret, and contains no digest without the key', async () => {
    const other = await t4.runningSession('other');
    const secretPart = (of: KubeObject) => hashOf(of)?.split('.')[4];
    const second = (await t4.childrenOf(other)).pod;
    expect(secretPart(second)).not.toBe(secretPart(pod));
    expect(hashOf(second)?.split('.')[3]).toBe(hashOf(pod)?.split('.')[3]);
  });

  it.each([
    ['of the first release', OLD_FORM],
    ['of a form that is not known yet', '3.a.b'],
    ['that is missing', null],
  ])('R-4.13 R-6.8 session keeps its Pod and renews the hash when the Pod has a hash %s', async (_, hash) => {
    await t4.edit(Pods, pod, { metadata: { annotations: { [HASH]: hash } } });
    await t4.edit(ConfigMaps, await configMap(), { metadata: { annotations: { note: 'x' } } });
    await t4.pass(T4Sessions, session);
    const after = await podNow();
    expect([after.metadata.uid, hashOf(after)]).toEqual([pod.metadata.uid, hashOf(pod)]);
    t4.forgetRequests();
    await t4.pass(T4Sessions, session);
    expect(t4.writes).toEqual([]);
  });

  it('R-4.13 R-6.8 session keeps its Pod when admission changed it and the hash is of the first release', async () => {
    const [container] = (pod.spec as { containers: Record<string, unknown>[] }).containers;
    const { labels, ownerReferences } = pod.metadata;
    // That release does not record what it created.
    await t4.passThatLeaves(T4Sessions, session, {});
    await t4.erase(Pods, pod);
    const changed = await t4.create(Pods, pod.metadata.name, {
      metadata: { labels, ownerReferences, annotations: { [HASH]: OLD_FORM } },
      spec: {
        ...(pod.spec as object),
        containers: [
          { name: 'proxy', image: 'proxy' },
          {
            ...container,
            resources: {},
            env: [{ name: 'PROXY', value: 'x' }, ...((container?.env ?? []) as object[])],
          },
        ],
      },
    });
    await t4.pass(T4Sessions, session);
    expect((await podNow()).metadata.uid).toBe(changed.metadata.uid);
  });

  const SHOWN: [string, () => Promise<unknown>][] = [
    ['the profile changed', () => t4.edit(T4Sessions, session, { spec: { runtimeProfile: 'large' } })],
    [
      'the origins of the host appeared',
      async () =>
        t4.edit(T4ClusterHosts, await t4.named(T4ClusterHosts, 'host'), { spec: { allowedOrigins: ['https://a.b'] } }),
    ],
    [
      'a prompt is mounted now',
      () => t4.edit(T4Sessions, session, { spec: { initialPromptSecretRef: { name: 'prompt' } } }),
    ],
  ];
  it.each(SHOWN)('R-4.13 session replaces a Pod with a hash of the first release when %s', async (_, change) => {
    await t4.edit(Pods, pod, { metadata: { annotations: { [HASH]: OLD_FORM } } });
    await change();
    await t4.pass(T4Sessions, session);
    expect((await podNow()).metadata.uid).not.toBe(pod.metadata.uid);
  });

  it('R-4.13 session keeps its Pod and renews the hash when the installation has another key', async () => {
    await t4.pass(T4Sessions, session, withKey(OTHER_KEY));
    const after = await podNow();
    expect(after.metadata.uid).toBe(pod.metadata.uid);
    expect(hashOf(after)).not.toBe(hashOf(pod));
    await t4.edit(Secrets, await secret(), { stringData: { token: 'other' } });
    await t4.pass(T4Sessions, session, withKey(OTHER_KEY));
    expect((await podNow()).metadata.uid).not.toBe(pod.metadata.uid);
  });

  it('R-4.13 session replaces its Pod when the key is another one and the ConfigMap has other content', async () => {
    await t4.edit(ConfigMaps, await configMap(), { data: { 'settings.yml': 'theme: light' } });
    await t4.pass(T4Sessions, session, withKey(OTHER_KEY));
    expect((await podNow()).metadata.uid).not.toBe(pod.metadata.uid);
  });

  it('R-4.13 session creates no Pod and retries when the installation has no key', async () => {
    await t4.remove(Pods, pod);
    expect(await t4.pass(T4Sessions, session, withKey(''))).toMatchObject({ outcome: 'retry' });
    expect(await t4.podOf(session)).toBeUndefined();
  });
});
