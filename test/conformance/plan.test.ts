import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { SecretContracts } from '../../lib/controllers/secret-contract/kinds.ts';
import { readConditions } from '../../lib/core/conditions.ts';
import { Deployments, type ResourceType, Secrets } from '../../lib/core/resource-type.ts';
import { describePlannedVersion, reportOf } from '../e2e/plan.suite.ts';
import { Contracts } from '../e2e/support/contracts.ts';
import { EvenkeelFolder } from '../e2e/support/evenkeel-process.ts';
import { eventually } from '../e2e/support/eventually.ts';
import { writesAmong } from '../e2e/support/test-cluster.ts';
import { type RealCluster, realCluster } from './real-cluster.ts';

const CONTRACTS = 500;
const SITES = Array.from({ length: 8 }, (_, index) => `site-${index}`);
/** The sites that the new version changes. */
const CHANGED = SITES.slice(2, 5);
const Websites: ResourceType = {
  group: 'example.com',
  version: 'v1',
  plural: 'websites',
  kind: 'Website',
  namespaced: true,
};
const EXAMPLE = new URL('../../examples/website/', import.meta.url);

/** The Website example, as a module of a folder. @param edit changes its source. */
function writeWebsites(folder: string, name: string, edit: (source: string) => string): string {
  copyFileSync(new URL('dns.ts', EXAMPLE), join(folder, 'dns.ts'));
  const source = edit(readFileSync(new URL('website.ts', EXAMPLE), 'utf8'));
  writeFileSync(join(folder, `website-${name}.ts`), source);
  const controllers = readFileSync(new URL('controllers.ts', EXAMPLE), 'utf8');
  writeFileSync(join(folder, `${name}.ts`), controllers.replace('./website.ts', `./website-${name}.ts`));
  return `${name}.ts`;
}

/** An account that may get and list everything, and nothing else. @returns the path of its kubeconfig. */
async function planner({ server, kubeconfig }: RealCluster, folder: string): Promise<string> {
  const post = (path: string, body: object) => server.expectOk({ method: 'POST', path, body });
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const metadata = { name: 'planner' };
  const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list'] }];
  await post('/api/v1/namespaces/default/serviceaccounts', { metadata });
  await post(`${rbac}/clusterroles`, { metadata, rules });
  await post(`${rbac}/clusterrolebindings`, {
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'planner' },
    subjects: [{ kind: 'ServiceAccount', name: 'planner', namespace: 'default' }],
  });
  const issued = await post('/api/v1/namespaces/default/serviceaccounts/planner/token', {
    spec: { expirationSeconds: 3_600 },
  });
  const { token } = issued.json<{ status: { token: string } }>().status;
  const config = parse(readFileSync(kubeconfig, 'utf8')) as { users: { user: object }[] };
  for (const entry of config.users) entry.user = { token };
  const file = join(folder, 'planner.kubeconfig');
  writeFileSync(file, stringify(config), { mode: 0o600 });
  return file;
}

async function createFleet({ user }: RealCluster): Promise<void> {
  const write = { fieldManager: 'test' };
  const token = { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'default', name: 'token' } };
  await user.create(Secrets, { ...token, stringData: { token: 'a-value-of-a-secret' } }, write);
  const contracts = new Contracts(user);
  for (let number = 0; number < CONTRACTS; number += 1) {
    await contracts.createContract(`web-${number}`, ['token'], { secretRef: { name: 'token' } });
  }
  for (const name of SITES) {
    const metadata = { namespace: 'default', name };
    const spec = { host: `${name}.example.com`, html: '<h1>Open</h1>' };
    await user.create(Websites, { apiVersion: 'example.com/v1', kind: 'Website', metadata, spec }, write);
  }
}

async function allHaveConditions({ user }: RealCluster, type: ResourceType, count: number): Promise<void> {
  await eventually(`${count} ${type.plural} with a status`, async () => {
    let published = 0;
    let continueToken: string | undefined;
    do {
      const page = await user.list(type, { ...(continueToken !== undefined && { continueToken }) });
      published += page.items.filter(({ status }) => readConditions(status).length > 0).length;
      continueToken = page.continueToken;
    } while (continueToken !== undefined);
    return published === count ? true : undefined;
  });
}

describe('evenkeel plan of a fleet on a real kube-apiserver', () => {
  it('R-6.11 plan shows exactly the three objects that a new version changes among 500 contracts and some Websites, writes nothing by an account that gets and lists, and the version then writes exactly these', async () => {
    await using cluster = await realCluster();
    await using folder = new EvenkeelFolder();
    mkdirSync(join(folder.path, 'node_modules'));
    symlinkSync(
      fileURLToPath(new URL('../../node_modules/zod', import.meta.url)),
      join(folder.path, 'node_modules/zod'),
    );
    const current = writeWebsites(folder.path, 'now', (source) => source);
    const next = writeWebsites(folder.path, 'next', (source) =>
      source.replace(
        "image: 'nginx:1.29'",
        `image: ${JSON.stringify(CHANGED)}.includes(name) ? 'nginx:1.30' : 'nginx:1.29'`,
      ),
    );
    const kubeconfig = ['--kubeconfig', cluster.kubeconfig];
    const started = await folder.start([...kubeconfig, '--install-crds', '--controllers', current]);
    await createFleet(cluster);
    await allHaveConditions(cluster, SecretContracts, CONTRACTS);
    await allHaveConditions(cluster, Websites, SITES.length);

    const plan = [
      'plan',
      '--kubeconfig',
      await planner(cluster, folder.path),
      '--state-dir',
      '.evenkeel',
      '-o',
      'json',
    ];
    const planning = await cluster.server.auditMark();
    const settled = await folder.run([...plan, '--controllers', current]);
    expect(reportOf(settled)).toMatchObject({
      changed: 0,
      errors: [],
      objects: [],
      unchanged: CONTRACTS + SITES.length,
    });
    expect(settled.code).toBe(0);
    const planned = await folder.run([...plan, '--controllers', next]);
    const report = reportOf(planned);
    expect(report.errors).toEqual([]);
    expect(report.objects.map(({ change, kind, name, fields }) => [change, kind, name, fields])).toEqual(
      CHANGED.map((name) => [
        'applied',
        'deployments.apps',
        name,
        [{ path: 'spec.template.spec.containers[name=web].image', before: 'nginx:1.29', after: 'nginx:1.30' }],
      ]),
    );
    expect(planned.code).toBe(3);
    const asked = (await cluster.server.auditEntries(planning)).filter(({ userAgent = '' }) =>
      userAgent.startsWith('evenkeel-plan'),
    );
    expect(new Set(asked.map(({ verb }) => verb))).toEqual(new Set(['get', 'list']));
    expect(new Set(asked.map(({ user }) => user.username))).toEqual(new Set(['system:serviceaccount:default:planner']));

    await started.stop();
    const mark = await cluster.mark();
    await folder.start([...kubeconfig, '--controllers', next]);
    // Resync brings a new version to unchanged objects a few minutes later. An edit starts a pass at once.
    for (const name of SITES) {
      const patch = { metadata: { annotations: { edited: 'yes' } } };
      await cluster.user.patch(
        Websites,
        { namespace: 'default', name },
        { type: 'merge', patch },
        { fieldManager: 'test' },
      );
    }
    for (const name of CHANGED) {
      await eventually(`the new image of ${name}`, async () => {
        const found = await cluster.user.get(Deployments, { namespace: 'default', name });
        return JSON.stringify(found.spec).includes('nginx:1.30') || undefined;
      });
    }
    const after = await folder.run([...plan, '--controllers', next]);
    expect(reportOf(after)).toMatchObject({ changed: 0, errors: [] });
    const written = writesAmong(await cluster.requestsSince(mark)).map(
      ({ verb, resource, name }) => `${verb} ${resource} ${name}`,
    );
    // A first apply after a create takes two requests.
    expect([...new Set(written)].sort()).toEqual(CHANGED.map((name) => `patch deployments.apps ${name}`));
  });
});

describePlannedVersion('a real kube-apiserver', () => realCluster(), 1);
