import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Contracts } from './support/contracts.ts';
import { Deployment } from './support/deployment.ts';
import { embeddedCluster } from './support/embedded-cluster.ts';
import { EvenkeelFolder } from './support/evenkeel-process.ts';

it('explain, list and requeue speak to a deployment of AWS by its stage and the usual settings', async () => {
  await using folder = new EvenkeelFolder();
  await using cluster = await embeddedCluster();
  await using deployment = await Deployment.on(cluster);
  deployment.start();
  await using contracts = await Contracts.connect(cluster.kubeconfig);
  await contracts.createSecret('web-session', { key: 'x' });
  await contracts.createContract('web-session', ['key']);
  await contracts.becomes('web-session', 'True AllSatisfied');
  const { queue, table, token } = deployment.stack;
  const aws = {
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: token,
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_SQS: queue.endpoint,
    AWS_ENDPOINT_URL_DYNAMODB: table.endpoint,
  };
  const cloud = ['--stage', 'local', '--state-dir', 'nowhere'];
  const listed = await folder.run(['list', ...cloud], aws);
  expect(listed.out).toMatch(/SecretContract {2}default +web-session /);
  expect(await folder.run(['explain', 'secon/default/web-session', ...cloud], aws)).toMatchObject({ code: 0 });
  expect(await folder.run(['requeue', 'secon/default/web-session', ...cloud], aws)).toMatchObject({ code: 0 });
  await deployment.reported(({ target, cause }) => target.name === 'web-session' && cause === 'requested');
  writeFileSync(join(folder.path, 'settings.yaml'), '');
  const prod = [...cloud.with(1, 'prod'), '--cluster', 'east', '--settings', 'settings.yaml'];
  const elsewhere = await folder.run(['requeue', 'secon/default/web-session', ...prod], aws);
  expect(elsewhere.code).toBe(1);
  expect(elsewhere.err).toMatch(/evenkeel-prod/);
  expect(elsewhere.err).not.toContain('internal error');
});
