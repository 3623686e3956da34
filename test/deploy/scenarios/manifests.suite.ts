import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Kubectl, kubectlMissing } from '../../apiserver/kubectl.ts';
import type { Deployed } from './deployed.ts';

const missing = kubectlMissing();

/** What a person applies to a cluster of the deployment. */
export function manifests(deployed: () => Deployed): void {
  const leftOut = missing === undefined ? '' : ` (left out: ${missing})`;
  it.skipIf(missing !== undefined)(`R-6.3 kubectl applies the folders of manifests as they are${leftOut}`, async () => {
    const { world, west } = deployed();
    const kubectl = await Kubectl.with(west.cluster.kubeconfig);
    const apply = (folder: string, ...options: string[]) =>
      kubectl.run(['apply', '--server-side', ...options, '-k', join(world.copy.folder, folder)]);
    try {
      expect(await apply('infra/kubernetes')).toContain(
        'clusterrole.rbac.authorization.k8s.io/evenkeel-secret-contract serverside-applied',
      );
      for (const group of ['t4', 'control-plane', 'secret-contract-mutation']) {
        expect(await apply(`infra/kubernetes/roles/${group}`)).toMatch(/ serverside-applied\n/);
      }
      const relay = await apply('infra/container/relay', '--dry-run=server');
      expect(relay).toContain('deployment.apps/evenkeel-relay serverside-applied (server dry run)');
      const pod = await apply('infra/container/pod', '--dry-run=server');
      expect(pod).toContain('deployment.apps/evenkeel serverside-applied (server dry run)');
    } finally {
      await kubectl.remove();
    }
  });
}
