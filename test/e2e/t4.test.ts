import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { connectCluster } from '../../lib/adapters/kubernetes/connect-cluster.ts';
import { loadKubeconfig } from '../../lib/adapters/kubernetes/connection/load-kubeconfig.ts';
import { SystemClock } from '../../lib/adapters/system/system-clock.ts';
import { Pods, T4ClusterHosts, T4Sessions, T4Workspaces } from '../../lib/controllers/t4/kinds.ts';
import { readConditions } from '../../lib/core/conditions.ts';
import type { ResourceType } from '../../lib/core/resource-type.ts';
import { EvenkeelFolder } from './support/evenkeel-process.ts';
import { eventually } from './support/eventually.ts';

const SETTINGS = fileURLToPath(new URL('../../examples/settings/t4.yaml', import.meta.url));

describe('evenkeel start with the settings of examples/t4', () => {
  it('R-6.1 R-4.2 R-4.3 brings the example session to Running, revokes it when its profile is withdrawn, and starts it again', async () => {
    await using folder = new EvenkeelFolder();
    const started = await folder.start(['--settings', SETTINGS]);
    await started.line(/^ready/);
    const clock = new SystemClock();
    const { connection } = await loadKubeconfig({ file: folder.kubeconfig, environment: {}, clock });
    const { api, close } = connectCluster({ connection, userAgent: 'test', clock });
    try {
      const read = (type: ResourceType, name: string) => api.get(type, { namespace: 'default', name });
      const becomes = (name: string, phase: string, reason: string) =>
        eventually(`session ${name}: ${phase} ${reason}`, async () => {
          const { status } = await read(T4Sessions, name);
          const available = readConditions(status).find(({ type }) => type === 'Available');
          return (status as { phase?: string } | undefined)?.phase === phase && available?.reason === reason
            ? (status as { podName?: string })
            : undefined;
        });
      const running = await becomes('first', 'Running', 'PodReady');
      await becomes('refused', 'Failed', 'RuntimeProfileNotAllowed');
      const workspace = await read(T4Workspaces, 'demo');
      expect(readConditions(workspace.status).at(-1)).toMatchObject({ type: 'Ready', status: 'True' });

      const profiles = async (runtimeProfiles: string[]) =>
        await api.patch(
          T4ClusterHosts,
          { namespace: 'default', name: 'demo' },
          { type: 'merge', patch: { spec: { runtimeProfiles } } },
          { fieldManager: 'test' },
        );
      await profiles(['large', 'huge']);
      expect(await becomes('first', 'Failed', 'RuntimeProfileNotAllowed')).not.toHaveProperty('podName');
      await becomes('refused', 'Running', 'PodReady');
      await expect(read(Pods, running.podName ?? '')).rejects.toMatchObject({ reason: 'NotFound' });
      await profiles(['small']);
      await becomes('first', 'Running', 'PodReady');
    } finally {
      await close();
    }
    expect((await started.stop('SIGINT')).code).toBe(0);
  });
});
