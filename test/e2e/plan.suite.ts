import { describe, expect, it } from 'vitest';
import { SecretContracts } from '../../lib/controllers/secret-contract/kinds.ts';
import { readConditions } from '../../lib/core/conditions.ts';
import type { JsonObject } from '../../lib/core/kube-object.ts';
import { apiVersion, type ResourceType, Secrets } from '../../lib/core/resource-type.ts';
import type { PlanReport } from '../../lib/plan/report/plan-report.ts';
import type { ClusterApi } from '../../lib/ports/cluster-api.ts';
import { Contracts } from './support/contracts.ts';
import { EvenkeelFolder, type Finished } from './support/evenkeel-process.ts';
import { eventually } from './support/eventually.ts';
import { Shops, writeShopRelease } from './support/shops.ts';
import { type TestCluster, writesAmong } from './support/test-cluster.ts';

export const NAMES = ['a', 'b', 'c', 'd'];
export const CANARY = 'canary-Zq81-value';

function create(api: ClusterApi, type: ResourceType, name: string, content: JsonObject) {
  const metadata = { namespace: 'default', name };
  return api.create(
    type,
    { apiVersion: apiVersion(type), kind: type.kind, metadata, ...content },
    { fieldManager: 'test' },
  );
}

/** Runs a release with four settled shops and some contracts. */
export async function settledShops(cluster: TestCluster, folder: EvenkeelFolder, contractCount = 1) {
  writeShopRelease(folder.path, 'v1', { version: '1' });
  const kubeconfig = ['--kubeconfig', cluster.kubeconfig];
  await create(cluster.user, Secrets, 'token', { stringData: { token: CANARY } });
  const started = await folder.start([...kubeconfig, '--install-crds', '--controllers', 'v1.ts']);
  for (const name of NAMES) await create(cluster.user, Shops, name, { spec: { image: `${name}:1` } });
  const contracts = new Contracts(cluster.user);
  for (let number = 0; number < contractCount; number += 1) {
    await contracts.createContract(`web-${number}`, ['token'], { secretRef: { name: 'token' } });
  }
  await eventually('satisfied contracts', async () => {
    const last = await contracts.ready(`web-${contractCount - 1}`);
    if (last !== 'True AllSatisfied') return undefined;
    const { items } = await cluster.user.list(SecretContracts);
    return items.every(({ status }) => readConditions(status).length > 0) || undefined;
  });
  for (const name of NAMES) {
    await eventually(`shop ${name} that is published`, async () => {
      const { status } = await cluster.user.get(Shops, { namespace: 'default', name });
      return readConditions(status).length > 0 ? true : undefined;
    });
  }
  return { started, kubeconfig, contracts };
}

export function reportOf(finished: Finished): PlanReport {
  return JSON.parse(finished.out) as PlanReport;
}

function names({ objects }: PlanReport): string[] {
  return objects.map(({ change, kind, name }) => `${change} ${kind} ${name}`);
}

/** Compares a plan with the writes of the planned version, on a cluster of any kind. */
export function describePlannedVersion(where: string, newCluster: () => Promise<TestCluster>, contracts: number): void {
  describe(`evenkeel plan on ${where}`, () => {
    it('R-6.11 plan shows exactly the objects that a new version changes, and the new version then changes exactly these', async () => {
      await using cluster = await newCluster();
      await using folder = new EvenkeelFolder();
      const { kubeconfig, started } = await settledShops(cluster, folder, contracts);
      writeShopRelease(folder.path, 'v2', {
        version: '2',
        code: `
    if (name === 'a') wanted.deployment.spec.template.spec.containers[0].image = 'a:2';
    if (name === 'b') wanted.config = undefined;
    if (name === 'c') wanted.service = { spec: { selector: labels, ports: [{ port: 80 }] } };`,
      });
      const planned = await folder.run([
        'plan',
        ...kubeconfig,
        '--state-dir',
        '.evenkeel',
        '--controllers',
        'v2.ts',
        '-o',
        'json',
      ]);
      const expected = ['deleted configmaps b', 'created services c', 'applied deployments.apps a'];
      expect(names(reportOf(planned))).toEqual(expected);
      expect(reportOf(planned)).toMatchObject({
        changed: 3,
        unchanged: 1 + contracts,
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
      // Resync brings a new version to unchanged objects a few minutes later. An edit starts a pass at once.
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
        return [
          ...new Set(made.map(({ verb, resource, name }) => `${verb} ${resource} ${verb === 'create' ? '' : name}`)),
        ].sort();
      };
      await eventually('three written objects', async () => ((await written()).length >= 3 ? true : undefined));
      const after = await folder.run([
        'plan',
        ...kubeconfig,
        '--state-dir',
        '.evenkeel',
        '--controllers',
        'v2.ts',
        '-o',
        'json',
      ]);
      expect(reportOf(after)).toMatchObject({ changed: 0, errors: [] });
      // Not every log contains the name of a created object, which is in the request's body.
      expect(await written()).toEqual(['create services ', 'delete configmaps b', 'patch deployments.apps a']);
    });
  });
}
