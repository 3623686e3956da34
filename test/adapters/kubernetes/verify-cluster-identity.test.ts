import { describe, expect, it } from 'vitest';
import { KubernetesClusterApi } from '../../../lib/adapters/kubernetes/kubernetes-cluster-api.ts';
import {
  readClusterIdentity,
  verifyClusterIdentity,
} from '../../../lib/adapters/kubernetes/verify-cluster-identity.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { FakeTransport, failure, type Scripted } from './fake-transport.ts';

const kubeSystem = {
  kind: 'PartialObjectMetadata',
  apiVersion: 'meta.k8s.io/v1',
  metadata: { name: 'kube-system', uid: 'uid-1', resourceVersion: '4' },
};

function apiOf(answer: Scripted) {
  const transport = new FakeTransport(answer);
  return {
    transport,
    api: new KubernetesClusterApi({ transport, clock: new ManualClock(), userAgent: 'evenkeel/test' }),
  };
}

describe('R-5.16 the identity of a cluster', () => {
  it('is the UID of kube-system, read as metadata only', async () => {
    const { api, transport } = apiOf({ body: kubeSystem });
    await expect(readClusterIdentity(api)).resolves.toBe('uid-1');
    expect(transport.requests).toMatchObject([
      { path: '/api/v1/namespaces/kube-system', headers: { accept: expect.stringContaining('PartialObjectMetadata') } },
    ]);
  });

  it('passes when it is the one that was registered', async () => {
    await expect(verifyClusterIdentity(apiOf({ body: kubeSystem }).api, 'uid-1')).resolves.toBeUndefined();
  });

  it('refuses another cluster behind the same endpoint, and says what to do', async () => {
    await expect(verifyClusterIdentity(apiOf({ body: kubeSystem }).api, 'uid-0')).rejects.toMatchObject({
      code: 'CLUSTER_IDENTITY_MISMATCH',
      data: { found: 'uid-1', pinned: 'uid-0' },
      message: expect.stringMatching(/uid-1, and uid-0 was registered\. Correct the connection/),
    });
  });

  it('is not taken for confirmed when it cannot be read', async () => {
    const unreachable = { reason: 'Unreachable' };
    await expect(verifyClusterIdentity(apiOf(failure('ECONNREFUSED')).api, 'uid-1')).rejects.toMatchObject(unreachable);
  });
});
