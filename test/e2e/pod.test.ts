import { readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectCluster } from '../../lib/adapters/kubernetes/connect-cluster.ts';
import { staticToken } from '../../lib/adapters/kubernetes/credentials/token-source.ts';
import { loopbackIdentity } from '../../lib/adapters/loopback/loopback-identity.ts';
import { newToken } from '../../lib/adapters/system/new-token.ts';
import { SystemClock } from '../../lib/adapters/system/system-clock.ts';
import { SystemEntropy } from '../../lib/adapters/system/system-entropy.ts';
import { ApiServer } from '../../lib/apiserver/api-server.ts';
import { Leases } from '../../lib/core/resource-type.ts';
import { writeContainerTree } from '../../lib/deployment/package/container-tree.ts';
import type { ClusterApi } from '../../lib/ports/cluster-api.ts';
import { type ContainerProcess, whyNoContainer } from '../support/container-image.ts';
import { type PodCluster, PodContainer } from '../support/pod-container.ts';
import { Contracts } from './support/contracts.ts';
import { prepareUserCluster } from './support/prepare-user-cluster.ts';

const HOLDER = 'local@evenkeel-system/evenkeel';
const why = whyNoContainer();

let tree: string;
let cluster: PodCluster & { readonly user: ClusterApi; close(): Promise<void> };

beforeAll(async () => {
  tree = await mkdtemp(join(tmpdir(), 'evenkeel-image-'));
  await writeContainerTree(tree);
  cluster = await embeddedCluster();
});
afterAll(async () => {
  await cluster.close();
  await rm(tree, { recursive: true });
});

async function embeddedCluster(): Promise<typeof cluster> {
  const clock = new SystemClock();
  const entropy = new SystemEntropy();
  const server = new ApiServer({
    clock: () => clock.now(),
    newUid: () => entropy.id(),
    random: () => entropy.random(),
  });
  const identity = loopbackIdentity(clock.now());
  const token = newToken();
  const listening = await server.listen({ token, tls: identity });
  const { certificateAuthority } = identity;
  const connection = { server: listening.url, certificateAuthority, token: staticToken(token) };
  const user = connectCluster({ connection, userAgent: 'test', clock });
  await prepareUserCluster(user.api);
  const close = async () => {
    await user.close();
    await listening.close();
  };
  return { url: listening.url, certificateAuthority, token, user: user.api, close };
}

/** Starts the pod as in its manifest, with probes on a free port. */
async function startPod(pod: PodContainer): Promise<{ readonly running: ContainerProcess; readonly probes: string }> {
  const running = pod.run(pod.args.map((word) => word.replace(/^--probes=.*$/, '--probes=127.0.0.1:0')));
  const ready = await running.line(/^ready/);
  return { running, probes: / probes (http:\S+)/.exec(ready)?.[1] ?? '' };
}

const holder = async () => {
  const lease = await cluster.user.get(Leases, { namespace: 'evenkeel-system', name: 'evenkeel-secret-contract' });
  return (lease.spec as { holderIdentity?: string }).holderIdentity;
};

// Only root can make a root file system. For other users the title contains the reason why the test is skipped.
describe.skipIf(why !== undefined)(`the image, as the pod runs it${why === undefined ? '' : ` (${why})`}`, () => {
  it('R-6.3 R-5.21 the pod runs everything as its user with a read-only root, and a killed pod continues in the next one', async () => {
    using pod = new PodContainer(tree, cluster);
    const contracts = new Contracts(cluster.user);
    const { running: first, probes } = await startPod(pod);
    expect(pod.userId).toBe(pod.manifestUserId);
    expect(/^Uid:\t(\d+)/m.exec(readFileSync(`/proc/${first.child.pid}/status`, 'utf8'))?.[1]).toBe('1000');
    await contracts.createSecret('web', { password: 'x' });
    await contracts.createContract('web', ['password']);
    await contracts.becomes('web', 'True AllSatisfied');
    expect(await holder()).toBe(HOLDER);
    expect((await fetch(`${probes}/ready`)).status).toBe(200);
    expect((await fetch(`${probes}/live`)).status).toBe(200);
    const state = statSync(join(pod.volume, 'state', 'evenkeel.db'));
    expect([state.uid, state.mode & 0o777]).toEqual([1000, 0o600]);

    await first.stop('SIGKILL');
    await contracts.deleteSecret('web');
    const { running: second } = await startPod(pod);
    await contracts.becomes('web', 'False SecretNotFound');
    expect(await holder()).toBe(HOLDER);
    expect(await second.stop()).toBe(0);
  });

  it('R-6.3 the command line in the pod explains an object of the running installation', async () => {
    using pod = new PodContainer(tree, cluster);
    const contracts = new Contracts(cluster.user);
    const { running } = await startPod(pod);
    await contracts.createSecret('shown', { password: 'x' });
    await contracts.createContract('shown', ['password']);
    await contracts.becomes('shown', 'True AllSatisfied');
    const asked = pod.run(['explain', 'secon/default/shown', '--state-dir=/var/lib/evenkeel/state']);
    expect(await asked.ended, asked.output).toBe(0);
    expect(asked.output).toContain('SecretContract default/shown');
    expect(await running.stop()).toBe(0);
  });

  it.each([
    ['touch', '/evenkeel/x'],
    ['touch', '/x'],
    ['touch', '/etc/evenkeel/x'],
  ])('R-5.12 the image can write to its volume only when it tries %s %s', async (...command) => {
    using pod = new PodContainer(tree, cluster);
    const refused = pod.run(command, { whole: true });
    expect(await refused.ended).toBe(1);
    expect(refused.output).toMatch(/Read-only file system|Permission denied/);
    const taken = pod.run(['touch', '/var/lib/evenkeel/x'], { whole: true });
    expect(await taken.ended, taken.output).toBe(0);
  });
});
