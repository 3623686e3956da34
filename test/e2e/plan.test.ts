import { describe, expect, it } from 'vitest';
import { readConditions } from '../../lib/core/conditions.ts';
import type { JsonObject } from '../../lib/core/kube-object.ts';
import { apiVersion, type ResourceType, Secrets } from '../../lib/core/resource-type.ts';
import type { PlanReport } from '../../lib/plan/report/plan-report.ts';
import type { ClusterApi } from '../../lib/ports/cluster-api.ts';
import { Contracts } from './support/contracts.ts';
import { type EmbeddedCluster, embeddedCluster } from './support/embedded-cluster.ts';
import { EvenkeelFolder, type Finished } from './support/evenkeel-process.ts';
import { eventually } from './support/eventually.ts';
import { Shops, writeShopRelease } from './support/shops.ts';
import { writesAmong } from './support/test-cluster.ts';

const NAMES = ['a', 'b', 'c', 'd'];
const CANARY = 'canary-Zq81-value';

function create(api: ClusterApi, type: ResourceType, name: string, content: JsonObject) {
  const metadata = { namespace: 'default', name };
  return api.create(
    type,
    { apiVersion: apiVersion(type), kind: type.kind, metadata, ...content },
    { fieldManager: 'test' },
  );
}

/** A release that runs with three settled shops, and one contract. */
async function settledShops(cluster: EmbeddedCluster, folder: EvenkeelFolder) {
  writeShopRelease(folder.path, 'v1', { version: '1' });
  const kubeconfig = ['--kubeconfig', cluster.kubeconfig];
  await create(cluster.user, Secrets, 'token', { stringData: { token: CANARY } });
  const started = await folder.start([...kubeconfig, '--install-crds', '--controllers', 'v1.ts']);
  for (const name of NAMES) await create(cluster.user, Shops, name, { spec: { image: `${name}:1` } });
  const contracts = new Contracts(cluster.user);
  await contracts.createContract('web', ['token'], { secretRef: { name: 'token' } });
  await eventually(
    'a satisfied contract',
    async () => (await contracts.ready('web')) === 'True AllSatisfied' || undefined,
  );
  for (const name of NAMES) {
    await eventually(`shop ${name} that is published`, async () => {
      const { status } = await cluster.user.get(Shops, { namespace: 'default', name });
      return readConditions(status).length > 0 ? true : undefined;
    });
  }
  return { started, kubeconfig, contracts };
}

function reportOf(finished: Finished): PlanReport {
  return JSON.parse(finished.out) as PlanReport;
}

function names({ objects }: PlanReport): string[] {
  return objects.map(({ change, kind, name }) => `${change} ${kind} ${name}`);
}

/** What a process of evenkeel's plan asked the cluster for. */
function requestsOfPlan({ server }: EmbeddedCluster) {
  return server.requests.records.filter(({ userAgent }) => userAgent.startsWith('evenkeel-plan'));
}

describe('evenkeel plan', () => {
  it('R-6.11 plan reports nothing, and exits with 0, when the version that runs now has settled the fleet', async () => {
    await using cluster = await embeddedCluster();
    await using folder = new EvenkeelFolder();
    const { kubeconfig } = await settledShops(cluster, folder);
    const planned = await folder.run(['plan', ...kubeconfig, '--controllers', 'v1.ts', '-o', 'json']);
    expect(planned.err).toBe('planning with the cluster of context evenkeel');
    expect(reportOf(planned)).toMatchObject({ changed: 0, unchanged: 5, errors: [], objects: [] });
    expect(planned.code).toBe(0);
    expect(requestsOfPlan(cluster).length).toBeGreaterThan(5);
    expect(requestsOfPlan(cluster).filter(({ verb }) => !['get', 'list'].includes(verb))).toEqual([]);
    const recorded = await folder.run(['plan', '-o', 'json']);
    expect(reportOf(recorded)).toMatchObject({ changed: 0, unchanged: 5, errors: [] });
  });

  it('R-6.11 plan shows exactly the objects that a new version changes, and the new version then changes exactly these', async () => {
    await using cluster = await embeddedCluster();
    await using folder = new EvenkeelFolder();
    const { kubeconfig, started } = await settledShops(cluster, folder);
    writeShopRelease(folder.path, 'v2', {
      version: '2',
      code: `
    if (name === 'a') wanted.deployment.spec.template.spec.containers[0].image = 'a:2';
    if (name === 'b') wanted.config = undefined;
    if (name === 'c') wanted.service = { spec: { selector: labels, ports: [{ port: 80 }] } };`,
    });
    const planned = await folder.run(['plan', ...kubeconfig, '--controllers', 'v2.ts', '-o', 'json']);
    const expected = ['deleted configmaps b', 'created services c', 'applied deployments.apps a'];
    expect(names(reportOf(planned))).toEqual(expected);
    expect(reportOf(planned)).toMatchObject({
      changed: 3,
      unchanged: 2,
      restartedPods: 2,
      deletedObjects: 1,
      errors: [],
    });
    expect(planned.code).toBe(3);
    const text = await folder.run(['plan', ...kubeconfig, '--controllers', 'v2.ts']);
    expect(text.out).toContain('restarts 2 Pods, deletes 1 object, touches 0 Secrets');
    expect(text.out).toContain('spec.template.spec.containers[name=app].image: "a:1" -> "a:2"');
    expect(text.code).toBe(3);

    await started.stop();
    const mark = await cluster.mark();
    await folder.start([...kubeconfig, '--controllers', 'v2.ts']);
    // A new version reaches unchanged objects with resync, a few minutes later; an edit starts a pass at once.
    for (const name of NAMES) {
      const patch = { metadata: { annotations: { edited: 'yes' } } };
      await cluster.user.patch(
        Shops,
        { namespace: 'default', name },
        { type: 'merge', patch },
        { fieldManager: 'test' },
      );
    }
    const written = async () => {
      const made = writesAmong(await cluster.requestsSince(mark));
      // A first apply after a create takes two requests.
      return [...new Set(made.map(({ verb, resource, name }) => `${verb} ${resource} ${name}`))].sort();
    };
    await eventually('three written objects', async () => ((await written()).length >= 3 ? true : undefined));
    const after = await folder.run(['plan', ...kubeconfig, '--controllers', 'v2.ts', '-o', 'json']);
    expect(reportOf(after)).toMatchObject({ changed: 0, errors: [] });
    // The log has no name of what is created: it is in the body.
    expect(await written()).toEqual(['create services ', 'delete configmaps b', 'patch deployments.apps a']);
  });

  it('R-1.24 plan shows no value of a Secret when a new version writes it into other objects and errors', async () => {
    await using cluster = await embeddedCluster();
    await using folder = new EvenkeelFolder();
    const { kubeconfig } = await settledShops(cluster, folder);
    writeShopRelease(folder.path, 'leaky', {
      version: '2',
      code: `
    if (name === 'a') wanted.config.data = { greeting: 'hello', url: 'https://u:' + token + '@host', [token]: 'x' };
    if (name === 'b') text = 'token is ' + token;
    if (name === 'c') throw new Error('boom ' + token);`,
    });
    for (const output of ['json', 'text']) {
      const planned = await folder.run(['plan', ...kubeconfig, '--controllers', 'leaky.ts', '-o', output]);
      const shown = `${planned.out}${planned.err}`;
      expect(shown).toContain('data.url');
      expect(shown).toContain('hidden');
      expect(shown).not.toContain(CANARY);
      expect(shown).not.toContain(Buffer.from(CANARY).toString('base64').slice(0, 12));
      expect(planned.code).toBe(1);
    }
  });

  it('R-6.11 plan refuses a connection that a controller opens, and names the object, the address and the place in its source', async () => {
    await using cluster = await embeddedCluster();
    await using folder = new EvenkeelFolder();
    const { kubeconfig } = await settledShops(cluster, folder);
    const before = cluster.server.requests.total;
    writeShopRelease(folder.path, 'calling', {
      version: '2',
      code: `if (name === 'd') await fetch('${cluster.url}/api/v1/namespaces', { method: 'POST', body: '{}' }).catch(() => {});`,
    });
    const planned = await folder.run(['plan', ...kubeconfig, '--controllers', 'calling.ts', '-o', 'json']);
    const [refused] = reportOf(planned).refusedConnections;
    expect(refused).toMatchObject({
      by: { kind: 'shops.example.com', namespace: 'default', name: 'd' },
      to: cluster.url.replace('https://', ''),
    });
    expect(planned.code).toBe(1);
    const since = cluster.server.requests.records.slice(-(cluster.server.requests.total - before));
    expect(since.filter(({ verb, userAgent }) => verb === 'create' && userAgent.includes('node'))).toEqual([]);
  });
});
