import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Pods, T4Sessions } from '../../lib/controllers/t4/kinds.ts';
import type { KubeObject } from '../../lib/core/kube-object.ts';
import type { ResourceType } from '../../lib/core/resource-type.ts';
import { ApiError } from '../../lib/ports/cluster-api.ts';
import { interposed } from '../controllers/t4/interposed-api.ts';
import { IMAGE } from '../controllers/t4/objects.ts';
import type { T4Fixture } from '../controllers/t4/t4-fixture.ts';
import { until } from '../real-apiserver/until.ts';
import { T4OnRealServer } from './t4-on-real-server.ts';

const MIRROR = `mirror.example/${IMAGE}`;

let real: T4OnRealServer;
let t4: T4Fixture;
let session: KubeObject;
beforeAll(async () => {
  real = await T4OnRealServer.connect();
});
beforeEach(async () => {
  t4 = await real.newFixture();
  await t4.prepare();
  await real.rewriteImages(t4, 'mirror.example/');
  // The API server applies a new policy some time after it was created.
  await until(async () => {
    const probe = await t4.create(Pods, 'probe', { spec: { containers: [{ name: 'a', image: 'a' }] } });
    await t4.erase(Pods, probe);
    return imageOf(probe).startsWith('mirror.example/');
  });
  session = await t4.createSession();
});
afterEach(() => real.dispose(t4));
afterAll(() => real.disconnect());

const imageOf = (pod: KubeObject) =>
  (pod.spec as { containers: { image: string }[] }).containers.map(({ image }) => image).join();
const podImage = async () => imageOf((await t4.childrenOf(session)).pod);

describe('an admission that rewrites images on the real API server', () => {
  it('R-4.13 R-1.3 session leaves the image as admission made it and writes nothing more', async () => {
    await t4.pass(T4Sessions, session);
    await t4.ready(session);
    await t4.pass(T4Sessions, session);
    t4.forgetRequests();
    for (let pass = 0; pass < 3; pass += 1) await t4.pass(T4Sessions, session);
    expect(t4.writes).toEqual([]);
    expect(await podImage()).toBe(MIRROR);
  });

  it('R-4.13 R-1.4 session puts the image of admission back when a user edits it', async () => {
    await t4.pass(T4Sessions, session);
    const { pod } = await t4.childrenOf(session);
    const { containers } = pod.spec as { containers: object[] };
    await t4.edit(Pods, pod, { spec: { containers: [{ ...containers[0], image: 'edited' }] } });
    await t4.pass(T4Sessions, session);
    expect(await podImage()).toBe(MIRROR);
  });

  it.each([
    ['puts its image back once', undefined],
    ['repairs an edit', 'edited'],
  ])('R-4.13 session %s when the answer to the creation was lost', async (_, edit) => {
    const api = interposed(t4.world.api, async (method, args, call) => {
      const answer = await call();
      if (method === 'create' && (args[0] as ResourceType).kind === 'Pod') throw new ApiError('Timeout', 'no answer');
      return answer;
    });
    await t4.pass(T4Sessions, session, t4.world.worker('w', { clusters: { api: () => api } }));
    const { pod } = await t4.childrenOf(session);
    const { containers } = pod.spec as { containers: object[] };
    if (edit !== undefined) await t4.edit(Pods, pod, { spec: { containers: [{ ...containers[0], image: edit }] } });
    await t4.pass(T4Sessions, session);
    // The answer to the creation was lost, so nothing shows that the policy changed the image. The session sets its own
    // image again.
    expect(await podImage()).toBe(IMAGE);
    t4.forgetRequests();
    await t4.pass(T4Sessions, session);
    expect(t4.writes).toEqual([]);
  });
});
