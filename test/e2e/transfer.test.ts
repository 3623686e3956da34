import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createDeployment, revision } from './secret-contract/rollout.ts';
import { Contracts } from './support/contracts.ts';
import { Deployment } from './support/deployment.ts';
import { embeddedCluster } from './support/embedded-cluster.ts';
import { EvenkeelFolder } from './support/evenkeel-process.ts';
import { eventually } from './support/eventually.ts';

const MUTATION = { 'secret-contract': { mutation: { allow: true, digestKeyFile: 'digest-key' } } };

it('R-2.13 R-5.21 a Secret that changed while a cluster moved from one machine to AWS is rolled out once, by its content before', async () => {
  await using cluster = await embeddedCluster();
  await using folder = new EvenkeelFolder();
  await using contracts = await Contracts.connect(cluster.kubeconfig);
  writeFileSync(join(folder.path, 'settings.yaml'), JSON.stringify({ groups: MUTATION }));
  await using cloud = await Deployment.on(cluster, {
    settings: { groups: { 'secret-contract': { mutation: { allow: true } } } },
  });
  writeFileSync(join(folder.path, 'digest-key'), Deployment.digestKey);
  await createDeployment(contracts, { 'evenkeel.dev/allow-mutation': 'true' });
  const local = await folder.start(['--kubeconfig', cluster.kubeconfig, '--settings', 'settings.yaml']);
  for (const name of ['web', 'other']) {
    await contracts.createSecret(name, { one: 'x' });
    const targets = name === 'web' ? [{ kind: 'Deployment', name }] : [];
    await contracts.createContract(name, ['one'], { ...(name === 'web' && { mutation: 'Annotate' }), targets });
    await contracts.becomes(name, 'True AllSatisfied');
  }
  await local.stop();

  const exported = await folder.run(['export', 'local.json', '--settings', 'settings.yaml']);
  expect(exported).toMatchObject({ code: 0, out: expect.stringContaining('1 objects of cluster local') });
  await contracts.patchSecret('web', { one: 'y' });
  const { queue, table, token } = cloud.stack;
  const aws = {
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: token,
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_SQS: queue.endpoint,
    AWS_ENDPOINT_URL_DYNAMODB: table.endpoint,
  };
  const imported = await folder.run(['import', 'local.json', '--stage', 'local'], aws);
  expect(imported).toMatchObject({ code: 0, out: expect.stringContaining('1 objects of cluster local') });

  cloud.start();
  await eventually('a rollout', async () => ((await revision(contracts)) === '1' ? true : undefined));
  for (const name of ['web', 'other']) await contracts.becomes(name, 'True AllSatisfied');
  expect(await revision(contracts)).toBe('1');
});
