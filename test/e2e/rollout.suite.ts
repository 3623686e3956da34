import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConditions } from '../../lib/core/conditions.ts';
import { apiVersion, ConfigMaps, Deployments } from '../../lib/core/resource-type.ts';
import { EvenkeelFolder } from './support/evenkeel-process.ts';
import { eventually } from './support/eventually.ts';
import { Shops, writeShopRelease } from './support/shops.ts';
import type { TestCluster } from './support/test-cluster.ts';

const NAMES = ['a', 'b', 'c', 'd'];
const NEW_IMAGE = `wanted.deployment.spec.template.spec.containers[0].image = name + ':2';`;
const MORE_THAN_PLANNED = `if (name === 'c') wanted.config.data = { greeting: 'hello from c', more: 'unplanned' };`;

interface Explained {
  readonly reconcilerVersion?: string;
  readonly stoppedRollout?: { readonly version: string; readonly reason: string; readonly message: string };
}

async function explain(folder: EvenkeelFolder, name: string): Promise<Explained | undefined> {
  const { out } = await folder.run(['explain', `shop/default/${name}`, '-o', 'json']);
  return (JSON.parse(out) as { items: Explained[] }).items[0];
}

async function images({ user }: TestCluster): Promise<unknown[]> {
  const { items } = await user.list(Deployments, { namespace: 'default' });
  return items.map(({ spec }) => /"image":"([^"]*)"/.exec(JSON.stringify(spec))?.[1]).sort();
}

/** A new version that changes more than its plan shows, on a cluster of any kind. */
export function describeRollout(where: string, newCluster: () => Promise<TestCluster>): void {
  describe(`a rollout on ${where}`, () => {
    it('R-6.11 start takes every object back and never sends the write when a new version writes what its plan does not have', async () => {
      await using cluster = await newCluster();
      await using folder = new EvenkeelFolder();
      const kubeconfig = ['--kubeconfig', cluster.kubeconfig];
      writeShopRelease(folder.path, 'now', { version: '1' });
      writeShopRelease(folder.path, 'planned', { version: '2', code: NEW_IMAGE });
      writeShopRelease(folder.path, 'next', { version: '2', code: NEW_IMAGE + MORE_THAN_PLANNED });
      const settingsFor = (stage: number, version: string) => {
        const rollout = { controllers: [`./${version}.ts`], stages: [{ percent: 100 }], stage };
        const plan = stage === 0 ? {} : { plan: './plan.json' };
        const settings = {
          groups: {},
          controllers: ['./now.ts'],
          intervals: { resync: '1s' },
          rollout: { ...rollout, ...plan },
        };
        writeFileSync(join(folder.path, 'settings.yaml'), JSON.stringify(settings));
      };
      settingsFor(0, 'next');
      const deployed = await folder.start([...kubeconfig, '--install-crds', '--settings', 'settings.yaml']);
      for (const name of NAMES) {
        const metadata = { namespace: 'default', name };
        const shop = { apiVersion: apiVersion(Shops), kind: Shops.kind, metadata, spec: { image: `${name}:1` } };
        await cluster.user.create(Shops, shop, { fieldManager: 'test' });
      }
      await eventually('four published shops', async () => {
        const { items } = await cluster.user.list(Shops);
        return items.filter(({ status }) => readConditions(status).length > 0).length === NAMES.length || undefined;
      });
      const plan = ['plan', ...kubeconfig, '--state-dir', '.evenkeel', '--controllers', 'planned.ts', '-o', 'json'];
      writeFileSync(join(folder.path, 'only-groups.yaml'), JSON.stringify({ groups: {} }));
      const planned = await folder.run([...plan, '--settings', 'only-groups.yaml']);
      writeFileSync(join(folder.path, 'plan.json'), planned.out);
      expect(planned.code).toBe(3);
      expect(await images(cluster)).toEqual(NAMES.map((name) => `${name}:1`));
      await deployed.stop();

      settingsFor(1, 'next');
      await folder.start([...kubeconfig, '--settings', 'settings.yaml']);
      const stopped = await eventually('a stopped rollout', async () => (await explain(folder, 'c'))?.stoppedRollout);
      expect(stopped).toMatchObject({ version: '2', reason: 'OutsidePlan' });
      expect(stopped.message).toContain('change data.more of configmaps default/c');
      await eventually('every object back at the version before', async () => {
        const explained = await Promise.all(NAMES.map((name) => explain(folder, name)));
        const isBack = explained.every((each) => each?.reconcilerVersion === '1');
        return (isBack && (await images(cluster)).every((image) => String(image).endsWith(':1'))) || undefined;
      });
      const { data } = await cluster.user.get(ConfigMaps, { namespace: 'default', name: 'c' });
      expect(data).toEqual({ greeting: 'hello from c' });
    });
  });
}
