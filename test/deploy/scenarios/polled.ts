import { ExternalSecrets } from '../../../lib/controllers/secret-contract/kinds.ts';
import { apiVersion } from '../../../lib/core/resource-type.ts';
import type { UserCluster } from '../support/cloud-world.ts';

const WRITE = { fieldManager: 'test' };
const EXTERNAL_SECRET = { namespace: 'default', name: 'polled' };

/** A contract that waits for an ExternalSecret, a kind that no relay watches. */
export async function prepareExternalSecret({ edits, cluster }: UserCluster): Promise<void> {
  await cluster.user.create(
    ExternalSecrets,
    { apiVersion: apiVersion(ExternalSecrets), kind: ExternalSecrets.kind, metadata: EXTERNAL_SECRET, spec: {} },
    WRITE,
  );
  await edits.contracts.createSecret('polled', { one: 'x' });
  await edits.contracts.createContract('polled', ['one'], {
    externalSecretRef: { name: 'polled', pollInterval: '30s' },
  });
}

export async function setSynced({ cluster }: UserCluster, ready: boolean): Promise<void> {
  const { metadata } = await cluster.user.get(ExternalSecrets, EXTERNAL_SECRET);
  // This definition has no status subresource, so the patch raises the generation.
  const syncedResourceVersion = `${(metadata.generation ?? 0) + 1}-abc`;
  const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False', reason: 'SecretSynced' }];
  await cluster.user.patch(
    ExternalSecrets,
    EXTERNAL_SECRET,
    { type: 'merge', patch: { status: { conditions, syncedResourceVersion } } },
    WRITE,
  );
}
