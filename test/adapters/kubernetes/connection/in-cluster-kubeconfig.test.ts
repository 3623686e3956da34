import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inClusterKubeconfig } from '../../../../lib/adapters/kubernetes/connection/in-cluster-kubeconfig.ts';
import { loadKubeconfig } from '../../../../lib/adapters/kubernetes/connection/load-kubeconfig.ts';
import { loopbackIdentity } from '../../../../lib/adapters/loopback/loopback-identity.ts';
import { ManualClock } from '../../../../lib/testing/manual-clock.ts';

let directory: string;
let authority: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'evenkeel-pod-'));
  authority = loopbackIdentity(Date.UTC(2026, 0, 1)).certificateAuthority;
  writeFileSync(join(directory, 'ca.crt'), authority);
  writeFileSync(join(directory, 'token'), 'first');
  writeFileSync(join(directory, 'namespace'), 'evenkeel-system');
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

const environment = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443' };

describe('the kubeconfig of a pod', () => {
  it('R-6.3 names the mounted files, so that a renewed token is read', async () => {
    const clock = new ManualClock();
    const { text, context, namespace } = await inClusterKubeconfig({ environment, directory });
    expect([context, namespace]).toEqual(['in-cluster', 'evenkeel-system']);
    expect(text).not.toContain('first');
    const file = join(directory, 'kubeconfig');
    writeFileSync(file, text);
    const { connection } = await loadKubeconfig({ file, environment: {}, clock });
    expect(connection).toMatchObject({ server: 'https://10.96.0.1:443', certificateAuthority: authority });
    await expect(connection.token?.current()).resolves.toBe('first');
    writeFileSync(join(directory, 'token'), 'second');
    clock.jump(60_000);
    await expect(connection.token?.current()).resolves.toBe('second');
  });

  it('R-6.3 puts an IPv6 address of the API server in brackets', async () => {
    const ipv6 = { ...environment, KUBERNETES_SERVICE_HOST: 'fd00::1' };
    expect((await inClusterKubeconfig({ environment: ipv6, directory })).text).toContain('https://[fd00::1]:443');
  });

  it('R-6.4 is refused with what is missing when this is no pod, or a pod without a token', async () => {
    await expect(inClusterKubeconfig({ environment: {}, directory })).rejects.toMatchObject({
      code: 'IN_CLUSTER_UNAVAILABLE',
      message: expect.stringContaining('KUBERNETES_SERVICE_HOST'),
    });
    const none = join(directory, 'none');
    await expect(inClusterKubeconfig({ environment, directory: none })).rejects.toMatchObject({
      code: 'IN_CLUSTER_UNAVAILABLE',
      message: expect.stringContaining(`${none}/`),
    });
  });
});
