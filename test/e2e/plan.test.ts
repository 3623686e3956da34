import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CANARY, describePlannedVersion, reportOf, settledShops } from './plan.suite.ts';
import { type EmbeddedCluster, embeddedCluster } from './support/embedded-cluster.ts';
import { EvenkeelFolder } from './support/evenkeel-process.ts';
import { writeShopRelease } from './support/shops.ts';

/** The requests that evenkeel's plan process sent to the cluster. */
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

  it('R-6.11 plan -o json prints nothing but JSON to standard output when a controller prints with console or writes to process.stdout', async () => {
    await using cluster = await embeddedCluster();
    await using folder = new EvenkeelFolder();
    const { kubeconfig } = await settledShops(cluster, folder);
    const calls = ['log', 'info', 'debug', 'dir'].map((method) => `console.${method}('printed by ${method}');`);
    calls.push("process.stdout.write('printed by write\\n');");
    writeShopRelease(folder.path, 'chatty', { version: '1', code: calls.join('\n') });
    const planned = await folder.run(['plan', ...kubeconfig, '--controllers', 'chatty.ts', '-o', 'json']);
    expect(reportOf(planned)).toMatchObject({ errors: [], unchanged: 5 });
    for (const method of ['log', 'info', 'debug', 'dir', 'write'])
      expect(planned.err).toContain(`printed by ${method}`);
  });

  it.each([
    ['plan', ['plan', '--context', 'none']],
    ['capture', ['capture', 'shop/default/a', '--context', 'none']],
    ['manifests', ['manifests', '--out', 'out']],
  ])('R-6.4 %s exits with 1 and names the place when a module of an author ends the process', async (_, args) => {
    await using folder = new EvenkeelFolder();
    writeFileSync(join(folder.path, 'package.json'), '{"type": "module"}');
    writeFileSync(join(folder.path, 'ends.ts'), '\nprocess.exit(0);\n');
    const ended = await folder.run([...args, '--controllers', 'ends.ts']);
    expect(ended.err).toMatch(/did not finish: \S+ends\.ts:2:9 ended the process/);
    expect(ended.code).toBe(1);
  });

  it.each([0, 3])('R-6.4 plan exits with 1 and names the place when a pass ends the process with %s', async (code) => {
    await using cluster = await embeddedCluster();
    await using folder = new EvenkeelFolder();
    const { kubeconfig } = await settledShops(cluster, folder);
    writeShopRelease(folder.path, 'ends', { version: '2', code: `process.exit(${code});` });
    const planned = await folder.run(['plan', ...kubeconfig, '--controllers', 'ends.ts', '-o', 'json']);
    expect(planned.err).toMatch(/did not finish: \S+ends\.ts:\d+:\d+ ended the process/);
    expect(planned.out).toBe('');
    expect(planned.code).toBe(1);
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

describePlannedVersion('the embedded API server', embeddedCluster, 1);
