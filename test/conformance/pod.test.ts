import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { type ConnectedCluster, connectCluster } from '../../lib/adapters/kubernetes/connect-cluster.ts';
import { loadKubeconfig } from '../../lib/adapters/kubernetes/connection/load-kubeconfig.ts';
import { SystemClock } from '../../lib/adapters/system/system-clock.ts';
import { ExternalSecrets, SecretContractGrants, SecretContracts } from '../../lib/controllers/secret-contract/kinds.ts';
import { apiVersion, Leases, Namespaces } from '../../lib/core/resource-type.ts';
import { writeContainerTree } from '../../lib/deployment/package/container-tree.ts';
import { Contracts } from '../e2e/support/contracts.ts';
import { eventually } from '../e2e/support/eventually.ts';
import { externalSecretDefinition } from '../e2e/support/prepare-user-cluster.ts';
import type { ClusterRequest } from '../e2e/support/test-cluster.ts';
import { type RealApiServer, startRealApiServer } from '../real-apiserver/real-api-server.ts';
import { type ContainerProcess, whyNoContainer } from '../support/container-image.ts';
import { compareWithRequests, permits } from '../support/permits.ts';
import { PodContainer } from '../support/pod-container.ts';
import { type RoleManifest, roleManifests } from '../support/role-manifests.ts';
import { type Permission, permissionsOfAccount, shownPermission } from '../support/role-permissions.ts';
import { applyKustomization, kustomized } from './apply-kustomization.ts';
import { installDefinition } from './install-definition.ts';
import { toRequest } from './real-cluster.ts';
import { takeRight } from './take-right.ts';

const FOLDER = 'infra/container/pod';
const USER = 'system:serviceaccount:evenkeel-system:evenkeel-pod';
const WRITE = { fieldManager: 'test' };
const why = whyNoContainer();

let server: RealApiServer;
let user: ConnectedCluster;
let tree: string;
let manifests: RoleManifest[];
let pod: PodContainer;
let running: ContainerProcess;
let own: Contracts;
let foreign: Contracts;

/** Shortens intervals from minutes to seconds: the check of the restore counter, and the renewal of the Leases. */
const HASTY = encodeURIComponent(
  'const wait=setTimeout;globalThis.setTimeout=(f,ms,...a)=>wait(f,ms>150000&&ms<350000?1500:ms,...a);',
);

/**
 * Every permission that the manifests give to the pod. The test of the manifests compares them with kubectl's output.
 */
const STATIC_RIGHTS: readonly Permission[] = permissionsOfAccount(
  [...roleManifests(['shared', 'secret-contract']), ...podBindings(['shared', 'secret-contract'])],
  'evenkeel-pod',
);

/** Every permission that the pod's roles give. */
const granted = () => permissionsOfAccount(manifests, 'evenkeel-pod');

function podBindings(folders: readonly string[]): RoleManifest[] {
  return folders.flatMap((folder) => {
    const url = new URL(`../../${FOLDER}/bindings/${folder}/bindings.yaml`, import.meta.url);
    return parseAllDocuments(readFileSync(url, 'utf8')).map((document) => document.toJS() as RoleManifest);
  });
}

async function start(): Promise<void> {
  running = pod.run(pod.args.map((word) => word.replace(/^--probes=.*$/, '--probes=127.0.0.1:0')));
  await running.line(/^ready/);
}

beforeAll(async () => {
  if (why !== undefined) return;
  [server, tree] = await Promise.all([startRealApiServer(), mkdtemp(join(tmpdir(), 'evenkeel-image-'))]);
  await writeContainerTree(tree);
  const clock = new SystemClock();
  const { connection } = await loadKubeconfig({ file: server.kubeconfigPath, environment: {}, clock });
  user = connectCluster({ connection, userAgent: 'test', clock, requestTimeoutMs: 60_000 });
  await applyKustomization(server, FOLDER);
  manifests = await kustomized(server, FOLDER);
  await installDefinition(server, externalSecretDefinition);
  const path = '/api/v1/namespaces/evenkeel-system/serviceaccounts/evenkeel-pod/token';
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3_600 } };
  const token = (await server.expectOk({ method: 'POST', path, body })).json<{ status: { token: string } }>();
  pod = new PodContainer(tree, {
    url: server.url,
    certificateAuthority: server.caPem,
    token: token.status.token,
    environment: { NODE_OPTIONS: `--enable-source-maps --import=data:text/javascript,${HASTY}` },
  });
  own = new Contracts(user.api);
  const other = { apiVersion: apiVersion(Namespaces), kind: 'Namespace', metadata: { name: 'other' } };
  await user.api.create(Namespaces, other, WRITE);
  foreign = new Contracts(user.api, 'other');
  await start();
});

afterAll(async () => {
  pod?.[Symbol.dispose]();
  await user?.close();
  await server?.stop();
  if (tree !== undefined) await rm(tree, { recursive: true });
});

async function requests(since?: { readonly offsetBytes: number }): Promise<ClusterRequest[]> {
  const entries = await server.auditEntries(since);
  return entries.filter((entry) => entry.user.username === USER).map(toRequest);
}

/** A contract that uses every feature: a Secret in another namespace, a grant and an ExternalSecret. */
async function fullContract(): Promise<void> {
  await foreign.createSecret('shared', { one: 'x' });
  const synced = { type: 'Ready', status: 'True', reason: 'SecretSynced', message: '' };
  const external = {
    apiVersion: apiVersion(ExternalSecrets),
    kind: ExternalSecrets.kind,
    metadata: { name: 'shared', namespace: 'other' },
    status: { conditions: [synced], syncedResourceVersion: '1-abc' },
  };
  await user.api.create(ExternalSecrets, external, WRITE);
  await own.createContract('web', ['one'], {
    secretRef: { name: 'shared', namespace: 'other' },
    externalSecretRef: { name: 'shared' },
  });
  const denied = async () => ((await own.condition('web', 'Authorized')) === 'False GrantMissing' ? true : undefined);
  await eventually('refusal without a grant', denied);
  const grant = {
    apiVersion: apiVersion(SecretContractGrants),
    kind: SecretContractGrants.kind,
    metadata: { name: 'reads', namespace: 'other' },
    spec: { from: [{ namespace: 'default' }], secretNames: ['shared'] },
  };
  await user.api.create(SecretContractGrants, grant, WRITE);
  const ready = async () => ((await own.ready('web')) === 'True AllSatisfied' ? true : undefined);
  await eventually('contract that is Ready by a grant', ready);
}

/** Starts the pod with an empty state, like the first start in a cluster. */
async function startAfresh(): Promise<void> {
  // Stopping releases the Leases.
  await running.stop();
  for (const { metadata } of (await user.api.list(Leases, { namespace: 'evenkeel-system' })).items) {
    const name = { namespace: 'evenkeel-system', name: metadata.name };
    await user.api.delete(Leases, name, { preconditions: { uid: metadata.uid } });
  }
  running = pod.run([...pod.args.map((word) => word.replace(/^--probes=.*$/, '--probes=127.0.0.1:0')), '--fresh']);
  await running.line(/^ready/).catch(() => {});
}

/** Changes every object that a part of the pod reads. */
async function stir(round: number): Promise<void> {
  const label = { metadata: { labels: { round: String(round) } } };
  await user.api.patch(SecretContracts, { namespace: 'default', name: 'web' }, { type: 'merge', patch: label }, WRITE);
  if (round % 2 === 0) await own.patchSecret('plain', undefined, ['one']);
  else await own.patchSecret('plain', { one: 'x' });
}

describe.skipIf(why !== undefined)(`the pod on a real kube-apiserver${why === undefined ? '' : ` (${why})`}`, () => {
  it('R-5.12 R-6.3 the manifests of the pod give it what its requests need, all of it and nothing else', async () => {
    await own.createSecret('plain', { one: 'x' });
    await own.createContract('plain', ['one']);
    await own.becomes('plain', 'True AllSatisfied');
    await fullContract();
    // Two rounds: the Event of a repeated transition has a count, and the second start finds everything installed.
    for (let repetition = 0; repetition < 2; repetition += 1) {
      await own.patchSecret('plain', undefined, ['one']);
      await own.becomes('plain', 'False KeyMissing');
      await own.patchSecret('plain', { one: 'x' });
      await own.becomes('plain', 'True AllSatisfied');
    }
    await running.stop('SIGKILL');
    await start();
    // Stopping releases the Leases, and the next start finds them.
    await running.stop();
    await start();
    await own.patchSecret('plain', undefined, ['one']);
    await own.becomes('plain', 'False KeyMissing');
    await own.patchSecret('plain', { one: 'x' });
    await own.becomes('plain', 'True AllSatisfied');

    const raised = async () =>
      (await requests()).some(({ verb, name }) => verb === 'patch' && name === 'evenkeel-relay') || undefined;
    await eventually('raised restore counter', raised);

    const made = await requests();
    expect(made.length).toBeGreaterThan(30);
    expect(made.filter(({ status }) => status === 403)).toEqual([]);
    const { missing, unused } = compareWithRequests(granted(), made);
    expect(missing).toEqual([]);
    expect(unused.map(shownPermission)).toEqual([]);
    expect(STATIC_RIGHTS.map(shownPermission).sort()).toEqual(granted().map(shownPermission).sort());
    const rules = manifests.flatMap(({ rules: found = [] }) => found);
    expect(JSON.stringify(rules)).not.toContain('"*"');
  });

  // Some rights are in both roles, the worker's and the relay's. They are removed from both.
  const byRight = Map.groupBy(STATIC_RIGHTS, (right) => shownPermission(right).replace(/^[^:]*: /, ''));
  it.each([...byRight].map(([shown, rights]) => [shown, rights] as const))(
    'R-5.12 the pod is refused what it needs when one right is taken away: %s',
    async (_, rights) => {
      const right = rights[0] as Permission;
      const mark = await server.auditMark();
      const givenBack: (() => Promise<void>)[] = [];
      for (const each of rights) givenBack.push(await takeRight(server, each));
      try {
        // The API server may still use the old role for a moment.
        for (let round = 0; ; round += 1) {
          await startAfresh();
          await stir(round);
          const refused = async () =>
            (await requests(mark)).some((request) => request.status === 403 && permits(right, request)) || undefined;
          if (await eventually('refusal', refused, 10_000).catch(() => false)) break;
        }
      } finally {
        for (const giveBack of givenBack) await giveBack();
      }
      const others = (await requests(mark)).filter(({ status }) => status === 403);
      expect(others.filter((request) => !permits(right, request))).toEqual([]);
    },
    100_000,
  );
});
