import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inClusterConnection } from '../../../../lib/adapters/kubernetes/connection/in-cluster-connection.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const environment = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443' };
const clock = new ManualClock();
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'evenkeel-pod-'));
  await writeFile(join(directory, 'ca.crt'), 'PEM');
  await writeFile(join(directory, 'token'), 'pod-token');
});
afterAll(() => rm(directory, { recursive: true }));

describe('R-6.3 the connection of a pod to its own cluster', () => {
  it('the connection comes from the service account and the environment', async () => {
    const connection = await inClusterConnection({ environment, clock, directory });
    expect(connection).toMatchObject({
      server: 'https://10.96.0.1:443',
      certificateAuthority: 'PEM',
      token: { kind: 'file' },
    });
    await expect(connection.token?.current()).resolves.toBe('pod-token');
  });

  it('an IPv6 address is put in brackets', async () => {
    const ipv6 = { ...environment, KUBERNETES_SERVICE_HOST: 'fd00::1' };
    await expect(inClusterConnection({ environment: ipv6, clock, directory })).resolves.toMatchObject({
      server: 'https://[fd00::1]:443',
    });
  });

  it('R-6.4 the error says what is missing outside a pod, and in a pod without a token', async () => {
    const unavailable = (message: RegExp) => ({
      code: 'IN_CLUSTER_UNAVAILABLE',
      message: expect.stringMatching(message),
    });
    await expect(inClusterConnection({ environment: {}, clock, directory })).rejects.toMatchObject(
      unavailable(/KUBERNETES_SERVICE_HOST .* not set.*Use a kubeconfig/),
    );
    await expect(inClusterConnection({ environment, clock, directory: join(directory, 'none') })).rejects.toMatchObject(
      unavailable(/ca\.crt cannot be read \(ENOENT\)/),
    );
  });
});
