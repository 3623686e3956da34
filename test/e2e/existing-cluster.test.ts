import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kubeconfigText, type ServedApi } from '../../cli/local/kubeconfig-text.ts';
import { loopbackIdentity } from '../../lib/adapters/loopback/loopback-identity.ts';
import { newToken } from '../../lib/adapters/system/new-token.ts';
import { SystemClock } from '../../lib/adapters/system/system-clock.ts';
import { SystemEntropy } from '../../lib/adapters/system/system-entropy.ts';
import { ApiServer } from '../../lib/apiserver/api-server.ts';
import { CustomResourceDefinitions, Leases } from '../../lib/core/resource-type.ts';
import { Contracts } from './support/contracts.ts';
import { EvenkeelFolder } from './support/evenkeel-process.ts';

/** A cluster that is there already, with nothing of evenkeel in it. */
async function existingCluster(): Promise<ServedApi & AsyncDisposable> {
  const clock = new SystemClock();
  const entropy = new SystemEntropy();
  const server = new ApiServer({
    clock: () => clock.now(),
    newUid: () => entropy.id(),
    random: () => entropy.random(),
  });
  const listening = await server.listen({ token: newToken(), tls: loopbackIdentity(clock.now()) });
  return { ...listening, [Symbol.asyncDispose]: () => listening.close() };
}

describe('evenkeel start --kubeconfig', () => {
  it('R-6.3 R-6.8 checks the CRDs, installs them only when asked, drives the cluster, and leaves it again', async () => {
    await using cluster = await existingCluster();
    await using folder = new EvenkeelFolder();
    const kubeconfig = join(folder.path, 'cluster.kubeconfig');
    writeFileSync(kubeconfig, kubeconfigText(cluster));
    await using contracts = await Contracts.connect(kubeconfig);

    const refused = await folder.run(['start', '--kubeconfig', kubeconfig]);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('CRD secretcontracts.evenkeel.dev is not installed');
    expect(refused.err).toContain('Nothing was changed. Install them with --install-crds');
    expect((await contracts.api.list(CustomResourceDefinitions)).items).toEqual([]);

    const started = await folder.start(['--kubeconfig', kubeconfig, '--install-crds']);
    await contracts.createSecret('web', { password: 'x' });
    await contracts.createContract('web', ['password']);
    await contracts.becomes('web', 'True AllSatisfied');
    expect(await folder.run(['explain', 'secon/default/web'])).toMatchObject({ code: 0 });

    const tooEarly = await folder.run(['uninstall', '--kubeconfig', kubeconfig]);
    expect(tooEarly).toMatchObject({ code: 1, err: expect.stringContaining(`with process id ${started.pid}`) });
    expect((await started.stop()).code).toBe(0);

    const before = await contracts.read('web');
    const planned = await folder.run(['uninstall', '--kubeconfig', kubeconfig, '--dry-run']);
    expect(planned.out).toContain('Lease evenkeel-system/evenkeel-secret-contract would be removed');
    const left = await folder.run(['uninstall', '--kubeconfig', kubeconfig]);
    expect(left.code).toBe(0);
    expect(left.out).toContain('Lease evenkeel-system/evenkeel-secret-contract removed');
    expect(left.out).toContain('left as they are: 1 secretcontracts.evenkeel.dev');
    expect((await contracts.api.list(Leases)).items).toEqual([]);
    expect(await contracts.read('web')).toEqual(before);
  });

  it('R-1.10 a second deployment refuses the cluster, names the deployment that drives it, and takes over when asked', async () => {
    await using folder = new EvenkeelFolder();
    await using other = new EvenkeelFolder();
    await folder.start(['--empty']);
    const refused = await other.run(['start', '--kubeconfig', folder.kubeconfig]);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain(`is driven by deployment local@`);
    expect(refused.err).toContain(`${folder.path}/.evenkeel`);
    expect(refused.err).toContain('--take-over');
    const taken = await other.start(['--kubeconfig', folder.kubeconfig, '--take-over']);
    expect(taken.errLines.join('\n')).toMatch(/taking over from local@.*its last passes end by \d{4}-/);
    await using contracts = await Contracts.connect(folder.kubeconfig);
    const lease = await contracts.api.get(Leases, { namespace: 'evenkeel-system', name: 'evenkeel-secret-contract' });
    expect((lease.spec as { holderIdentity: string }).holderIdentity).toContain(`${other.path}/.evenkeel`);
  });

  it('R-6.8 a cluster that another deployment drives cannot be left', async () => {
    await using folder = new EvenkeelFolder();
    await using other = new EvenkeelFolder();
    await folder.start(['--empty']);
    const refused = await other.run(['uninstall', '--kubeconfig', folder.kubeconfig, '--forgo-cleanup']);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('is driven by deployment local@');
    expect(readFileSync(folder.kubeconfig, 'utf8')).toContain('current-context: evenkeel');
  });
});
